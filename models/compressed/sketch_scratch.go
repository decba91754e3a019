package compressed

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf/lin"
)

// sketchWork is scratch space of at most R = min(r, p) + max(r, 100) + 1
// rows, and for M'M of many more, shared through a pool. Only the solution of a stored state, under the
// name of its model and version, outlives the call that took it.
type sketchWork struct {
	p, max     int
	x, y       []float64 // rows of a pass, then centred ones and one more
	base, mean []float64 // p
	m          []float64 // R x p: B over the new rows
	rows       int       // in x, then in m
	products   []float64 // R^2: m m' or m'm
	turned     []float64 // eigenvectors of m m' or m'm as rows, in their place
	vals       []float64 // their eigenvalues, falling
	order      []int
	untold     []int // see ridge
	eigen      []float64
	vh2        []float64 // (v_k'h)^2
	vectors    []float64 // selected eigenvectors
	flip       bool      // the eigenvectors are of m'm
	near       bool      // m has not all of the curvature
	v1, v2     []float64 // max(R, p)
	delta      []float64 // min(r, p): what truncate takes off the kept directions
	over       []float64 // min(r, p): curvature along them that B does not have
	share      []float64 // min(r, p): the same over their curvature

	now      curvature // of the present pass
	whole    *whole    // nil before a shard of many rows
	together *together
	solution solution // of the present pass
	stored   solution // of the state
	ridge    ridge    // of the state
	few      handful  // of the state that stored is the solution of
	of       *Sketch
	version  uint64
}

// solution is (S + I/kappa)^{-1} = D^{-1} - T'T, D = c + 1/kappa.
type solution struct {
	rows int
	inv  []float64 // p: 1/D
	root []float64 // p: its square root
	t    []float64 // rows x p: T D^{1/2}, T = L^{-1} M D^{-1}
	l    []float64 // rows x rows, lower: LL' = I + M D^{-1} M'
	left []float64 // rows x rows: the inverse of L
	diag []float64 // p: the diagonal of the inverse
	u    []float64 // rows: scratch

	block, product []float64 // rows x chunk
}

func newSketchScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(sketchWork) }} }

// work takes scratch space for this model's size; the caller gives it back.
func (m *Sketch) work() *sketchWork {
	w := m.scratch.Get().(*sketchWork)
	if w.p == m.P {
		return w
	}
	p, most, kept := m.P, m.most(), min(m.rank, m.P)
	rows := kept + most + 1
	side := max(rows, p)
	*w = sketchWork{p: p, max: rows}
	w.x, w.y = make([]float64, (most+1)*p), make([]float64, most+1)
	w.base, w.mean = make([]float64, p), make([]float64, p)
	w.m = make([]float64, rows*p)
	small := min(rows, p)
	w.products = make([]float64, rows*rows)
	w.vals, w.order, w.vh2 = make([]float64, side), make([]int, side), make([]float64, side)
	w.eigen = make([]float64, lin.EigenWork(side))
	w.vectors = make([]float64, kept*small)
	w.delta, w.over, w.share = make([]float64, kept), make([]float64, kept), make([]float64, kept)
	w.together, w.few = newTogether(p, kept), newHandful(p)
	w.untold = make([]int, 0, p)
	w.v1, w.v2 = make([]float64, side), make([]float64, side)
	w.now = stack{w}
	w.solution.init(rows, p)
	w.stored.init(kept, p)
	return w
}

// side is the order of the eigenvalue problem.
func (w *sketchWork) side() int {
	if w.flip {
		return w.p
	}
	return w.rows
}

func (s *solution) init(rows, p int) {
	s.inv, s.root, s.diag = make([]float64, p), make([]float64, p), make([]float64, p)
	s.t, s.l, s.left, s.u = make([]float64, rows*p), make([]float64, rows*rows), make([]float64, rows*rows), make([]float64, rows)
	s.block, s.product = make([]float64, rows*chunk), make([]float64, rows*chunk)
}

// factor fills D and L for a diagonal c and the matrix a, rows x p. It
// reports whether the numbers are finite.
func (s *solution) factor(rows, p int, a, c []float64, kappa float64) bool {
	s.rows = rows
	for j, v := range c {
		s.inv[j] = 1 / (v + 1/kappa)
		s.root[j] = math.Sqrt(s.inv[j])
	}
	for i := range rows {
		row := lin.Row(s.t, p, i)
		for j, v := range lin.Row(a, p, i) {
			row[j] = v * s.root[j]
		}
	}
	lin.GramT(rows, p, s.t, s.l)
	for i := range rows {
		s.l[i*rows+i]++
	}
	return lin.FactorInverse(rows, s.l, s.left)
}

