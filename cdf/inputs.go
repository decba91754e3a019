package cdf

import (
	"math"
	"slices"
)

// Input is a column that the rows of a key are made of.
type Input struct {
	Name string
	Role string // feature, group, slope, exposure, time, response
	// Category says that its values are labels (text, integers or booleans)
	// and not numbers.
	Category bool
	// Moment says that its values are times: numbers are seconds since 1970.
	Moment bool
	// Levels are the labels that have a meaning of their own: of a feature
	// the listed ones, of a group those absorbed so far, in order of first
	// appearance. They are views that change with the filter's next call.
	Levels []string
	// Baseline is the level of a feature without a coefficient, and Other
	// what becomes of a label that is not listed: level, drop or reject.
	Baseline, Other string
	// Gaps says that a missing label has a coefficient of its own.
	Gaps bool
	// Center and Scale are the constants in force of a number that is centred
	// or scaled, 0 and 1 of one that never is, NaN while they are not known.
	Center, Scale float64
}

// Inputs returns the columns that the key's first shard fixed: features in the
// order of their coefficients, groups each with its slopes, exposure, time, and
// the response last; nil before the first shard. A column with two roles is
// there twice. Where a formula makes the columns they are those that it makes them
// of, slopes and exposure among the features; a response that it computes has the
// name of what is predicted.
func (f *Filter) Inputs() []Input {
	d := f.now.design
	if d == nil {
		return nil
	}
	all, roles := f.features(), &f.spec.Columns
	for i, g := range roles.Groups {
		all = append(all, Input{Name: g.Column, Role: "group", Category: true, Levels: f.now.factors[i].levels, Scale: 1})
		for _, name := range g.Slopes {
			if d.made == nil {
				all = append(all, Input{Name: name, Role: "slope", Scale: 1})
			}
		}
	}
	if roles.Exposure != "" && d.made == nil {
		all = append(all, Input{Name: roles.Exposure, Role: "exposure", Scale: 1})
	}
	if roles.Time != "" {
		all = append(all, Input{Name: roles.Time, Role: "time", Scale: 1})
	}
	return append(all, f.number(d.response, "response", f.now.scaling.y))
}

// features returns the inputs of the coefficients.
func (f *Filter) features() []Input {
	d := f.now.design
	var all []Input
	if d.made != nil {
		all = d.made.Inputs()
		for i := range all {
			in := &all[i]
			j := slices.Index(d.names, in.Name)
			if in.Role == "feature" && !in.Category && !in.Moment && j >= 0 {
				*in = f.number(in.Name, in.Role, f.now.scaling.x[j])
			}
		}
		return all
	}
	for i := range d.sources {
		s := &d.sources[i]
		if !s.categorical {
			all = append(all, f.number(s.feature.Name, "feature", f.now.scaling.x[s.first]))
			continue
		}
		in := Input{Name: s.feature.Name, Role: "feature", Category: true, Levels: s.feature.Levels, Baseline: s.feature.Baseline, Other: s.feature.Other, Gaps: s.gap >= 0, Scale: 1}
		if in.Baseline == "" {
			in.Baseline = s.feature.Levels[0]
		}
		if in.Other == "" {
			in.Other = "level"
		}
		all = append(all, in)
	}
	return all
}

// number is an input with the constants in force.
func (f *Filter) number(name, role string, c Constant) Input {
	in := Input{Name: name, Role: role, Center: c.Center, Scale: c.Scale}
	if !f.now.scaling.known() {
		in.Center, in.Scale = math.NaN(), math.NaN()
	}
	return in
}
