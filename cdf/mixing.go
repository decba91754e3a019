package cdf

// weakRHat is the R-hat above which chains have not forgotten where they
// began. Perfect draws of many variables exceed 1.01 all the time; 1.05 on
// two consecutive shards they do not.
const weakRHat = 1.05

// weakMixing lists the variables whose R-hat is too high and was at the shard
// before. It is called while the summary of that shard is the one kept.
func (f *Filter) weakMixing(sum *Summary) {
	if !f.summed || f.SelfDescribing() {
		return
	}
	var before map[string]bool
	for i := range f.sum[f.kept].Rows {
		if r := &f.sum[f.kept].Rows[i]; r.RHat > weakRHat {
			if before == nil {
				before = map[string]bool{}
			}
			before[r.Variable] = true
		}
	}
	for i := range sum.Rows {
		if r := &sum.Rows[i]; r.RHat > weakRHat && before[r.Variable] {
			sum.WeakMixing = append(sum.WeakMixing, r.Variable)
		}
	}
}