// expand completes t, which factor left as M D^{-1/2}, and returns
// sum_j (1 - A_jj/kappa), the number of coefficients that the data determine.
func (s *solution) expand(p int, kappa float64) float64 {
	for j := 0; j < p; j += chunk {
		n := min(chunk, p-j)
		for i := range s.rows {
			copy(lin.Row(s.block, n, i), s.t[i*p+j:])
		}
		lin.MulLower(s.rows, n, s.left, s.block, s.product)
		for i := range s.rows {
			copy(s.t[i*p+j:], lin.Row(s.product, n, i))
		}
	}
	clear(s.diag)
	for i := range s.rows {
		for j, v := range lin.Row(s.t, p, i) {
			s.diag[j] += float64(v * v)
		}
	}
	effective := 0.
	for j, v := range s.diag {
		s.diag[j] = s.inv[j] * max(1-v, 0x1p-53)
		effective += 1 - s.diag[j]/kappa
	}
	return effective
}

// solve writes g = (S + I/kappa)^{-1} h for M = a after factor, before or
// after expand: g = D^{-1}(h - M'(LL')^{-1} M D^{-1} h).
func (s *solution) solve(p int, a, h, g, scratch []float64) {
	z := scratch[:p]
	for j, v := range h {
		z[j] = v * s.inv[j]
	}
	for i := range s.rows {
		s.u[i] = lin.Dot(lin.Row(a, p, i), z)
	}
	lin.SolveLower(s.rows, s.l, s.u[:s.rows])
	lin.SolveLowerT(s.rows, s.l, s.u[:s.rows])
	copy(z, h)
	for i := range s.rows {
		lin.Axpy(-s.u[i], lin.Row(a, p, i), z)
	}
	for j, v := range z {
		g[j] = v * s.inv[j]
	}
}

// quadratic returns z'Az and overwrites z, after expand.
func (s *solution) quadratic(p int, z []float64) float64 {
	for j, v := range z {
		z[j] = v * s.root[j]
	}
	all := lin.Dot(z, z)
	return max(all-lin.SumSquares(s.t[:s.rows*p], z), 0x1p-53*all)
}

// solve makes w.stored that of the model's state.
func (m *Sketch) solve(w *sketchWork) error {
	if w.of == m && w.version == m.version {
		return nil
	}
	w.of, w.together.found.serial = nil, 0
	w.few.known = false
	kappa := math.Exp(m.logKappa)
	if !w.stored.factor(m.rows, m.P, m.b, m.c, kappa) {
		return errSketch("precision not positive definite")
	}
	w.stored.expand(m.P, kappa)
	w.of, w.version = m, m.version
	return nil
}

// solved returns the posterior in scratch space, which release gives back.
func (m *Sketch) solved() (*ridge, error) {
	w := m.work()
	if err := m.solve(w); err != nil {
		m.scratch.Put(w)
		return nil, err
	}
	return m.posterior(w), nil
}

func (m *Sketch) release(r *ridge) { m.scratch.Put(r.inverse) }

func (m *Sketch) absorbed() bool { return m.weight > 0 }

// constant reports whether the column was the same in all rows.
func (m *Sketch) constant(column int) bool { return m.ss[column] == 0 }

// posterior returns the posterior after solve.
func (m *Sketch) posterior(w *sketchWork) *ridge {
	w.untold = appendUntold(w.untold[:0], m.P, m.constant)
	w.ridge = ridge{
		untold: w.untold, kappa: math.Exp(m.logKappa),
		params: &m.Shape, law: m.law.At(m.shape), shape: m.shape, rate: m.rate, ybar: m.ybar, weight: m.weight,
		g: m.g, xbar: m.xbar, scale: m.scale, diag: w.stored.diag, z: w.v1[:m.P], rows: w.together, inverse: w, few: &w.few,
	}
	return &w.ridge
}

func (w *sketchWork) quadratic(z []float64) float64 { return w.stored.quadratic(w.p, z) }

func (w *sketchWork) quadratics(n int, z, dst []float64) {
	s, p := &w.stored, w.p
	var all [chunk]float64
	for i := range n {
		row := lin.Row(z, p, i)
		for j, v := range row {
			row[j] = v * s.root[j]
		}
		all[i] = lin.Dot(row, row)
	}
	w.together.squares(n, s.rows, p, z, s.t, dst)
	for i := range n {
		dst[i] = max(all[i]-dst[i], 0x1p-53*all[i])
	}
}
