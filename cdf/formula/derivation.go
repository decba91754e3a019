package formula

import (
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// derivation is a formula whose atoms are settled.
type derivation struct {
	formula *Formula
	dotted  []string // what the point stands for
	atoms   []*settled
	terms   [][]*settled
	columns []columnOf

	features []cdf.Feature
	others   []other // columns for roles beside the features
}

// other is a column that serves as a group, a slope or the exposure.
type other struct {
	name, role string
	x          *node // nil: the column as it is
}

// name gives the columns their features and refuses two of one name.
func (d *derivation) name() error {
	f := d.formula
	for _, g := range f.groups {
		d.others = append(d.others, other{name: g.column, role: "group"})
		for _, s := range g.slopes {
			d.others = append(d.others, other{s.label(), "slope", s})
		}
	}
	if f.offset != nil {
		d.others = append(d.others, other{f.offset.label(), "exposure", f.offset})
	}
	names := map[string]bool{f.name: true}
	for i := range d.columns {
		c := &d.columns[i]
		if names[c.name] {
			return fmt.Errorf("%w: two columns would be named %q: the response and a feature, or two features", cdf.ErrSchema, c.name)
		}
		names[c.name] = true
		d.features = append(d.features, d.feature(c))
	}
	if f.Products() {
		columns := d.columnsByCells()
		for i := range d.columns {
			d.features[i].Margins = d.margins(&d.columns[i], columns)
		}
	}
	d.others = slices.DeleteFunc(d.others, func(o other) bool { return d.has(&o) })
	for i, o := range d.others {
		if names[o.name] && !slices.ContainsFunc(d.others[:i], func(p other) bool { return p.same(&o) }) {
			return fmt.Errorf("%w: two columns would be named %q, one of them the %s", cdf.ErrSchema, o.name, o.role)
		}
		names[o.name] = true
	}
	d.others = slices.CompactFunc(d.others, func(a, b other) bool { return a.same(&b) })
	return nil
}

// same reports whether two columns are the same, whatever they serve as.
func (o *other) same(p *other) bool {
	return o.name == p.name && (o.x == nil || o.x.op == opName) == (p.x == nil || p.x.op == opName)
}

// has reports whether a column is among the features already.
func (d *derivation) has(o *other) bool {
	x := o.x
	if x == nil {
		x = &node{op: opName, text: o.name}
	}
	written := x.String()
	return slices.ContainsFunc(d.columns, func(c columnOf) bool {
		s := d.atoms[c.cells[0].place]
		return len(c.cells) == 1 && s.levels == nil && s.several == nil && s.key == written
	})
}

// plain reports whether an atom is a column of numbers as it is.
func (s *settled) plain() bool { return s.node.op == opName && s.levels == nil }

// feature says what a column is: one of zeros and ones alone is never scaled.
func (d *derivation) feature(c *columnOf) cdf.Feature {
	f, levels := cdf.Feature{Name: c.name, Siblings: c.siblings}, 0
	for _, at := range c.cells {
		if d.atoms[at.place].levels != nil {
			levels++
		}
	}
	if f.Partial = levels > 0; levels == len(c.cells) {
		zero, one := 0., 1.
		f.Center, f.Scale = &zero, &one
	}
	return f
}

// Settled implements cdf.Derivation.
func (d *derivation) Settled() []cdf.Feature {
	var list []cdf.Feature
	if d.formula.dots {
		list = append(list, cdf.Feature{Name: point, Levels: d.dotted})
	}
	for _, s := range d.atoms {
		f := cdf.Feature{Name: s.label}
		if s.levels != nil {
			f.Levels = s.listed()
		}
		list = append(list, f)
	}
	return list
}

// Features implements cdf.Derivation.
func (d *derivation) Features() []cdf.Feature { return d.features }

// Learnt implements cdf.Derivation.
func (d *derivation) Learnt() bool {
	return d.formula.dots || slices.ContainsFunc(d.atoms, func(s *settled) bool { return s.learnt })
}

// Learns implements cdf.Derivation.
func (d *derivation) Learns() (list []string) {
	for _, s := range d.atoms {
		if s.learnt {
			list = append(list, s.column())
		}
	}
	return list
}

// Responds implements cdf.Derivation.
func (d *derivation) Responds() (list []cdf.Input) {
	d.formula.response.uses(func(name string, how use) {
		list = append(list, cdf.Input{Name: name, Role: "response", Category: how == asLabel, Moment: how == asTime, Scale: 1})
	})
	return list
}

// Inputs implements cdf.Derivation.
func (d *derivation) Inputs() []cdf.Input {
	var list []cdf.Input
	add := func(in cdf.Input) {
		if !slices.ContainsFunc(list, func(o cdf.Input) bool { return o.Name == in.Name && o.Category == in.Category && o.Moment == in.Moment }) {
			in.Scale = 1
			list = append(list, in)
		}
	}
	numbers := func(n *node, role string) {
		n.uses(func(name string, how use) {
			in := cdf.Input{Name: name, Role: role, Moment: how == asTime}
			if how == asLabel {
				in.Category, in.Other = true, otherLevel
			}
			add(in)
		})
	}
	for _, s := range d.atoms {
		switch {
		case s.levels == nil:
			numbers(s.expression(), "feature")
		case s.factor != nil && s.factor.part != "":
			add(cdf.Input{Name: s.factor.column, Role: "feature", Moment: true})
		default:
			in := cdf.Input{Name: s.column(), Role: "feature", Category: true, Levels: s.listed(), Other: otherDrop, Baseline: s.levels[s.baseline], Gaps: s.gap >= 0}
			switch {
			case s.open >= 0:
				in.Other = otherLevel
			case s.open == failing:
				in.Other = otherReject
			}
			if slices.Equal(in.Levels, []string{"False", "True"}) {
				in.Levels, in.Baseline = []string{"false", "true"}, map[string]string{"False": "false", "True": "true"}[in.Baseline]
			}
			add(in)
		}
	}
	for _, o := range d.formula.groups {
		for _, s := range o.slopes {
			numbers(s, "slope")
		}
	}
	if x := d.formula.offset; x != nil {
		numbers(x, "exposure")
	}
	return list
}

// expression is what the atom's numbers are computed of.
func (s *settled) expression() *node {
	if s.several != nil {
		return s.several.x
	}
	return s.node
}

// column is the name of a factor's column.
func (s *settled) column() string {
	if s.factor != nil {
		return s.factor.column
	}
	return s.node.text
}

// use says how an expression uses a column.
type use uint8

const (
	asNumber use = iota
	asTime
	asLabel
)

// uses calls each with every column of an expression and its use.
func (n *node) uses(each func(name string, how use)) { n.usesAs(each, asNumber) }

func (n *node) usesAs(each func(name string, how use), how use) {
	switch {
	case n.op == opName:
		each(n.text, how)
		return
	case n.op == opCall && parts[n.text] != nil:
		how = asTime
	case n.op == opCompare && (n.args[0].op == opText || n.args[1].op == opText):
		how = asLabel
	}
	for _, a := range n.args {
		a.usesAs(each, how)
	}
}
