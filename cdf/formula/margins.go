package formula

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/cdf"
)

// byCells finds columns by the cells that they are products of.
type byCells map[string]int

// columnsByCells returns the places of the columns.
func (d *derivation) columnsByCells() byCells {
	places := make(byCells, len(d.columns))
	for i := range d.columns {
		places[keyOf(d.columns[i].cells)] = i
	}
	return places
}

// keyOf is the same for the same cells, whatever their order.
func keyOf(cells []cell) string {
	if len(cells) > 1 {
		cells = slices.SortedFunc(slices.Values(cells), func(a, b cell) int { return cmp.Or(a.place-b.place, a.field-b.field) })
	}
	var key []byte
	for _, c := range cells {
		key = append(strconv.AppendInt(append(strconv.AppendInt(key, int64(c.place), 36), '.'), int64(c.field), 36), ' ')
	}
	return string(key)
}

// of returns the place of the column of the cells, and whether there is one.
func (b byCells) of(cells ...cell) (int, bool) {
	at, ok := b[keyOf(cells)]
	return at, ok
}

// margins are the columns that a product of numbers, or of numbers and levels, holds more of the farther its numbers are from 0, and those that a
// power does: (x - c)(z - d) is xz - cz - dx + cd. A number counts where it is a column itself, which gives its centre, and where all that is left of
// the product without it, and without others, are columns; what is left of none is the intercept's.
func (d *derivation) margins(c *columnOf, columns byCells) []cdf.Margin {
	if len(c.cells) == 1 {
		return d.marginsOfPower(c.cells[0], columns)
	}
	var numbers []cell
	for _, at := range c.cells {
		if d.atoms[at.place].levels != nil {
			continue
		}
		if _, ok := columns.of(at); ok {
			numbers = append(numbers, at)
		}
	}
	for n := len(numbers); n > 0; n-- {
		if list, all := without(c, numbers[:n], columns); all {
			return list
		}
	}
	return nil
}

// without returns the margins of a product for every set of its numbers, and whether all are columns.
func without(c *columnOf, numbers []cell, columns byCells) (list []cdf.Margin, all bool) {
	for set := 1; set < 1<<len(numbers); set++ {
		var centers []int
		rest := slices.Clone(c.cells)
		for i, at := range numbers {
			if set>>i&1 == 1 {
				center, _ := columns.of(at)
				centers = append(centers, center)
				rest = slices.DeleteFunc(rest, func(b cell) bool { return b == at })
			}
		}
		if len(rest) == 0 {
			continue
		}
		column, ok := columns.of(rest...)
		if !ok {
			return nil, false
		}
		list = append(list, cdf.Margin{Column: column, Centers: centers, Times: 1})
	}
	return list, true
}

// highestPower is that whose margins are looked for.
const highestPower = 6

// marginsOfPower are those of x^n, whose lower powers are all columns: the terms of (x - c)^n.
func (d *derivation) marginsOfPower(at cell, columns byCells) (list []cdf.Margin) {
	n, lower := d.powers(at)
	times, centers := 1., []int(nil)
	for k := n - 1; k > 0; k-- {
		column, ok := columns.of(lower[k])
		base, based := columns.of(lower[1])
		if !ok || !based {
			return nil
		}
		times *= float64(k+1) / float64(n-k)
		centers = append(centers, base)
		list = append(list, cdf.Margin{Column: column, Centers: slices.Clone(centers), Times: times})
	}
	return list
}

// powers returns which power of something a cell is, 0 for none, and the cells of the lower ones: where there is none one that no column has.
func (d *derivation) powers(at cell) (n int, lower [highestPower]cell) {
	s := d.atoms[at.place]
	if s.several != nil {
		if n = at.field + 1; !s.several.powers || n > highestPower {
			return 0, lower
		}
		for k := 1; k < n; k++ {
			lower[k] = cell{at.place, k - 1}
		}
		return n, lower
	}
	base, n := s.power()
	if n < 2 {
		return n, lower
	}
	for k := range lower {
		lower[k] = cell{place: -1}
	}
	for _, other := range d.atoms {
		if b, k := other.power(); k > 0 && k < n && b.String() == base.String() {
			lower[k] = cell{place: other.place}
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

// Factors implements cdf.Formula: a column as it is may hold text.
func (f *Formula) Factors() bool {
	return f.dots || slices.ContainsFunc(f.explicit, func(a *atom) bool { return a.factor != nil || a.several == nil && a.node.op == opName })
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
