// Package collinear finds columns of X that determine each other, in what models keep of
// the rows.
package collinear

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// determined is the part of a column's sum of squares that others may leave of a
	// column that they determine: a hundredth of its sd, and an interval that is a
	// hundred times as long as that of the column alone.
	determined = 1e-4
	// leastSquares is a column's sum of squares below which its rows are too few to tell it
	// from others: ten rows of a level, or of a column with an sd of 1.
	leastSquares = 10
	// takesPart is the share of a determined column's sd from which on another one takes
	// part in it.
	takesPart = .02
)

// enough reports whether so many rows may tell p columns apart. The rest of a column
// unrelated to the others is then Beta((n-p)/2, (p-1)/2), if they are normal: it is below
// determined with a probability of 1e-20 or less.
func enough(rows float64, p int) bool { return rows >= float64(2*p+10) }

// Finder is scratch for columns to be found in, of any model. Its zero value is ready.
type Finder struct {
	members      []bool    // by column
	coefficients []float64 // of a determined column in those before it
	ones         []float64
	squares      []float64 // by column
	factor       []float64 // packed
}

// Append appends the columns that determine each other, ascending. r is the upper
// triangular factor of X'X, or of a matrix whose first p columns are X, packed with
// rows of order, order-1, ... numbers; column 0 is the intercept where there is one, and
// is never appended. It changes nothing.
//
// A column is determined by those before it where the factor leaves little on its
// diagonal: of any columns that determine each other the last one is.
func (w *Finder) Append(dst []int, r []float64, order, p int, intercept bool, rows float64) []int {
	if !enough(rows, p) {
		return dst
	}
	f := factor{r: r, order: order}
	if intercept {
		f.first = 1
	}
	w.members = slices.Grow(w.members[:0], p)[:p]
	w.coefficients = slices.Grow(w.coefficients[:0], p)[:p]
	clear(w.members)
	if len(w.ones) != p {
		w.ones, w.squares = slices.Repeat([]float64{1}, p), make([]float64, p)
	}
	f.squares = w.squares
	if f.first < p {
		own := lin.Packed(p-f.first, order-f.first, r[lin.PackedRow(order, f.first):])
		own.ColumnSquares(w.ones, f.squares[f.first:])
	}
	for j := f.first; j < p; j++ {
		if f.determined(j) {
			f.mark(j, w.members, w.coefficients)
		}
	}
	for j, member := range w.members {
		if member {
			dst = append(dst, j)
		}
	}
	return dst
}

// AppendGram is Append of the lower triangle of X'X, row-major with rows of stride
// numbers.
func (w *Finder) AppendGram(dst []int, gram []float64, stride, p int, intercept bool, rows float64) []int {
	if !enough(rows, p) {
		return dst
	}
	room := slices.Grow(w.factor[:0], lin.PackedLen(p))[:lin.PackedLen(p)]
	w.factor = room
	for i := range p {
		for j, row := 0, room[lin.PackedRow(p, i):][:p-i]; j < len(row); j++ {
			row[j] = gram[(i+j)*stride+i]
		}
	}
	for i := range p {
		row := room[lin.PackedRow(p, i):][:p-i]
		if !(row[0] > 1e-12*gram[i*stride+i]) {
			clear(row) // what is left of it is rounding
			continue
		}
		lin.Scale(1/math.Sqrt(row[0]), row)
		for j := i + 1; j < p; j++ { // take it out of the rows below
			lin.Axpy(-row[j-i], row[j-i:], room[lin.PackedRow(p, j):][:p-j])
		}
	}
	return w.Append(dst, room, p, p, intercept, rows)
}

// factor is upper triangular; rows before first are those of the intercept.
type factor struct {
	r            []float64
	order, first int
	squares      []float64 // of each column the sum, about its mean where there is an intercept
}

func (f *factor) at(i, j int) float64 { return f.r[lin.PackedRow(f.order, i)+j-i] }

// determined reports whether the columns before it leave little of column j.
func (f *factor) determined(j int) bool {
	rest, all := f.at(j, j), f.squares[j]
	return all >= leastSquares && rest*rest < determined*all
}

// mark marks a determined column and those before it that take part in it. Those that are
// determined themselves have no coefficient. coefficients is scratch.
func (f *factor) mark(j int, members []bool, coefficients []float64) {
	members[j] = true
	least := takesPart * math.Sqrt(f.squares[j])
	clear(coefficients[:j])
	for i := j - 1; i >= f.first; i-- {
		if f.at(i, i) == 0 || f.determined(i) {
			continue
		}
		v := f.at(i, j)
		for k := i + 1; k < j; k++ {
			v -= float64(f.at(i, k) * coefficients[k])
		}
		coefficients[i] = v / f.at(i, i)
		if math.Abs(coefficients[i])*math.Sqrt(f.squares[i]) > least {
			members[i] = true
		}
	}
}
