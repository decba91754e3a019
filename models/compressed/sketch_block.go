package compressed

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/compressed/projection"
)

// block finds the directions with the most curvature of one matrix G = M'M without all of its
// eigenvectors: those that were kept before and some more are multiplied by G and made
// orthonormal, V, and of G is taken what lies in their span,
//
//	F'F = (G V')(V G V')^{-1}(V G),
//
// which is M'M with M projected, so that G - F'F has no negative curvature and what is given
// up can be accounted for.
//
// Source: Halko, Martinsson and Tropp, Finding structure with randomness, arXiv:0909.4061,
// sections 4.5 and 5.4; the start is not random.
type block struct {
	signs    []float64 // n x p: directions where none was kept
	v        []float64 // n x p: V
	square   []float64 // n x n: products of directions
	inverse  []float64 // n x n: of their factor
	shifting []float64 // n x n
}

const (
	// moreDirections is how many directions are looked at besides those that were kept.
	moreDirections = 32
	// leastShift, relative to the greatest entry, is what is added to the diagonal of products that
	// rounding may have made indefinite.
	leastShift = 0x1p-44
)

func newBlock(rank, p int) block {
	n := min(rank+moreDirections, p)
	return block{
		signs: projection.Signs(1, n, p), v: make([]float64, n*p),
		square: make([]float64, n*n), inverse: make([]float64, n*n), shifting: make([]float64, n*n),
	}
}

// nearest makes w.m the rows F that come near to w.whole from below.
func (w *sketchWork) nearest(m *Sketch) error {
	b, p := &w.whole.block, m.P
	n, kept := len(b.signs)/p, copy(w.m, m.b)
	copy(w.m[kept:], b.signs[kept:])
	for range 2 {
		normalise(n, p, w.m)
		lin.GramT(n, p, w.m, b.square)
		if b.factor(n) == 0 {
			return errSketch("directions not found")
		}
		lin.MulLower(n, p, b.inverse, w.m, b.v)
		lin.Mul(n, p, p, b.v, w.whole.xx, w.m)
	}
	lin.MulT(n, n, p, w.m, b.v, b.square)
	shift := b.factor(n)
	if shift == 0 {
		return errSketch("directions not found")
	}
	// What was added to V G V' is added to G.
	lin.Axpy(shift, b.v[:n*p], w.m)
	lin.MulLower(n, p, b.inverse, w.m, b.v)
	copy(w.m, b.v[:n*p])
	w.rows, w.near = n, true
	return nil
}

// normalise gives the rows that are not 0 length 1.
func normalise(n, p int, x []float64) {
	for i := range n {
		row := lin.Row(x, p, i)
		if square := lin.Dot(row, row); square > 0 {
			lin.Scale(1/math.Sqrt(square), row)
		}
	}
}

// factor makes inverse that of the factor of square, of which the lower triangle is read, with
// the least shift of its diagonal that makes it positive definite. It returns the shift, 0
// where there is none.
func (b *block) factor(n int) float64 {
	top := 0.0
	for i := range n {
		top = max(top, b.square[i*n+i])
	}
	if top == 0 {
		top = 1
	}
	for shift := leastShift; shift < 1; shift *= 0x1p6 {
		copy(b.shifting, b.square[:n*n])
		for i := range n {
			b.shifting[i*n+i] += float64(shift * top)
		}
		if lin.FactorInverse(n, b.shifting, b.inverse) {
			return shift * top
		}
	}
	return 0
}
