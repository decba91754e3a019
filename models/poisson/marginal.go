package poisson

import (
	"math"
	"sort"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// nodes is the number of equal nodes over l = log s2.
	nodes = 41
	// refine is how many cells the spline makes of one.
	refine = 16
	// window is the half width of the nodes to begin with, windowMax the
	// greatest.
	window, windowMax = 2.5, 12
)

// variance is the marginal of one variance s2 by its density over
// l = log s2 on equal nodes, nu integrated analytically and other variances
// at their precisions under q. q itself has too narrow a law for s2.
type variance struct {
	l, f []float64 // nodes and log density relative to its largest
	h    float64
	// fine, cum: nodes of the refined density and its integral up to them, the
	// last one 1.
	fine, cum []float64
	second    []float64 // second derivatives of the spline
}

// place lays the nodes about the center: a side is widened by 1 while its end
// has more than 1e-4 of the weight at the center, in the second moment of s2
// above it, and halved while the middle of it has less than e^-25, as it has
// with very many levels.
func (v *variance) place(center float64, logDensity func(l float64) (float64, bool)) bool {
	top, ok := logDensity(center)
	if !ok {
		return false
	}
	var end [2]float64
	for side, direction := range [2]float64{-1, 1} {
		at := float64(window)
		value := func(d float64) float64 {
			f, good := logDensity(center + direction*d)
			ok = ok && good
			top = max(top, f)
			return f - top + 2*max(direction*d, 0)
		}
		if edge := value(at); edge > math.Log(1e-4) {
			for at < windowMax && edge > math.Log(1e-4) {
				at = min(at+1, windowMax)
				edge = value(at)
			}
		} else {
			for at > 1e-6 && value(at/2) < -25 {
				at /= 2
			}
		}
		end[side] = center + direction*at
	}
	v.l, v.f = lin.Grow(v.l, nodes), lin.Grow(v.f, nodes)
	v.h = (end[1] - end[0]) / (nodes - 1)
	top = math.Inf(-1)
	for i := range v.l {
		v.l[i] = end[0] + float64(i)*v.h
		f, good := logDensity(v.l[i])
		ok = ok && good
		v.f[i] = f
		top = max(top, f)
	}
	for i := range v.f {
		v.f[i] -= top
	}
	v.accumulate()
	return ok
}

// spread returns the sd of l.
func (v *variance) spread() float64 { return v.sd(func(l float64) float64 { return l }) }

// sd returns that of a function of l. Of the log density of the prior it is by how many of its own sds a functional moves at most per power of the prior.
func (v *variance) sd(of func(l float64) float64) float64 {
	sum, mean, square := 0.0, 0.0, 0.0
	first := of(v.l[0])
	for i, f := range v.f {
		w := math.Exp(f)
		d := of(v.l[i]) - first
		sum += w
		mean += w * d
		square += w * d * d
	}
	mean /= sum
	return math.Sqrt(max(square/sum-mean*mean, 0))
}

// moments returns mean and sd of s2: sums over the nodes, and beyond the last
// one the integral of the power of s2 by which the density of l falls there, at
// least the given one, by which it falls in the end; NaN where there is none.
func (v *variance) moments(power float64) (mean, sd float64) {
	n := len(v.f)
	ends := power
	power = max(power, (v.f[n-2]-v.f[n-1])/v.h)
	end, s := math.Exp(v.f[n-1])/v.h, math.Exp(v.l[n-1])
	sum := end / power
	for i, f := range v.f {
		w := v.weight(i, f)
		sum += w
		mean += w * math.Exp(v.l[i])
	}
	if !(ends > 1) {
		return math.NaN(), math.NaN()
	}
	mean = (mean + end*s/(power-1)) / sum
	if !(ends > 2) {
		return mean, math.NaN()
	}
	for i, f := range v.f {
		d := math.Exp(v.l[i]) - mean
		sd += v.weight(i, f) * d * d
	}
	sd += end * (s*s/(power-2) - 2*mean*s/(power-1) + mean*mean/power)
	return mean, math.Sqrt(sd / sum)
}

// settles reports whether E exp(c s2) is told by the nodes: the last of them does not matter.
func (v *variance) settles(c float64) bool {
	sum, last := 0.0, 0.0
	for i, f := range v.f {
		last = math.Exp(f + float64(c*math.Exp(v.l[i])))
		sum += last
	}
	return last <= 0.01*sum && !math.IsInf(sum, 1)
}

// weight returns e^f at node i by the trapezoid rule.
func (v *variance) weight(i int, f float64) float64 {
	if i == 0 || i == len(v.f)-1 {
		return 0.5 * math.Exp(f)
	}
	return math.Exp(f)
}

// accumulate refines the log density by a natural cubic spline and integrates
// it.
func (v *variance) accumulate() {
	n := nodes
	v.second = lin.Grow(v.second, 2*n)
	m, c := v.second[:n], v.second[n:]
	m[0], m[n-1], c[0] = 0, 0, 0
	// (h/6) m[i-1] + (2h/3) m[i] + (h/6) m[i+1] = second difference / h
	for i := 1; i < n-1; i++ {
		d := 6 * (v.f[i-1] - 2*v.f[i] + v.f[i+1]) / (v.h * v.h)
		p := 4 - c[i-1]
		c[i] = 1 / p
		m[i] = (d - m[i-1]) / p
	}
	for i := n - 2; i > 0; i-- {
		m[i] -= c[i] * m[i+1]
	}
	cells := (n - 1) * refine
	v.fine, v.cum = lin.Grow(v.fine, cells+1), lin.Grow(v.cum, cells+1)
	last := 0.0
	for i := range cells + 1 {
		cell := min(i/refine, n-2)
		b := float64(i)/refine - float64(cell)
		a := 1 - b
		f := a*v.f[cell] + b*v.f[cell+1] + ((a*a*a-a)*m[cell]+(b*b*b-b)*m[cell+1])*v.h*v.h/6
		v.fine[i] = v.l[0] + float64(i)*v.h/refine
		p := math.Exp(f)
		if i == 0 {
			v.cum[0] = 0
		} else {
			v.cum[i] = v.cum[i-1] + 0.5*(last+p)
		}
		last = p
	}
	for i := range v.cum {
		v.cum[i] /= v.cum[cells]
	}
}

// quantile returns the p-quantile of l.
func (v *variance) quantile(p float64) float64 {
	i := min(max(sort.SearchFloat64s(v.cum, p), 1), len(v.cum)-1)
	step := v.cum[i] - v.cum[i-1]
	if !(step > 0) {
		return v.fine[i]
	}
	return v.fine[i-1] + (v.fine[i]-v.fine[i-1])*(p-v.cum[i-1])/step
}
