package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// nodeMixture is a law given the data, mixed over the nodes of sigma2.
type nodeMixture struct {
	dist.NormalMixture
	s, precision []float64 // sigma2 of each component and 1/sigma2
	inv          []float64 // p x components: 1/(1 + d^2/sigma2), the shrinkage of the directions of V
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
	x.s, x.precision, x.inv = lin.Grow(x.s, k), lin.Grow(x.precision, k), lin.Grow(x.inv, k*m.P)
	sum := 0.0
	for i := range k {
		x.s[i], x.W[i] = n.s[step*i], n.weight(step*i)
		x.precision[i] = 1 / x.s[i]
		sum += x.W[i]
	}
	for j, d2 := range m.post.d2 {
		inv := lin.Row(x.inv, k, j)
		for i, v := range x.precision {
			inv[i] = 1 / (1 + d2*v)
		}
	}
	lin.Scale(1/sum, x.W)
}

// mixAt sets the mixture to the law of shift + c' (V D beta) given the data,
// c in the directions of V; with noise, of that plus an N(0, sigma2) error.
func (m *Model) mixAt(x *nodeMixture, c []float64, shift float64, noise bool) {
	mean, v := x.Mean, x.SD[:len(x.Mean)]
	clear(mean)
	clear(v)
	if noise {
		copy(v, x.s)
	}
	for j, cj := range c {
		a, b := cj*m.post.dg[j], cj*cj
		for i, shrink := range lin.Row(x.inv, len(mean), j)[:len(mean)] {
			mean[i] += a * shrink
			v[i] += b * shrink
		}
	}
	for i, t := range x.precision[:len(mean)] {
		mean[i], v[i] = shift+mean[i]*t, math.Sqrt(v[i])
	}
}
