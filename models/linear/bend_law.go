package linear

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf/lin"
)

// The distribution function at a node of a bend is as exact as the sum of all: with S(x) = 1/2 + Si(pi x)/pi,
// the integral of a function to node k that has no frequencies above 1/(2h) is
//
//	h sum_j e_j S(k - j)
//
// (Stenger, Numerical methods based on sinc and analytic functions, 1993, section 1.7), and what is wrong of it is of the order
// of the difference between the sums over every second node. Inside of a cell is a polynomial that has this integral, and
// values and derivatives at the ends.

// mostBent is the largest number of nodes of a bend.
const mostBent = 128

// sincSums has S(mostBent - i) at i: a window of it, read upwards, is S(k - j) for all j.
var sincSums = sync.OnceValue(func() *[2 * mostBent]float64 {
	s := new([2 * mostBent]float64)
	s[mostBent] = 0.5
	for k := 1; k < mostBent; k++ {
		// Si(x) = pi/2 + Im E1(ix), by the continued fraction of E1 (Abramowitz and Stegun 5.1.22).
		z := complex(0, math.Pi*float64(k))
		f := complex128(0)
		for n := 400.0; n > 0; n-- {
			f = complex(n*n, 0) / (z + complex(2*n+1, 0) - f)
		}
		rest := imag(1/(z+1-f)) / math.Pi
		if k%2 > 0 {
			rest = -rest
		}
		s[mostBent-k], s[mostBent+k] = 1+rest, -rest
	}
	return s
})

// upTo returns the integral of e up to a node of a bend, in units of h.
func (w *nodes) upTo(k int) float64 {
	return lin.Dot(w.e, sincSums()[mostBent-k:][:len(w.e)])
}

// accumulateBent sums e up to the middle of every node, which tells the cell of a quantile, and finds the series in
// the cells that have all but a part.
func (w *nodes) accumulateBent(m *Model) {
	sum := 0.0
	for i, e := range w.e {
		w.cum[i] = sum + 0.5*e
		sum += e
	}
	const rare = 0.015
	w.fillSeries(m, w.cellOf(rare*w.total)-1, w.cellOf((1-rare)*w.total)+3)
}

// fillSeries finds the series of the nodes from and up to one.
func (w *nodes) fillSeries(m *Model, from, to int) {
	from, to = max(from, 0), min(to, len(w.e))
	w.from, w.to = from, to
	first, second, third := w.derive(m, from, to)
	for i := from; i < to; i++ {
		b, e := &w.bend.at[i], w.e[i]
		d1, d2, d3 := float64(w.sd*b.series[1]), float64(2*w.sd*b.series[2]), float64(6*w.sd*b.series[3])
		a1, a2, a3 := first[i-from], second[i-from], third[i-from]
		f1 := float64(a1*d1) + b.log1
		f2 := float64(a2*d1*d1) + float64(a1*d2) + b.log2
		f3 := float64(a3*d1*d1*d1) + float64(3*a2*d1*d2) + float64(a1*d3) + b.log3
		w.series[i] = taylor(e, f1, f2, f3)
	}
}

// bentCell returns the integral of e up to cell i, in it, and the polynomial there.
func (w *nodes) bentCell(m *Model, i int) (before, in float64, c polynomial) {
	if i < w.from || i+1 >= w.to {
		w.fillSeries(m, 0, len(w.e))
	}
	before = w.upTo(i)
	in = w.upTo(i+1) - before
	c = w.polynomial(i)
	sum, _ := c.at(1)
	c.widen(in - sum)
	return before, in, c
}

// widen adds a multiple of u^4 (1-u)^4, whose integral is 1/630.
func (c *polynomial) widen(by float64) {
	by *= 630
	for k, v := range [...]float64{1, -4, 6, -4, 1} {
		c.c[k] += by * v
	}
}

// bentQuantile is quantile.
func (w *nodes) bentQuantile(m *Model, p float64) float64 {
	target := p * w.total
	i := w.cellOf(target)
	for {
		before, in, c := w.bentCell(m, i)
		switch {
		case target < before && i > 0:
			i--
		case target > before+in && i < len(w.e)-2:
			i++
		default:
			return w.place(i, c.within(target-before, min(max((target-before)/in, 0), 1)))
		}
	}
}

// place returns l where the part u of cell i of a bend ends: of t, whose next singularity is 3.5 r away, the ends of a cell tell
// all digits inside.
func (w *nodes) place(i int, u float64) float64 {
	c := hermite(&w.bend.at[i].series, &w.bend.at[i+1].series)
	_, t := c.at(u)
	return w.mode + float64(w.sd*t)
}

// bentAbove is above.
func (w *nodes) bentAbove(m *Model, x float64) float64 {
	t := (math.Log(x) - w.mode) / (w.sd * w.bend.r)
	eta := math.Copysign(math.Sqrt(2*max(t+math.Expm1(-t), 0)), t)
	u := eta*w.bend.r/w.bend.h - w.bend.first
	switch {
	case x <= 0 || u <= 0:
		return 1
	case u >= float64(len(w.e)-1):
		return 0
	}
	i := int(u)
	before, _, c := w.bentCell(m, i)
	within, _ := c.at(u - float64(i))
	return min(max(1-(before+within)/w.total, 0), 1)
}
