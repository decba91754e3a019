package config

// checkNames refuses columns of which two variables would have one name, so that readers of
// posteriors took one for the other: beta[a=b] of level b of a column a and of a column a=b, which
// a first shard would be refused for (cdf), sigma2_u[a,b] of the slope b of groups of a and of
// groups of a column a,b, which none would.
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
	terms := map[string]bool{}
	name := func(term string) {
		if terms[term] {
			wrong("columns.groups: two variances would be named %q, of two columns or of a column and a slope; rename one, or list a slope once", "sigma2_u["+term+"]")
		}
		terms[term] = true
	}
	for _, g := range c.Groups {
		terms[g.Column] = true // columns among themselves are told apart elsewhere
	}
	for _, g := range c.Groups {
		for _, slope := range g.Slopes {
			name(g.Column + "," + slope)
		}
	}
}
