package cdf

import (
	"math"
	"slices"
)

// manyGroups is the number of levels of a factor above which a shard's summary
// describes only those that the shard touched, also where Publish asks for all.
const manyGroups = 1000

// selection says which variables a summary describes. The zero selection is
// all of them.
type selection struct {
	publish *Publish // nil: all
	// touched marks, per factor, the levels with an absorbed row in the
	// shard; empty where it does not matter.
	touched [][]bool
	// named says that Publish.Variables chooses among groups only: of a model
	// that draws, whose state does not tell the rest.
	named bool
	// feeder says which columns nothing has fed so far, whose levels are left out; nil:
	// it is not known, or does not matter.
	feeder Feeder
	// only, where not nil, names the variables whatever the rest says.
	only map[string]bool
}

// choose selects what is published about the shard whose rows are given. Their
// groups are indices into the levels of then; since then groups may have left,
// so that now has fewer. The cost of a name is paid only for what is selected.
func (c *selection) choose(p *Publish, then, now []factor, shard *rows) {
	c.publish = p
	c.touched = shapeEach(c.touched, len(now), 0)
	for f := range now {
		n := len(now[f].levels)
		if p.Groups != "touched" && n <= manyGroups || p.Groups == "none" {
			continue
		}
		c.touched[f] = slices.Grow(c.touched[f], n)[:n]
		clear(c.touched[f])
		for k, g := range shard.group[f] {
			if y := shard.y[k]; math.IsNaN(y) {
				continue
			}
			if len(then[f].levels) != n {
				var stays bool
				if g, stays = now[f].index[then[f].levels[g]]; !stays {
					continue
				}
			}
			c.touched[f][g] = true
		}
	}
}

// partial reports whether the selection differs from shard to shard.
func (c *selection) partial() bool {
	return slices.ContainsFunc(c.touched, func(levels []bool) bool { return len(levels) > 0 })
}

// most returns for how many of all variables there should be room at first.
func (c *selection) most(all int) int {
	switch {
	case c.only != nil:
		return min(all, len(c.only))
	case c.publish == nil:
		return all
	}
	return min(all, 64)
}

// group reports whether a level of a factor is described.
func (c *selection) group(factor, level int) bool {
	switch {
	case c.publish == nil:
		return true
	case c.publish.Groups == "none":
		return false
	case factor >= len(c.touched) || len(c.touched[factor]) == 0:
		return true
	}
	return level < len(c.touched[factor]) && c.touched[factor][level]
}

// unfed appends the levels of the design that nothing has fed so far.
func (c *selection) unfed(dst []int, d *design) []int {
	if c.feeder == nil {
		return dst
	}
	for _, column := range d.levels {
		if !c.feeder.Fed(column) {
			dst = append(dst, column)
		}
	}
	return dst
}

// variable reports whether a variable, of a group or not, is described.
func (c *selection) variable(name string, group bool) bool {
	if c.only != nil {
		return c.only[name]
	}
	return c.publish == nil || c.named && !group || c.publish.asksFor(name)
}

// asksFor reports whether a name is among those to be published.
func (p *Publish) asksFor(name string) bool {
	return len(p.Variables) == 0 || slices.ContainsFunc(p.Variables, func(pattern string) bool { return Glob(pattern, name) })
}

// everything reports that shards leave no variable out, but for groups that one did
// not touch.
func (p *Publish) everything() bool {
	return p.Groups != "none" && (len(p.Variables) == 0 || slices.Contains(p.Variables, "**"))
}

// Glob reports whether the whole name matches the pattern: `*` is any run of
// characters without '/', `**` any run, everything else is itself.
func Glob(pattern, name string) bool {
	// reach[j]: the pattern so far matches name[:j].
	reach := make([]bool, len(name)+1)
	reach[0] = true
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '*' {
			for j := len(name); j > 0; j-- {
				reach[j] = reach[j-1] && name[j-1] == pattern[i]
			}
			reach[0] = false
			continue
		}
		deep := i+1 < len(pattern) && pattern[i+1] == '*'
		if deep {
			i++
		}
		for j := 1; j <= len(name); j++ {
			reach[j] = reach[j] || reach[j-1] && (deep || name[j-1] != '/')
		}
	}
	return reach[len(name)]
}
