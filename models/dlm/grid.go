package dlm

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
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
// With a mean that is not known theta and the errors are linear in it,
//
//	theta_t | mu, sigma2, y ~ N(m + r mu, v sigma2),  e = e_0 - R mu,
//
// R what r was before the observation, so two sums more integrate it out (see
// work.weigh).
//
// Node (i, j) is entry i*nodes+j, i on the axis of eta.
type grid struct {
	low, high [2]float64
	// They follow from the limits: 1-phi^2 = 1/cosh^2 eta.
	phi, q, l, cosh2, logCosh [nodes]float64
	m, v                      []float64 // nodes^2: mean of theta; its variance in units of sigma2
	sse                       []float64 // sum of e^2/F over the observations, e one-step errors
	ld                        []float64 // sum of log F, F the variance of e in units of sigma2
	r                         []float64 // d theta/d mu; nil, as the next two, where mu is known
	er, rr                    []float64 // sums of e_0 R/F and of R^2/F
}

// newGrid returns an empty grid over the full range, for a mean that is known or
// is not.
func newGrid(known bool) grid {
	const n = nodes * nodes
	var g grid
	fields := []*[]float64{&g.m, &g.v, &g.sse, &g.ld, &g.r, &g.er, &g.rr}
	if known {
		fields = fields[:4]
	}
	buf := make([]float64, len(fields)*n)
	for k, f := range fields {
		*f = buf[k*n : (k+1)*n : (k+1)*n]
	}
	g.place(fullLow, fullHigh)
	return g
}

// start puts theta_0 ~ N(0, h sigma2) on every node.
func (g *grid) start(h float64) {
	for k := range g.v {
		g.m[k], g.v[k], g.sse[k], g.ld[k] = 0, h, 0, 0
	}
	clear(g.r)
	clear(g.er)
	clear(g.rr)
}

// place sets the limits and the coordinates of the nodes.
func (g *grid) place(low, high [2]float64) {
	g.low, g.high = low, high
	for i := range nodes {
		eta := g.at(etaAxis, i)
		g.phi[i] = math.Tanh(eta)
		cosh := math.Cosh(eta)
		g.cosh2[i], g.logCosh[i] = cosh*cosh, math.Log(cosh)
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

// The places of fields that are not interpolated as they are.
const (
	vField  = 1
	seField = 2
	rrField = 6
)

func (g *grid) fields() [7][]float64 { return [7][]float64{g.m, g.v, g.sse, g.ld, g.r, g.er, g.rr} }

// finite reports whether all statistics are, and variances are positive.
func (g *grid) finite() bool {
	for _, x := range g.fields() {
		if !lin.Finite(x...) {
			return false
		}
	}
	return slices.Min(g.v) > 0
}

func (g *grid) copyFrom(o *grid) {
	to, from := g.fields(), o.fields()
	for k := range to {
		copy(to[k], from[k])
	}
	g.low, g.high, g.phi, g.q, g.l, g.cosh2, g.logCosh = o.low, o.high, o.phi, o.q, o.l, o.cosh2, o.logCosh
}

// forget discounts the likelihood. theta and the prior are left alone.
func (g *grid) forget(lambda float64) {
	lin.Scale(lambda, g.sse)
	lin.Scale(lambda, g.ld)
	lin.Scale(lambda, g.er)
	lin.Scale(lambda, g.rr)
}

// step lets time pass and then absorbs an observation, none where y is NaN.
// Several observations of one step are absorbed one after the other, without
// time between them. The factors F are multiplied into product, which flush
// turns into logarithms: one for many.
func (g *grid) step(steps, y float64, product []float64) {
	var a, s [nodes]float64
	for i, phi := range g.phi {
		a[i], s[i] = Carry(phi, steps)
	}
	f := vec.Filters{M: g.m, V: g.v, Squares: g.sse, Product: product, R: g.r, ER: g.er, RR: g.rr, Q: g.q[:], A: a[:], S: s[:]}
	if math.IsNaN(y) {
		f.Pass()
		return
	}
	if f.Observe(y) <= full {
		return
	}
	for k, p := range product {
		if p > full {
			g.ld[k] += math.Log(p)
			product[k] = 1
		}
	}
}

// full is beyond what a product of factors may grow no further.
const full = 1e150

// flush moves the logarithms of the products to ld; logs is room for them.
func (g *grid) flush(product, logs []float64) {
	vec.Logs(logs, product)
	lin.Axpy(1, logs, g.ld)
	copy(product, none[:])
}
