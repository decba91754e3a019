package dlm

import (
	"math"

	"github.com/credence-stream/credence/cdf/vec"
)

// finer is the number of points per cell of the marginal of phi.
const finer = 16

const cells = (nodes - 1) * finer

// phiMarginal is the marginal density of eta = atanh phi between the nodes:
// its logarithm is a natural cubic spline through them.
type phiMarginal struct {
	low, h float64 // of the refined points
	cum    [cells + 1]float64
	// Of the points but the first.
	log, density [cells]float64
}

// fill takes the marginal weights of the nodes of g.
func (x *phiMarginal) fill(g *grid, weight *[nodes]float64) {
	var least, y, second, work [nodes]float64
	for i, w := range weight {
		least[i] = max(w, 1e-30)
	}
	vec.Logs(y[:], least[:])
	// Second derivatives in units of the spacing, by elimination.
	for i := 1; i < nodes-1; i++ {
		p := 0.5*second[i-1] + 2
		second[i] = -0.5 / p
		work[i] = (3*(y[i+1]-2*y[i]+y[i-1]) - 0.5*work[i-1]) / p
	}
	for i := nodes - 2; i > 0; i-- {
		second[i] = second[i]*second[i+1] + work[i]
	}
	x.low, x.h = g.low[etaAxis], g.spacing(etaAxis)/finer
	bent := &x.density // what the line between two nodes lacks, at first
	for i := range nodes - 1 {
		line, bend := (*[finer]float64)(x.log[i*finer:]), (*[finer]float64)(bent[i*finer:])
		for k := range blends {
			b := &blends[k]
			line[k] = b[0]*y[i] + b[1]*y[i+1]
			bend[k] = b[2]*second[i] + b[3]*second[i+1]
		}
	}
	vec.Standardize(bent[:], bent[:], 0, 6)
	for at, bend := range bent {
		x.log[at] = min(x.log[at]+bend, 0)
	}
	vec.Exps(x.density[:], x.log[:])
	before, sum := weight[0], 0.0
	x.cum[0] = 0
	for at, f := range x.density {
		sum += 0.5 * (before + f)
		x.cum[at+1] = sum
		before = f
	}
}

// blends are the weights in the spline, at the points of a cell, of its ends and of six times the second derivatives there.
var blends = func() (all [finer][4]float64) {
	for k := range all {
		b := float64(k+1) / finer
		a := 1 - b
		all[k] = [4]float64{a, b, a*a*a - a, b*b*b - b}
	}
	return all
}()

// quantile returns the p-quantile of phi, 0 < p < 1.
func (x *phiMarginal) quantile(p float64) float64 {
	lo, hi := 0, len(x.cum)-1
	target := p * x.cum[hi]
	for hi-lo > 1 {
		if k := (lo + hi) / 2; x.cum[k] <= target {
			lo = k
		} else {
			hi = k
		}
	}
	return math.Tanh(x.low + x.h*(float64(lo)+(target-x.cum[lo])/(x.cum[hi]-x.cum[lo])))
}

// above returns P(phi > x).
func (x *phiMarginal) above(v float64) float64 {
	switch {
	case v <= -1:
		return 1
	case v >= 1:
		return 0
	}
	last := len(x.cum) - 1
	u := min(max((math.Atanh(v)-x.low)/x.h, 0), float64(last))
	i := min(int(u), last-1)
	return 1 - (x.cum[i]+(u-float64(i))*(x.cum[i+1]-x.cum[i]))/x.cum[last]
}
