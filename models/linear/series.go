package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

// series is the posterior at all sigma2 that matter while the rows are few, where the data tell enough of all columns
// to expand it about s0 of near. With M in units of the prior, G = M'M and d = s/s0 - 1 a functional c of beta, a = M'D c, has
//
//	the mean      a'(h0 - d (h1 - d (h2 - d h3)))   h0 = M^{-1}b, h1 = M'b, h2 = M'Kb, h3 = M'KKb
//	the variance  (1+d)(a'a - d (a'Ga - d a'GGa))
//
// given sigma2. The diagonals of K, KK and KKK have those of the coefficients. It takes the place of the bidiagonal form and its
// vectors: 7/3 p^3 operations, all in products.
type series struct {
	h      [4][]float64 // p each
	spread [2][]float64 // of each coefficient a'Ga and a'GGa
}

const (
	// seriesColumns is the number of columns from which a series is tried. With fewer the form is as fast.
	seriesColumns = 64
	// nearestLaw bounds what the log evidence loses by the series, on average over the law of sigma2. At 97.5 % the
	// quantile of sigma2 is off by 17 times that, in its sds.
	nearestLaw = 5e-12
	// seriesFar is how many sds of log sigma2 above its mean nodes may lie.
	seriesFar = 12
)

// inSeries reports that the posterior is expanded while the rows are few.
func (m *Model) inSeries() bool { return m.post.s0 > 0 && m.early() }

// expandEarly makes near and series, and leaves M in q.m and the mean at s0 in q.beta, in units of the columns. It reports
// false where the form is needed, which is settled by factor, rows and prior.
//
// With lambda the largest eigenvalue of K, which is at most the fourth root of the trace of K^4, and v the variance of log
// sigma2, on average over the law of sigma2
//
//	3 v^2/8 tr K^4 + 3 v^2/2 lambda b'KKb,  3 v^2 lambda (b'K^5 b)^(1/2),  1.6 v^(3/2) lambda^3
//
// are left out in log evidence, in means in units of their sds, and relative to variances, 1.6 being E|z|^3 and 3 E z^4 of a
// standard normal z.
func (m *Model) expandEarly(w *work) bool {
	q, p := &m.post, m.P
	e, more := &q.near, m.n-float64(p)
	if !(more > 0) {
		return false
	}
	s0, _, most := m.start(w)
	variance := 2 / more
	sd, square := math.Sqrt(variance), variance*variance
	third, far := 1.6*variance*sd, math.Expm1(seriesFar*sd)
	fits := func(lambda float64) bool { return third*lambda*lambda*lambda < nearest && far*lambda < within }
	// Columns that have nothing to do with each other have the first.
	apart := 1 - math.Sqrt(float64(p)/m.n)
	if !(sd < broad && fits(most/(apart*apart)) && fits(m.weakest(w, s0))) {
		return false
	}
	m.invertAt(w, s0)
	most, e.trace[0] = 0, 0
	for i := range p {
		row := q.m[i*p+i : (i+1)*p]
		k := lin.Dot(row, row)
		most = max(most, k)
		e.trace[0] += k
	}
	if !fits(most) {
		return false
	}
	fourth := q.multiply(p, w)
	lambda := math.Sqrt(math.Sqrt(fourth))
	// The last column of the factor is h0, and M h0 = b.
	for i := range p {
		q.h[0][i] = w.factor[lin.PackedRow(p+1, i)+p-i]
	}
	basis := q.basis()
	basis.TimesT(w.c, q.h[1])
	basis.Times(q.h[1], w.l)
	basis.TimesT(w.l, q.h[2])
	basis.Times(q.h[2], w.g)
	basis.TimesT(w.g, q.h[3])
	e.bb = [3]float64{lin.Dot(w.c, w.c), lin.Dot(q.h[1], q.h[1]), lin.Dot(w.l, w.l)}
	if !(fits(lambda) && 3*square*lambda*math.Sqrt(lin.Dot(q.h[3], q.h[3])) < nearest &&
		square*(0.375*fourth+1.5*lambda*e.bb[2]) < nearestLaw) {
		return false
	}
	if !m.finish(w, s0) || !m.onlyPeak() || !(math.Abs(m.next(s0)-s0) < 0.1*sd*s0) {
		return false
	}
	m.scale(w, 1)
	m.spreadLevels(w)
	for i, sd := range w.sd {
		for _, s := range q.spread {
			s[i] *= float64(sd * sd)
		}
	}
	return true
}

