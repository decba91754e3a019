package dlm

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

// nodes is the number of nodes per axis of a grid.
const nodes = 31

// The axes of a grid: eta = atanh phi and l = log q, q = tau2/sigma2. The
// limits of the full range are |phi| <= .9999 and q from 6e-6 to 22,000.
const (
	etaAxis = iota
	logAxis
)

var (
	fullLow  = [2]float64{-5, -12}
	fullHigh = [2]float64{5, 10}
)

// grid runs one Kalman filter per node of a grid of (eta, l), with sigma2
// integrated out: given the node,
//
//	theta_t | sigma2, y ~ N(m, v sigma2),  sigma2 | y ~ IG(A, b + d/q + sse/2)
//
// Node (i, j) is entry i*nodes+j, i on the axis of eta.
type grid struct {
	low, high [2]float64
	phi, q, l [nodes]float64 // follow from the limits
	m, v      []float64      // nodes^2: mean of theta; its variance in units of sigma2
	sse       []float64      // sum of e^2/F over the observations, e one-step errors
	ld        []float64      // sum of log F, F the variance of e in units of sigma2
}

// newGrid returns an empty grid over the full range.
func newGrid() grid {
	const n = nodes * nodes
	buf := make([]float64, 4*n)
	g := grid{m: buf[:n:n], v: buf[n : 2*n : 2*n], sse: buf[2*n : 3*n : 3*n], ld: buf[3*n:]}
	g.place(fullLow, fullHigh)
	return g
}

// start puts theta_0 ~ N(0, h sigma2) on every node.
func (g *grid) start(h float64) {
	for k := range g.v {
		g.m[k], g.v[k], g.sse[k], g.ld[k] = 0, h, 0, 0
	}
}

// place sets the limits and the coordinates of the nodes.
func (g *grid) place(low, high [2]float64) {
	g.low, g.high = low, high
	for i := range nodes {
		g.phi[i] = math.Tanh(g.at(etaAxis, i))
		g.l[i] = g.at(logAxis, i)
		g.q[i] = math.Exp(g.l[i])
	}
}

// at returns the coordinate of a node on an axis; the last one is the limit
// itself.
func (g *grid) at(axis, i int) float64 {
	if i == nodes-1 {
		return g.high[axis]
	}
	return g.low[axis] + float64(i)*g.spacing(axis)
}

func (g *grid) spacing(axis int) float64 { return (g.high[axis] - g.low[axis]) / (nodes - 1) }

func (g *grid) fields() [4][]float64 { return [4][]float64{g.m, g.v, g.sse, g.ld} }

func (g *grid) copyFrom(o *grid) {
	to, from := g.fields(), o.fields()
	for k := range to {
		copy(to[k], from[k])
	}
	g.low, g.high, g.phi, g.q, g.l = o.low, o.high, o.phi, o.q, o.l
}

// forget discounts the likelihood. theta and the prior are left alone.
func (g *grid) forget(lambda float64) {
	lin.Scale(lambda, g.sse)
	lin.Scale(lambda, g.ld)
}

// step lets time pass and then absorbs an observation, none where y is NaN.
// Several observations of one step are absorbed one after the other, without
// time between them. The factors F are multiplied into product, which flush
// turns into logarithms: one for many.
func (g *grid) step(steps, y float64, product []float64) {
	q := &g.q
	for i := range nodes {
		a, s := Carry(g.phi[i], steps)
		a2 := a * a
		m, v := (*[nodes]float64)(g.m[i*nodes:]), (*[nodes]float64)(g.v[i*nodes:])
		if math.IsNaN(y) {
			for j := range nodes {
				m[j] *= a
				v[j] = float64(a2*v[j]) + float64(s*q[j])
			}
			continue
		}
		sse, prod := (*[nodes]float64)(g.sse[i*nodes:]), (*[nodes]float64)(product[i*nodes:])
		for j := range nodes {
			mean := float64(a * m[j])
			p := float64(a2*v[j]) + float64(s*q[j])
			e := y - mean
			f := p + 1
			inv := 1 / f
			gain := float64(p * inv) // the variance after the observation as well
			m[j] = mean + float64(gain*e)
			v[j] = gain
			sse[j] += float64(float64(e*e) * inv)
			if f *= prod[j]; f > 1e150 {
				g.ld[i*nodes+j] += math.Log(f)
				f = 1
			}
			prod[j] = f
		}
	}
}

// flush moves the logarithms of the products to ld.
func (g *grid) flush(product []float64) {
	for k, p := range product {
		if p != 1 {
			g.ld[k] += math.Log(p)
			product[k] = 1
		}
	}
}
