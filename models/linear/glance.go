package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// above is how many times the plug-in sigma2 may be to count for a glance, and below by how much less the fall to the left is looked at.
	above = 1.5
	// counted is the least probability of sigma2 from the plug-in to above times as much, at which rows within glanced sds are not wild:
	// a tenth of what lies beyond 4.1 sds of a normal law, 2.07e-5, is twice the 1e-6 from which on they are.
	counted, glanced = .1, 4.1
)

// glance reports that no row of the shard is wild, for sure, by the posterior at the plug-in s2 alone; else nothing is known.
//
// Let s be a sigma2 in A = [s2, r s2]. A row's prediction given s has at least the sd that it has at s2, which is at least sqrt(s2), and its mean m differs from
// that at s2: with D the prior's precision, A = X'X in units of the prior and g the mean of its coefficients in them,
//
//	m(s2) - m(s) = (s - s2) c'(A + s)^{-1} g, at most (1 - s2/s) |g| sd(s)
//
// by the inequality of Cauchy and Schwarz, where sd(s)^2 = s + s c'(A + s)^{-1} c. So a row within k sqrt(s2) of m(s2) is within k + (1 - 1/r)|g| sds of all of these,
// and has what lies beyond so many sds on either side, times the probability of A.
func (m *Model) glance(w *work, sh *cdf.Shard) bool {
	q, s2 := &m.post, m.s2
	if q.s0 > 0 || !(s2 > 0) || !(m.within(above) >= counted) {
		return false
	}
	g := 0. // or more: what levels share has a wider prior
	for j, beta := range q.beta {
		v := beta / w.sd[j]
		g += v * v
	}
	near := (glanced - (1-1/above)*math.Sqrt(g)) * math.Sqrt(s2)
	for i, y := range sh.Y {
		e := y - lin.Dot(lin.Row(sh.X, m.P, i), q.beta)
		if math.Abs(e) > near || math.IsNaN(e) && !math.IsNaN(y) {
			return false
		}
	}
	return near > 0
}

// within returns what the probability of sigma2 in [s2, r s2] is not below, s2 the plug-in, 0 where it is not known. With l = log s, e^f the density of l, L = log r
// and f concave below an S, all by its values and slopes at s2 and r times as much and as little:
//
//	to the left, at most e^f(s2) max(1, e^(-L f'(s2))) (L + 1/f'(s2/r))
//	within, that below the chord: e^f(s2) L (1 - e^-d)/d, d = f(s2) - f(r s2)
//	to the right, at most e^f(r s2) (-1/f'(r s2) + log 2 + 2/shape)
//
// since f' is at most shape (hi/s - 1) everywhere, as in placePeak, so that the mass above S, which hi is not above, is at most
// that of a constant up to 2S and of what falls by shape/2 from there. f is concave below S by the argument of placePeak.
func (m *Model) within(r float64) float64 {
	q, b := &m.post, m.prior.Sigma2Rate
	shape := m.prior.Sigma2Shape + 0.5*(m.n-float64(m.P))
	if !(shape >= 1) {
		return 0
	}
	s := [3]float64{m.s2 / r, m.s2, r * m.s2}
	if !(q.misfitBelow(max(s[2], (b+0.5*(q.rho2+q.b2))/shape)) < 2*(b+q.rho2)) {
		return 0
	}
	var slope, second, third, f [3]float64
	q.derivatives(s[:], slope[:], second[:], third[:])
	for k, v := range s {
		slope[k] += m.power() + (b+0.5*q.rho2)/v
	}
	var work [6]float64
	q.joint(2*b, s[1:], f[:2], work[:])
	width := math.Log(r)
	fall := 0.5*(f[1]-f[0]) - m.power()*width
	if !(slope[0] > 0 && slope[2] < 0 && fall > 0) {
		return 0
	}
	left := math.Exp(max(0, -width*slope[1])) * (width + 1/slope[0])
	inside := width * -math.Expm1(-fall) / fall
	right := math.Exp(-fall) * (math.Ln2 + 2/shape - 1/slope[2])
	return inside / (left + inside + right)
}
