package config

// checkNames refuses columns of which two variables would have one name, so that readers of
// posteriors took one for the other: beta[a=b] of level b of a column a and of a column a=b, which
// a first shard would be refused for (cdf). Those of groups are cdf.DistinctTerms's.
func (c *Columns) checkNames(wrong report) {
	levels := map[string]bool{}
	for i := range c.Features {
		f := &c.Features[i]
		for _, level := range f.Levels.list {
			if level != f.Baseline {
				levels[f.Name+"="+level] = true
			}
		}
	}
	for i := range c.Features {
		if f := &c.Features[i]; !f.Levels.given && levels[f.Name] {
			wrong("columns: two coefficients would be named %q, of two columns or of a column and a level; rename one", f.Name)
		}
	}
}
