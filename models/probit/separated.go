package probit

import (
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
)

// separatedRows is how many rows of a column make it worth a flag that they are
// of one class.
const separatedRows = 10

// classes counts, per column, the rows whose signed entry is positive and those
// whose is negative, discounted as the statistics are. Where one of them is
// none, the column is separated: no finite coefficient fits best (Albert and
// Anderson, Biometrika 71, 1984), its likelihood is one-sided, and no quadratic
// is close to that.
type classes []float64

func (c classes) add(x []float64, p int) {
	for ; len(x) > 0; x = x[p:] {
		for j, v := range x[:p] {
			switch {
			case v > 0:
				c[2*j]++
			case v < 0:
				c[2*j+1]++
			}
		}
	}
}

// rows returns how many rows the fullest column has.
func (c classes) rows() (most float64) {
	for j := 0; j < len(c); j += 2 {
		most = max(most, c[j]+c[j+1])
	}
	return most
}

// separated reports whether column j is, and its rows. What counts less than
// half a row is forgotten.
func (c classes) separated(j int) (rows float64, ok bool) {
	few, many := min(c[2*j], c[2*j+1]), max(c[2*j], c[2*j+1])
	return many, few < .5 && many >= .5
}

// leaving chooses k rows of the window, the oldest ones: but those in which a
// separated column is not zero stay, as far as half of the window has room for
// them.
func (m *Model) leaving(k int, w *work) []int {
	w.rows = w.rows[:0]
	if k == 0 {
		return w.rows
	}
	stay, kept := m.staying(w), 0
	for _, stays := range stay {
		if stays {
			kept++
		}
	}
	over := max(kept-m.limit/2, kept+k-m.rows())
	for i, stays := range stay {
		if stays {
			over--
			stays = over < 0
		}
		if !stays && len(w.rows) < k {
			w.rows = append(w.rows, i)
		}
	}
	return w.rows
}

// staying tells of each row of the window whether a separated column is not zero, or not its base, in it.
func (m *Model) staying(w *work) []bool {
	n := m.rows()
	w.stay = slices.Grow(w.stay[:0], n)[:n]
	clear(w.stay)
	if !m.rule.keepsSeparated {
		return w.stay
	}
	for j := range m.p {
		if _, ok := m.classes.separated(j); ok {
			for i := range w.stay {
				w.stay[i] = w.stay[i] || lin.Row(m.window.x, m.p, i)[j] != 0
			}
		} else if base, ok := m.base(j); ok {
			for i := range w.stay {
				w.stay[i] = w.stay[i] || m.beyond(base, i, j)
			}
		}
	}
	return w.stay
}

// base returns the base of column j, and whether there is one.
func (m *Model) base(j int) (float64, bool) {
	return m.edges.base(j, [2]float64{m.classes[1], m.classes[0]}) // of the intercept
}

// beyond reports whether column j of row i of the window is not its base.
func (m *Model) beyond(base float64, i, j int) bool {
	row := lin.Row(m.window.x, m.p, i)
	return row[j] != row[0]*base // the intercept has the row's sign
}

// anySeparated reports whether all of ten rows or more that a column occurs in, or is not its base, are of one
// class.
func (m *Model) anySeparated() bool {
	for j := range m.p {
		if rows, ok := m.classes.separated(j); ok && rows >= separatedRows {
			return true
		}
		base, ok := m.base(j)
		for i, rows := 0, 0; ok && i < m.rows(); i++ {
			if m.beyond(base, i, j) {
				rows++
			}
			if rows == separatedRows {
				return true
			}
		}
	}
	return false
}

// Fed implements cdf.Feeder.
func (m *Model) Fed(column int) bool { return m.classes[2*column] != 0 || m.classes[2*column+1] != 0 }
