package compressed

import "github.com/credence-stream/credence/cdf/lin"

// curvature is M'M, M the directions that are kept and the rows that come to them: M
// itself, or what of it one matrix holds.
type curvature interface {
	// gram returns the lower triangle of M'M, p x p, in scratch space that lasts as long
	// as no effective is asked for.
	gram(p int) []float64
	// squares writes the diagonal of M'M.
	squares(dst []float64)
	// slope adds sign M'M g to dst.
	slope(g []float64, sign float64, dst []float64)
	// mode writes the mode of m at kappa, and prepares effective where it is wanted. It
	// reports whether the precision is positive definite.
	mode(m *Sketch, kappa float64, effective bool) bool
	// effective returns sum_j (1 - A_jj/kappa), the number of coefficients that the
	// data determine.
	effective(p int, kappa float64) float64
	// beyond writes by how much the curvature along the rows of b, whose squared lengths are
	// given, exceeds these.
	beyond(p int, b, squares, dst []float64)
	// partial reports whether the rows may be too few to have curvature in every direction.
	partial() bool
}

// stack is M in the rows of m.
type stack struct{ *sketchWork }

func (w stack) gram(p int) []float64 {
	clear(w.products[:p*p])
	lin.AddGram(w.rows, p, w.m, w.m, w.products)
	return w.products[:p*p]
}

func (w stack) squares(dst []float64) {
	clear(dst)
	for i := range w.rows {
		for j, v := range lin.Row(w.m, len(dst), i) {
			dst[j] += float64(v * v)
		}
	}
}

func (w stack) slope(g []float64, sign float64, dst []float64) { slope(w.rows, w.m, g, sign, dst) }

func (w stack) mode(m *Sketch, kappa float64, _ bool) bool {
	if !w.solution.factor(w.rows, m.P, w.m, m.c, kappa) {
		return false
	}
	w.solution.solve(m.P, w.m, m.h, m.g, w.v1)
	return true
}

func (w stack) effective(p int, kappa float64) float64 { return w.solution.expand(p, kappa) }

// The rows of B are eigenvectors.
func (stack) beyond(_ int, _, _, dst []float64) { clear(dst) }

func (stack) partial() bool { return true }