// weakest returns what K is in about the direction that the data tell least of, or of a column given those before it: no more
// than its largest eigenvalue. Triangular systems lead to the direction, of which the first has a right side
// of signs that make its solution grow (Cline, Moler, Stewart and Wilkinson, SIAM J. Numer. Anal. 16 (1979) 368).
func (m *Model) weakest(w *work, s0 float64) float64 {
	p, x, sum, r := m.P, w.c, w.z, m.coded(w)
	least := math.Inf(1)
	for i, sd := range w.sd {
		v := float64(r[lin.PackedRow(p+1, i)] * sd)
		least = min(least, float64(v*v))
	}
	for step := range 2 {
		clear(sum)
		for i, sd := range w.sd {
			row := r[lin.PackedRow(p+1, i):]
			v := float64(sd * sum[i])
			if step == 0 {
				x[i] = -math.Copysign(1, v)
			}
			x[i] = (x[i] - v) / float64(sd*row[0])
			lin.Axpy(x[i], row[:p-i], sum[i:])
		}
		above := lin.Dot(x, x)
		for i := p - 1; i >= 0; i-- {
			row := r[lin.PackedRow(p+1, i):]
			x[i] = (x[i] - lin.Dot(row[1:p-i], x[i+1:])) / row[0]
		}
		for i, sd := range w.sd {
			x[i] /= sd
		}
		below := lin.Dot(x, x)
		least = min(least, above/below)
		lin.Scale(1/math.Sqrt(below), x)
	}
	return s0 / (s0 + least)
}

// multiply fills in the traces of KK and KKK and their diagonals, and returns the trace of K^4.
func (q *posterior) multiply(p int, w *work) (fourth float64) {
	w.square = lin.Grow(w.square, p*p)
	k, square := w.a[:p*p], w.square
	lin.OuterUpper(p, q.m, k)
	lin.Mirror(p, k)
	lin.GramT(p, p, k, square)
	two, three := q.spread[0], q.spread[1]
	clear(three)
	for i := range p {
		a, b := k[i*p:i*p+i], square[i*p:i*p+i]
		sum := 0.0
		for j, v := range b {
			t := float64(a[j] * v)
			three[j] += t
			sum += t
		}
		v := square[i*p+i]
		two[i] = v
		three[i] += sum + float64(k[i*p+i]*v)
		fourth += 2*lin.Dot(b, b) + float64(v*v)
	}
	q.trace[1], q.trace[2] = 0, 0
	for i, v := range two {
		q.trace[1] += v
		q.trace[2] += three[i]
	}
	return fourth
}

// spreadLevels takes the diagonals of KK and KKK that multiply has left to those of U KK U' and U KKK U', for the coefficients of levels.
func (m *Model) spreadLevels(w *work) {
	if len(m.levels) == 0 {
		return
	}
	p, k, square := m.P, w.a[:m.P*m.P], w.square
	lin.Mirror(p, square)
	m.levels.Rows(p, k, w.z)
	m.levels.Rows(p, square, w.z)
	for _, s := range m.levels {
		for i := s.First; i < s.First+s.Columns; i++ {
			a, b := lin.Row(k, p, i), lin.Row(square, p, i)
			m.post.spread[0][i], m.post.spread[1][i] = lin.Dot(a, a), lin.Dot(a, b)
		}
	}
}

// onlyPeak reports that f has one maximum, below 2 s0. With E(s) what the residual sum of squares of the ridge fit is above
// the least, its slope in log s and a bound of its curvature are, shape and rate as in start,
//
//	(rate + E(s)/2)/s - shape - tr K/2,  (E(s)/2 - rate)/s
//
// E grows by less than the square of s, and is no more than what the fit takes off: E(s)/s <= (b2 E(s0))^(1/2)/s0.
func (m *Model) onlyPeak() bool {
	q := &m.post
	rate, shape := m.prior.Sigma2Rate+0.5*q.rho2, m.prior.Sigma2Shape+0.5*(m.n-float64(m.P))
	return 2*q.excess < rate && 0.5*(rate+math.Sqrt(q.b2*q.excess))/q.s0 < shape
}

// covers reports whether the series has the posterior at s, which it has at the plug-in that follows from the factor.
func (q *posterior) covers(s float64) bool {
	d := s/q.s0 - 1
	return d*d*q.trace[1] < 1e-4 && math.Abs(d*d*d)*q.trace[2] < nearest
}

// center adds the mean at d in the basis M to x.
func (q *posterior) center(d float64, x []float64) {
	power := 1.0
	for _, h := range q.h {
		lin.Axpy(power, h, x)
		power *= -d
	}
}

// third is the derivative of the second of slopes.
func (e *near) third(s float64) float64 {
	d := s/e.s0 - 1
	up := 1 + d
	square := e.bb[0] - d*(2*e.bb[1]-3*d*e.bb[2])
	bends := -up * (2*e.bb[1] - 6*d*e.bb[2])
	turns := bends + 6*up*up*e.bb[2]
	quadratic := (e.excess + e.s0*(e.bb[0]+d*(e.bb[0]-d*(e.bb[1]-d*e.bb[2])))) / s
	rises := up * (e.trace[0] - d*(e.trace[1]-d*e.trace[2]))
	return -0.5 * (rises - up*up*(3*(e.trace[1]-2*d*e.trace[2])-2*up*e.trace[2]) + turns - bends + square - quadratic)
}

// derivatives is that of the bidiagonal form.
func (e *near) derivatives(s, f1, f2, f3 []float64) {
	for k, v := range s {
		f1[k], f2[k] = e.slopes(v)
		f3[k] = e.third(v)
	}
}
