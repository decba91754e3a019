package formula

import (
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// margins are the columns that a product of numbers, or of numbers and levels, holds more of the farther its numbers are from 0, and those that a
// power does: (x - c)(z - d) is xz - cz - dx + cd. A number counts where it is a column itself, which gives its centre, and where all that is left of
// the product without it, and without others, are columns; what is left of none is the intercept's.
func (d *derivation) margins(c *columnOf) []cdf.Margin {
	if len(c.cells) == 1 {
		return d.marginsOfPower(c.cells[0])
	}
	var numbers []cell
	for _, at := range c.cells {
		if d.atoms[at.place].levels == nil && d.columnWith([]cell{at}) != "" {
			numbers = append(numbers, at)
		}
	}
	for n := len(numbers); n > 0; n-- {
		if list, all := d.without(c, numbers[:n]); all {
			return list
		}
	}
	return nil
}

// without returns the margins of a product for every set of its numbers, and whether all are columns.
func (d *derivation) without(c *columnOf, numbers []cell) (list []cdf.Margin, all bool) {
	for set := 1; set < 1<<len(numbers); set++ {
		var centers []string
		rest := slices.Clone(c.cells)
		for i, at := range numbers {
			if set>>i&1 == 1 {
				centers = append(centers, d.columnWith([]cell{at}))
				rest = slices.DeleteFunc(rest, func(b cell) bool { return b == at })
			}
		}
		if len(rest) == 0 {
			continue
		}
		name := d.columnWith(rest)
		if name == "" {
			return nil, false
		}
		list = append(list, cdf.Margin{Column: name, Centers: centers, Times: 1})
	}
	return list, true
}

// columnWith returns the name of the column of some cells, "" where there is none.
func (d *derivation) columnWith(cells []cell) string {
	at := slices.IndexFunc(d.columns, func(c columnOf) bool {
		return len(c.cells) == len(cells) && !slices.ContainsFunc(cells, func(b cell) bool { return !slices.Contains(c.cells, b) })
	})
	if at < 0 {
		return ""
	}
	return d.columns[at].name
}

// highestPower is that whose margins are looked for.
const highestPower = 6

// marginsOfPower are those of x^n, whose lower powers are all columns: the terms of (x - c)^n.
func (d *derivation) marginsOfPower(at cell) (list []cdf.Margin) {
	n, lower := d.powers(at)
	times, centers := 1., []string(nil)
	for k := n - 1; k > 0; k-- {
		if lower[k] == "" {
			return nil
		}
		times *= float64(k+1) / float64(n-k)
		centers = append(centers, lower[1])
		list = append(list, cdf.Margin{Column: lower[k], Centers: slices.Clone(centers), Times: times})
	}
	return list
}

// powers returns which power of something a cell is, 0 for none, and the columns of the lower ones, "" where there is none.
func (d *derivation) powers(at cell) (n int, lower [highestPower]string) {
	s := d.atoms[at.place]
	if s.several != nil {
		if n = at.field + 1; !s.several.powers || n > highestPower {
			return 0, lower
		}
		for k := 1; k < n; k++ {
			lower[k] = d.columnWith([]cell{{at.place, k - 1}})
		}
		return n, lower
	}
	base, n := s.power()
	for _, other := range d.atoms {
		if b, k := other.power(); k > 0 && k < n && b.String() == base.String() {
			lower[k] = d.columnWith([]cell{{place: other.place}})
		}
	}
	return n, lower
}

// power returns what an atom of one number is a power of, and the power, 1 of what is none; 0 of another atom.
func (s *settled) power() (base *node, n int) {
	if s.levels != nil || s.several != nil {
		return nil, 0
	}
	x := s.node
	for x.op == opBraces || x.op == opCall && x.text == "I" && len(x.args) == 1 {
		x = x.args[0]
	}
	if x.op == opBinary && x.text == "**" && x.args[1].op == opNumber {
		for n = 2; n <= highestPower; n++ {
			if x.args[1].value == float64(n) {
				return x.args[0], n
			}
		}
	}
	return x, 1
}

// Products implements cdf.Formula.
func (f *Formula) Products() bool {
	powers := map[string]int{}
	for _, a := range f.explicit {
		if a.several != nil && a.several.powers {
			return true
		}
		if base, n := (&settled{atom: a}).power(); n > 0 {
			if powers[base.String()]++; powers[base.String()] > 1 {
				return true
			}
		}
	}
	return f.dots || slices.ContainsFunc(f.terms, func(t term) bool { return len(t) > 1 })
}
