package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// nodeMixture is a law given the data, mixed over the nodes of sigma2.
type nodeMixture struct {
	dist.NormalMixture
	s []float64 // sigma2 of each component
	// p x components: the pivots at each and the mean of V'D beta there.
	l, g, mean []float64
	u          []float64 // a number for each component
}

// mixNodes fills the nodes and the mixture's weights from every second of
// them.
func (m *Model) mixNodes(w *work) {
	m.fillNodes(&w.nodes)
	m.mix(w, stride)
}

// mixFew is mixNodes that leaves the other nodes out.
func (m *Model) mixFew(w *work) {
	m.placeNodes(&w.nodes, stride)
	m.mix(w, 1)
}

func (m *Model) mix(w *work, step int) {
	n, x := &w.nodes, &w.mix
	k := (len(n.l)-1)/step + 1
	x.Size(k)
	x.s, x.u = lin.Grow(x.s, k), lin.Grow(x.u, k)
	x.l, x.g, x.mean = lin.Grow(x.l, k*m.P), lin.Grow(x.g, k*m.P), lin.Grow(x.mean, k*m.P)
	sum := 0.0
	for i := range k {
		x.s[i], x.W[i] = n.s[step*i], n.weight(step*i)
		sum += x.W[i]
		m.post.pivots(x.s[i], w.l, w.g)
		m.post.mean(x.s[i], w.l, w.g, w.c)
		for j := range m.P {
			x.l[j*k+i], x.g[j*k+i], x.mean[j*k+i] = w.l[j], w.g[j], w.c[j]
		}
	}
	lin.Scale(1/sum, x.W)
}

// mixAt sets the mixture to the law of shift + c'(V'D beta) given the data;
// with noise, of that plus an N(0, sigma2) error. The variance is
// (W^{-1}c)' diag(g) W^{-1}c.
func (m *Model) mixAt(x *nodeMixture, c []float64, shift float64, noise bool) {
	k := len(x.s)
	mean, v, u := x.Mean[:k], x.SD[:k], x.u[:k]
	for i := range u {
		mean[i], v[i], u[i] = shift, 0, 0
	}
	if noise {
		copy(v, x.s)
	}
	for j := len(c) - 1; j >= 0; j-- {
		l, g, at := lin.Row(x.l, k, j)[:k], lin.Row(x.g, k, j)[:k], lin.Row(x.mean, k, j)[:k]
		cj := c[j]
		for i, ui := range u {
			ui = cj - l[i]*ui
			u[i] = ui
			v[i] += ui * ui * g[i]
			mean[i] += cj * at[i]
		}
	}
	for i, s := range v {
		v[i] = math.Sqrt(s)
	}
}
