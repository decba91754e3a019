package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// near is what the data say near one sigma2, s0, which takes the place of the bidiagonal form where
// the rows are many and tell of all columns. With R D^{-1} as there, s = s0 (1 + d) and
//
//	K = (D^{-1}R'R D^{-1}/s0 + I)^{-1},  M M' = K,  b = D beta at s0
//
// the posterior's covariance at s is, in units of the prior, (1+d) K (I + d K)^{-1}, its mean
// (I + d K)^{-1} b. K is as small as the prior is beside the rows, and d within some sds of log
// sigma2, so that sums over the data are those of a few powers of d K: the first three of the mean and
// two of the determinant. What is left out is bounded by nearest.
//
// M is needed anyway. In place of a form of 8/3 p^3 operations are products of p^3/3.
type near struct {
	s0      float64 // 0: this is not known
	columns float64
	det     float64    // log det(D^{-1}R'R D^{-1} + s0 I)
	trace   [3]float64 // of K, KK and KKK: the square of the first or more where KK does not matter, 0 where KKK does not
	squared bool       // M'M is known
	bb      [3]float64 // b'b, b'Kb, b'KKb
	rss     float64    // residual sum of squares of the ridge fit at s0
	excess  float64    // of that above the least squares fit
}

const (
	// nearColumns is the number of columns from which the posterior is expanded.
	nearColumns = 32
	// nearest bounds what the log evidence loses by the expansion.
	nearest = 1e-10
	// faint bounds what it loses of that where the trace of KK is not known, but that it is below the square of that of K.
	faint = 1e-11
	// nearby bounds the square of d K from which M at s is not taken from that at s0.
	nearby = 1e-14
	// unmoved bounds the square of d K below which M at s is that at s0 but for its scale. It is what
	// variances lose of themselves, squared.
	unmoved = 1e-22
	// within bounds d K where sums are wanted.
	within = 0.1
)

// expand makes near and leaves M at its s0 in q.m, in units of the prior, as well as b and Kb in w.c and
// w.l and, where the trace of KK matters, M'M in w.a. It reports false where the form is needed: whether it does is settled by
// the factor, the number of rows and the prior alone.
//
// s0 is the fixed point of least squares, with the trace of K by its columns one by one.
func (m *Model) expand(w *work) bool {
	q, p := &m.post, m.P
	e := &q.near
	s0, cubes, _ := m.start(w)
	variance := 2 / (m.n - float64(p)) // of log sigma2
	third := 2. / 3 * variance * math.Sqrt(variance)
	if !(third*cubes < nearest) {
		return false
	}
	m.invertAt(w, s0)
	q.traces(variance, w)
	// M'b, then Kb.
	q.basis().TimesT(w.c, w.z)
	q.basis().Times(w.z, w.l)
	e.bb = [3]float64{lin.Dot(w.c, w.c), lin.Dot(w.z, w.z), lin.Dot(w.l, w.l)}
	largest := math.Sqrt(e.trace[1]) // K is no larger
	if !(third*e.trace[1]*largest+1.5*variance*variance*largest*e.bb[2] < nearest) {
		return false
	}
	return m.finish(w, s0)
}

// traces finds those of K and KK, of which the second adds up to half of its product with the variance of log sigma2 to the log
// evidence, and less to all else.
func (q *posterior) traces(variance float64, w *work) {
	e, p := &q.near, len(q.beta)
	e.trace = [3]float64{}
	q.basis().RowSquares(w.z)
	for _, v := range w.z {
		e.trace[0] += v
	}
	e.trace[1] = e.trace[0] * e.trace[0]
	if e.squared = !(0.5*variance*e.trace[1] < faint); !e.squared {
		return
	}
	e.trace = [3]float64{}
	lin.GramUpper(p, q.m, w.a)
	lin.Upper(p, w.a).RowSquares(w.z)
	for i, square := range w.z {
		v := w.a[i*p+i]
		e.trace[0] += v
		e.trace[1] += 2*square - v*v
	}
}

// start returns s0 and of the columns of R D^{-1} one by one the sum of the cubes of K and the greatest K.
func (m *Model) start(w *work) (s0, cubes, most float64) {
	q := &m.post
	q.rho2, q.b2 = m.squares()
	m.lengths(w)
	rate, shape := m.prior.Sigma2Rate+0.5*q.rho2, m.prior.Sigma2Shape+0.5*(m.n-float64(m.P))
	s0 = rate / shape
	trace := 0.0
	for _, v := range w.z {
		k := s0 / (s0 + v)
		trace += k
		cubes += k * k * k
		most = max(most, k)
	}
	return rate / (shape + 0.5*trace), cubes, most
}

