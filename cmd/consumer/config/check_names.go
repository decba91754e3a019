package config

import (
	"fmt"
	"slices"
)

// checkNames refuses columns and levels of which two variables would have one name, so that
// readers of posteriors took one for the other: beta[a=b] of level b of a column a and of a column
// a=b, sigma2_u[a,b] of the slope b of groups of a and of groups of a column a,b.
func (c *Columns) checkNames(wrong report) {
	named := map[string]string{}
	name := func(variable, of string) {
		if before, twice := named[variable]; twice && before != of {
			wrong("columns: %s and %s would both be the variable %s; rename a column", before, of, variable)
		}
		named[variable] = of
	}
	for i := range c.Features {
		f := &c.Features[i]
		if f.Levels.given {
			for _, level := range f.Levels.list {
				if level != f.Baseline {
					named["beta["+f.Name+"="+level+"]"] = fmt.Sprintf("level %q of column %q", level, f.Name)
				}
			}
		}
	}
	for i := range c.Features {
		if f := &c.Features[i]; !f.Levels.given {
			name("beta["+f.Name+"]", fmt.Sprintf("column %q", f.Name))
		}
	}
	for _, g := range c.Groups {
		name("sigma2_u["+g.Column+"]", fmt.Sprintf("the groups of column %q", g.Column))
		for i, slope := range g.Slopes {
			if slices.Contains(g.Slopes[:i], slope) {
				wrong("columns.groups: the slope %q of %q is listed twice, and each would be the variable sigma2_u[%s,%s]; list it once", slope, g.Column, g.Column, slope)
				continue
			}
			name("sigma2_u["+g.Column+","+slope+"]", fmt.Sprintf("the slopes of %q by column %q", slope, g.Column))
		}
	}
}
