package linear

import (
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/dist"
)

// nodeMixture is a law given the data, mixed over the nodes of sigma2.
type nodeMixture struct {
	dist.NormalMixture
	s []float64 // sigma2 of each component
	// p x components: the pivots at each and the mean of V'D beta there.
	l, g, mean []float64
	means, v   []float64 // rows x components: of the rows that were asked for together
	none       []float64 // zeros
	// Of a series:
	inverse      []float64 // p: inverses of the prior sds
	u, t, scaled []float64 // rows x p: M a and Ga; the former by the prior sds
}

// mixNodes fills the nodes and the mixture's weights from every second of
// them: of a bend, those that count.
func (m *Model) mixNodes(w *work) {
	m.fillNodes(&w.nodes)
	from, to := w.nodes.counting()
	m.mix(w, &w.nodes, from, to, stride)
}

// mixFar is mixNodes of what is predicted.
func (m *Model) mixFar(w *work) {
	m.fillFar(&w.far, stride)
	m.mix(w, &w.far, 0, len(w.far.l), stride/w.far.step)
}

func (m *Model) mix(w *work, n *nodes, from, to, step int) {
	x := &w.mix
	k := (to-1-from)/step + 1
	x.Size(k)
	x.s = lin.Grow(x.s, k)
	sum := 0.0
	for i := range k {
		x.s[i], x.W[i] = n.s[from+step*i], n.weight(from+step*i)
		sum += x.W[i]
	}
	lin.Scale(1/sum, x.W)
	if m.post.s0 > 0 {
		return
	}
	x.l, x.g, x.mean = lin.Grow(x.l, k*m.P), lin.Grow(x.g, k*m.P), lin.Grow(x.mean, k*m.P)
	m.post.factors(x.s, x.l, x.g, x.mean)
}

// mixRows finds the means and variances of c'(V'D beta) given the data and
// sigma2, for each of the rows of c. The variance is
// (W^{-1}c)' diag(g) W^{-1}c.
func (m *Model) mixRows(x *nodeMixture, rows int, c []float64) {
	k := len(x.s)
	x.means, x.v = lin.Grow(x.means, rows*k), lin.Grow(x.v, rows*k)
	if m.post.s0 > 0 {
		m.mixSeries(x, rows, c)
		return
	}
	lin.Mul(rows, k, m.P, c, x.mean, x.means)
	clear(x.v)
	lin.PivotSquares(rows, m.P, k, c, x.l, x.g, x.v)
}

// take sets the mixture to the law of shift + c'(V'D beta) given the data, c a
// row of those before; with noise, of that plus an N(0, sigma2) error.
func (x *nodeMixture) take(row int, shift float64, noise bool) {
	k := len(x.s)
	mean := x.Mean[:k]
	for i, v := range lin.Row(x.means, k, row) {
		mean[i] = shift + v
	}
	more := x.s
	if !noise {
		x.none = lin.Grow(x.none, k)
		more = x.none
	}
	vec.Roots(x.SD, x.Inv, lin.Row(x.v, k, row), more)
}

// plainly reports that the law of a row, as take makes it with noise, has surely more than 1e-6 on both sides of y: a component with a weight of
// plain or more has 3e-5 where y is within four of its sds.
func (x *nodeMixture) plainly(row int, y float64) bool {
	const plain, sds = .05, 4
	k := len(x.s)
	means, v := lin.Row(x.means, k, row), lin.Row(x.v, k, row)
	for i, w := range x.W[:k] {
		if e := y - means[i]; w >= plain && e*e < sds*sds*(v[i]+x.s[i]) {
			return true
		}
	}
	return false
}
