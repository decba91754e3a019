package linear

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
)

// accumulate integrates e up to every node, by the polynomials of degree 7
// that have its values and first three derivatives at the ends of the cells.
func (w *nodes) accumulate(m *Model) {
	k := len(w.l)
	w.cum, w.series, w.work = lin.Grow(w.cum, k), slices.Grow(w.series[:0], k)[:k], lin.Grow(w.work, 3*k)
	if w.bend != nil {
		w.accumulateBent(m)
		return
	}
	first, second, third := w.derive(m, 0, k)
	for i, e := range w.e {
		f1, f2, f3 := first[i]*w.h, second[i]*w.h*w.h, third[i]*w.h*w.h*w.h
		w.series[i] = taylor(e, f1, f2, f3)
	}
	w.cum[0] = 0
	for i := range k - 1 {
		a, b := &w.series[i], &w.series[i+1]
		w.cum[i+1] = w.cum[i] + w.h*max(0, (a[0]+b[0])/2+3*(a[1]-b[1])/28+(a[2]+b[2])/42+(a[3]-b[3])/280)
	}
}

// taylor returns the series of e^f, which is e, by the derivatives of f.
func taylor(e, f1, f2, f3 float64) [4]float64 {
	return [4]float64{e, e * f1, e * (f2 + f1*f1) / 2, e * (f3 + f1*(3*f2+f1*f1)) / 6}
}

// derive returns the first three derivatives of f by l at a range of nodes.
func (w *nodes) derive(m *Model, from, to int) (first, second, third []float64) {
	k := to - from
	first, second, third = w.work[:k], w.work[k:2*k], w.work[2*k:3*k]
	m.post.derivatives(w.s[from:to], first, second, third)
	for i, s := range w.s[from:to] {
		c := (m.prior.Sigma2Rate + 0.5*m.post.rho2) / s
		first[i], second[i], third[i] = first[i]+m.power()+c, second[i]-c, third[i]+c
	}
	return first, second, third
}

// quantile returns the p-quantile of l = log sigma2, after accumulate.
func (w *nodes) quantile(m *Model, p float64) float64 {
	if w.bend != nil {
		return w.bentQuantile(m, p)
	}
	target := p * w.cum[len(w.cum)-1]
	lo := w.cellOf(target)
	c := w.polynomial(lo)
	return w.l[lo] + w.h*c.within((target-w.cum[lo])/w.h, 0.5)
}

// cellOf returns the cell where cum reaches the target.
func (w *nodes) cellOf(target float64) int {
	lo, hi := 0, len(w.cum)-2
	for lo < hi {
		if k := (lo + hi + 1) / 2; w.cum[k] <= target {
			lo = k
		} else {
			hi = k - 1
		}
	}
	return lo
}

// within returns the part of a cell whose integral is the given one, in units
// of h, by Newton's method from u with halving where that leaves the bracket.
func (c *polynomial) within(integral, u float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		sum, value := c.at(u)
		if sum > integral {
			hi = u
		} else {
			lo = u
		}
		next := u - (sum-integral)/value
		if !(next >= lo && next <= hi) {
			next = 0.5 * (lo + hi)
		}
		if math.Abs(next-u) < 1e-8 { // what is left is of the order of its square
			return next
		}
		u = next
	}
	return u
}

// polynomial is the integrand of a cell, in units of h: a power series a, and c of
// the powers from 4 on.
type polynomial struct {
	a [4]float64
	c [5]float64
}

func (w *nodes) polynomial(i int) polynomial { return hermite(&w.series[i], &w.series[i+1]) }

// hermite returns the polynomial of degree 7 that has one series at 0 and one at 1.
func hermite(a, b *[4]float64) polynomial {
	// The polynomial is a + u^4 q, and q has at 1 the series of (b - a)/u^4.
	b0 := b[0] - a[0] - a[1] - a[2] - a[3]
	b1 := b[1] - a[1] - 2*a[2] - 3*a[3]
	b2 := b[2] - a[2] - 3*a[3]
	b3 := b[3] - a[3]
	q0, q1, q2, q3 := b0, b1-4*b0, b2-4*b1+10*b0, b3-4*b2+10*b1-20*b0
	return polynomial{*a, [5]float64{q0 - q1 + q2 - q3, q1 - 2*q2 + 3*q3, q2 - 3*q3, q3}}
}

// at returns the integral up to u and the value there.
func (p *polynomial) at(u float64) (integral, value float64) {
	a, c, u4 := &p.a, &p.c, u*u*u*u
	return u * (a[0] + u*(a[1]/2+u*(a[2]/3+u*a[3]/4)) + u4*(c[0]/5+u*(c[1]/6+u*(c[2]/7+u*(c[3]/8+u*c[4]/9))))),
		a[0] + u*(a[1]+u*(a[2]+u*a[3])) + u4*(c[0]+u*(c[1]+u*(c[2]+u*(c[3]+u*c[4]))))
}
