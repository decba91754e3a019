package formula

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Why implements cdf.Derivation.
func (d *derivation) Why(b *cdf.Batch, made string, row int) (column, reason string) {
	if i := slices.IndexFunc(d.columns, func(c columnOf) bool { return c.name == made }); i >= 0 {
		for _, of := range d.columns[i].cells {
			if column, reason = d.atoms[of.place].why(b, row); reason != "" {
				return column, reason
			}
		}
		return made, cdf.DropUndefined
	}
	for i := range d.others {
		if o := &d.others[i]; o.name == made && o.x != nil {
			if column = o.x.lacks(b, row); column == "" {
				return made, cdf.DropUndefined
			}
			return column, cdf.DropMissing
		}
	}
	return made, cdf.DropMissing // a column as it came
}

// why says why an atom has no value in a row; without a reason: it has one, or is of
// numbers that are there.
func (s *settled) why(b *cdf.Batch, row int) (column, reason string) {
	switch {
	case s.levels == nil:
		if column = s.expression().lacks(b, row); column != "" {
			return column, cdf.DropMissing
		}
	case absent(b, s.column(), row):
		if s.factor != nil && s.factor.gaps {
			return "", ""
		}
		return s.column(), cdf.DropMissing
	case s.open == missing && (s.factor == nil || s.factor.part == ""):
		c, err := find(b, s.column(), "feature")
		if err != nil {
			return "", ""
		}
		if label, ok := c.Label(row); ok && s.code(label) == missing {
			return s.column(), cdf.DropUnlisted
		}
	}
	return "", ""
}

// lacks returns the first column of an expression that is missing in a row, empty for
// none.
func (n *node) lacks(b *cdf.Batch, row int) (column string) {
	n.uses(func(name string, _ use) {
		if column == "" && absent(b, name, row) {
			column = name
		}
	})
	return column
}

// absent reports whether a column has no value in a row.
func absent(b *cdf.Batch, name string, row int) bool {
	c, err := find(b, name, "")
	switch {
	case err != nil:
		return false
	case c.Type == cdf.Text:
		return c.Code[row] < 0
	}
	return math.IsNaN(c.Number[row])
}
