package cdf

// weakRHat is the R-hat above which chains have not forgotten where they
// began. Perfect draws of many variables exceed 1.01 all the time; 1.05 on
// two consecutive shards, or as soon as on the first, they do not.
const weakRHat = 1.05

// weakMixing lists the variables whose R-hat is too high and was at the shard
// before, if there was one. It is called while the summary of that shard is the
// one kept.
func (f *Filter) weakMixing(sum *Summary) {
	first := sum.T == 1
	if !first && !f.summed || f.SelfDescribing() {
		return
	}
	before := f.ws.mixedWeakly
	if clear(before); !first {
		before = f.keptSummary().mixingWeakly(before)
		f.ws.mixedWeakly = before
	}
	for i := range sum.Rows {
		if r := &sum.Rows[i]; r.RHat > weakRHat && (first || before[r.Variable]) {
			sum.WeakMixing = append(sum.WeakMixing, r.Variable)
		}
	}
}

// mixingWeakly enters the names of the variables whose R-hat is too high, into a map
// that may be nil.
func (s *Summary) mixingWeakly(names map[string]bool) map[string]bool {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.RHat > weakRHat {
			if names == nil {
				names = map[string]bool{}
			}
			names[r.Variable] = true
		}
	}
	return names
}