// finish fills in what follows from the factor with the prior, and b in w.c. It reports whether all is finite.
func (m *Model) finish(w *work, s0 float64) bool {
	q, p := &m.post, m.P
	e := &q.near
	e.excess = m.misfit(w)
	e.rss = q.rho2 + e.excess
	for i := range p {
		w.z[i] = math.Abs(w.factor[lin.PackedRow(p+1, i)])
	}
	vec.Logs(w.weights, w.z)
	e.det = float64(p) * math.Log(s0)
	for _, v := range w.weights {
		e.det += 2 * v
	}
	if !lin.Finite(e.det, e.rss, e.bb[0]) {
		return false
	}
	e.s0, e.columns = s0, float64(p)
	return true
}

// squares returns the residual sum of squares of the least squares fit and what it takes off that of the
// responses.
func (m *Model) squares() (rho2, b2 float64) {
	for i := range m.P {
		z := m.r[lin.PackedRow(m.P+1, i)+m.P-i]
		b2 += float64(z * z)
	}
	rho := m.r[len(m.r)-1]
	return float64(rho * rho), b2
}

// misfit returns |z - R D^{-1}b|^2, b in w.c.
func (m *Model) misfit(w *work) float64 {
	p, sum := m.P, 0.0
	for i, sd := range w.sd {
		w.z[i] = float64(sd * w.c[i])
	}
	lin.Packed(p, p+1, m.coded(w)).Times(w.z, w.g)
	for i, fit := range w.g {
		d := m.r[lin.PackedRow(p+1, i)+p-i] - fit
		sum += float64(d * d)
	}
	return sum
}

// move takes M, b and their like of expand to the plug-in, in units of the columns. The square
// root of (I + dM'M)^{-1} that is upper triangular is I - d F to first order, F the upper triangle of M'M with half of its diagonal.
func (m *Model) move(w *work) {
	q, p := &m.post, m.P
	d := m.s2/q.s0 - 1
	away := d * d * q.trace[1]
	if !(away < nearby) {
		m.invert(w)
		return
	}
	lin.Axpy(-d, w.l, w.c)
	root := math.Sqrt(1 + d)
	if away < unmoved {
		m.scale(w, root)
		return
	}
	if !q.squared {
		lin.GramUpper(p, q.m, w.a)
	}
	for i := range p {
		row := lin.Row(w.a, p, i)
		clear(row[:i])
		diagonal := root * (1 - 0.5*d*row[i])
		lin.Scale(-d*root, row[i:])
		row[i] = diagonal
	}
	lin.MulUpper(p, q.m, w.a)
	m.scale(w, 1)
}

// reaches reports whether sums are known up to s.
func (e *near) reaches(s float64) bool {
	return e.s0 == 0 || (s/e.s0-1)*(s/e.s0-1)*e.trace[1] < within*within
}

// misfitBelow returns what the residual sum of squares of the ridge fits up to s is not above. Above the
// least squares fit it grows by less than the square of s.
func (q *posterior) misfitBelow(s float64) float64 {
	if q.s0 > 0 {
		ratio := max(1, s/q.s0)
		return q.rho2 + float64(ratio*ratio)*q.excess
	}
	rss, _ := q.bidiagonal.ridge(s)
	return rss
}

// ridge is that of the bidiagonal form.
func (e *near) ridge(s float64) (rss, effective float64) {
	d := s/e.s0 - 1
	return e.rss + e.s0*d*(2*e.bb[1]+d*(e.bb[1]-3*e.bb[2]-2*d*e.bb[2])),
		e.columns - (1+d)*(e.trace[0]-d*(e.trace[1]-d*e.trace[2]))
}

// joint is that of the bidiagonal form; work is not needed.
func (e *near) joint(twice float64, s, f []float64) {
	for k, v := range s {
		d := v/e.s0 - 1
		least := e.rss + e.s0*(e.bb[0]+d*(e.bb[0]-d*(e.bb[1]-d*e.bb[2])))
		f[k] = e.det + d*(e.trace[0]-d*(0.5*e.trace[1]-d*(1./3)*e.trace[2])) + (twice+least)/v
	}
}

// slopes are those of the bidiagonal form.
func (e *near) slopes(s float64) (first, second float64) {
	d := s/e.s0 - 1
	square := e.bb[0] - d*(2*e.bb[1]-3*d*e.bb[2]) // of the mean
	bends := -(1 + d) * (2*e.bb[1] - 6*d*e.bb[2])
	quadratic := (e.excess + e.s0*(e.bb[0]+d*(e.bb[0]-d*(e.bb[1]-d*e.bb[2])))) / s
	rises := (1 + d) * (e.trace[0] - d*(e.trace[1]-d*e.trace[2]))
	return -0.5 * (rises + square - quadratic), -0.5 * (rises - (1+d)*(1+d)*(e.trace[1]-2*d*e.trace[2]) + bends - square + quadratic)
}

// pull is posterior.pull.
func (e *near) pull(s float64) float64 {
	_, effective := e.ridge(s)
	first, second := e.slopes(s)
	return first + second + 0.5*(e.columns-effective)
}
