package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/dist"
)

// posterior is what follows from the state of a Model and is not part of it.
type posterior struct {
	bidiagonal
	near
	series
	ready    bool
	stamp    uint64        // tells it from any other of the configuration, 0: not settled
	m        []float64     // p x p row-major: the basis M below
	l, g     []float64     // p: while the rows are few, the pivots at the plug-in; l: with many, the squared lengths of the rows of M
	beta     []float64     // p: posterior mean
	shape    float64       // a'' = a + (N - p_eff)/2
	law      dist.Standard // quantiles of the standardised laws
	evidence float64       // log p(D_1..t), valid where known
	known    bool
	peaks    struct {
		of               uint64 // stamp
		left, right, top float64
	}
}

// The posterior's covariance at the plug-in is the basis M times its
// transpose, where M is the inverse of a triangular factor. While the rows are
// few, all sigma2 are wanted: then M is D^{-1} V, and the covariance is
// M (I + B'B/sigma2)^{-1} M', or M is that of series.

func (q *posterior) init(p int) {
	buf := make([]float64, p*p+7*p)
	next := func(n int) []float64 {
		x := buf[:n:n]
		buf = buf[n:]
		return x
	}
	q.m, q.beta, q.l, q.g = next(p*p), next(p), next(p), next(p)
	q.a, q.c, q.a2, q.c2 = next(p), next(p), next(p), next(p)
	// Of the form and the series there is one at a time.
	q.h, q.spread = [4][]float64{q.l, q.g, q.a, q.c}, [2][]float64{q.a2, q.c2}
}

// basis is M, where that is upper triangular.
func (q *posterior) basis() lin.Triangle { return lin.Upper(len(q.beta), q.m) }

// decompose finds what the sums over the data are taken from. It reports whether the factor
// is finite.
func (m *Model) decompose(w *work) bool {
	q := &m.post
	q.ready, q.known, q.stamp, q.s0 = false, false, 0, 0
	if !lin.Finite(m.r...) {
		return false
	}
	switch {
	case !m.early():
		return m.P >= nearColumns && m.expand(w) || m.form(w)
	case m.P >= seriesColumns && m.expandEarly(w):
		return true
	}
	return m.form(w)
}

// form takes R D^{-1} to bidiagonal form. It reports whether it is finite.
func (m *Model) form(w *work) bool {
	q, p := &m.post, m.P
	q.s0 = 0
	r := m.coded(w)
	m.sort(w)
	stride := lin.BidiagonalStride(p)
	for i := range p {
		src, row := r[lin.PackedRow(p+1, i):lin.PackedRow(p+1, i+1)], lin.Row(w.a, stride, i)
		row[0] = src[p-i]
		for k, j := range w.order {
			row[k+1] = 0
			if j >= i {
				row[k+1] = float64(src[j-i] * w.sd[j])
			}
		}
	}
	lin.Bidiagonal(p, w.a, q.a, w.z, w.c, w.lin)
	q.b = w.z[0]
	copy(q.c, w.z[1:])
	rho := m.r[len(m.r)-1]
	q.rho2 = float64(rho * rho)
	if m.early() {
		lin.RightVectors(p, w.a, w.c, q.m, w.lin)
		copy(w.a, q.m)
		for k, j := range w.order {
			row := lin.Row(q.m, p, j)
			copy(row, lin.Row(w.a, p, k))
			lin.Scale(w.sd[j], row)
		}
		m.levels.Rows(p, q.m, w.z)
	}
	return q.square()
}

// coded returns the factor of the rows for coefficients that are independent a priori: times U, where there are levels.
func (m *Model) coded(w *work) []float64 {
	if len(m.levels) == 0 {
		return m.r
	}
	w.coded = append(w.coded[:0], m.r...)
	m.levels.Columns(m.P, w.coded, w.weights)
	return w.coded
}

// sort orders the columns of R D^{-1} by length, longest first. So reflections
// leave the digits of short columns beside long ones: what they take from a
// column is as small as it is.
func (m *Model) sort(w *work) {
	m.lengths(w)
	for k := range w.order {
		w.order[k] = k
	}
	slices.SortStableFunc(w.order, func(i, j int) int { return cmp.Compare(w.z[j], w.z[i]) })
}

// lengths writes those of the columns of R D^{-1} into w.z, squared.
func (m *Model) lengths(w *work) {
	lin.Packed(m.P, m.P+1, m.coded(w)).ColumnSquares(w.sd, w.z)
}

// fixedPoint iterates the plug-in
//
//	s2 <- (b + (RSS(beta^) + tr(X'X Sigma^))/2) / (a + N/2)
//
// from the stored one, or from where the posterior was expanded, and settles it there. It reports
// whether the result is a number.
//
// Steps shrink by a constant factor in the end: near the fixed point the rest of them
// is added at once (Aitken, Proc. R. Soc. Edinb. 46 (1926) 289), from where the
// iteration goes on.
func (m *Model) fixedPoint(w *work) bool {
	q := &m.post
	if m.n == 0 {
		m.s2 = 0
		m.settle(w)
		return true
	}
	s2 := m.s2
	if q.s0 > 0 {
		s2 = q.s0
	} else if s2 == 0 {
		y2 := 0.0
		for i := range m.P + 1 {
			z := m.r[lin.PackedRow(m.P+1, i)+m.P-i]
			y2 += float64(z * z)
		}
		s2 = max(y2/m.n, 1e-200)
	}
	before := 0.0 // the step before, 0: of a new start
	for range 1000 {
		next := m.next(s2)
		step := next - s2
		s2 = next
		if math.Abs(step) < 1e-10*next {
			break
		}
		shrink := step / before
		if before = step; shrink > 0 && shrink < 0.8 && math.Abs(step) < 0.05*next {
			s2 += step * (shrink / (1 - shrink))
			before = 0
		}
	}
	m.s2 = s2
	if !(s2 > 0 && s2 < mostVariance) {
		return false
	}
	m.settle(w)
	return lin.Finite(q.beta...)
}

// next returns the plug-in that follows from one.
func (m *Model) next(s2 float64) float64 {
	rss, effective := m.post.ridge(s2)
	return (m.prior.Sigma2Rate + 0.5*(rss+float64(s2*effective))) / (m.prior.Sigma2Shape + m.n/2)
}

// plugin returns s2, which is b/a before the first row.
func (m *Model) plugin() float64 {
	if m.n == 0 {
		return m.prior.Sigma2Rate / m.prior.Sigma2Shape
	}
	return m.s2
}

// settle computes the posterior at the plug-in.
func (m *Model) settle(w *work) {
	q, s2 := &m.post, m.plugin()
	_, effective := q.ridge(s2)
	q.shape = m.prior.Sigma2Shape + 0.5*(m.n-effective)
	switch {
	case m.inSeries():
		m.settleSeries(w)
	case m.early():
		q.pivots(s2, q.l, q.g, w.c)
		for i := range q.beta {
			q.beta[i] = lin.Dot(lin.Row(q.m, m.P, i), w.c)
		}
	case q.s0 > 0:
		m.move(w)
		q.basis().RowSquares(q.l)
	default:
		m.invert(w)
		q.basis().RowSquares(q.l)
	}
	q.ready, q.stamp = true, m.scratch.stamps.Add(1)
}

// invert finds M and the mean at the plug-in.
func (m *Model) invert(w *work) {
	m.invertAt(w, m.s2)
	m.scale(w, 1)
}

// invertAt finds M and the mean, in w.c, in units of the prior, from the triangular factor of
// R D^{-1}/sqrt(s) on top of the prior's I: other than by way of V, the size of a column does
// not matter to the digits of the others.
func (m *Model) invertAt(w *work, s float64) {
	q, p := &m.post, m.P
	scale := 1 / math.Sqrt(s)
	for j, sd := range w.sd {
		w.scales[j] = float64(sd * scale)
	}
	w.scales[p] = scale
	lin.Packed(p+1, p+1, m.coded(w)).ScaleColumns(w.scales, lin.Packed(p+1, p+1, w.factor))
	lin.Ridge(p, w.factor, w.lin)
	lin.InvertPacked(p, w.factor, q.m)
	for i := p - 1; i >= 0; i-- {
		row := w.factor[lin.PackedRow(p+1, i):lin.PackedRow(p+1, i+1)]
		w.c[i] = (row[p-i] - lin.Dot(row[1:p-i], w.c[i+1:])) / row[0]
	}
}

// scale takes M and the mean from units of the prior to those of the columns, M by as much more.
func (m *Model) scale(w *work, by float64) {
	q, p := &m.post, m.P
	for i, sd := range w.sd {
		q.beta[i] = float64(sd * w.c[i])
		lin.Scale(by*sd, q.m[i*p+i:(i+1)*p])
	}
	m.levels.Times(q.beta)
	m.levels.Rows(p, q.m, w.z)
}

// The sums over the data at s, by what decompose has found.

func (q *posterior) joint(twice float64, s, f, work []float64) {
	if q.s0 > 0 {
		q.near.joint(twice, s, f)
	} else {
		q.bidiagonal.joint(twice, s, f, work)
	}
}

func (q *posterior) ridge(s float64) (rss, effective float64) {
	if q.s0 > 0 {
		return q.near.ridge(s)
	}
	return q.bidiagonal.ridge(s)
}

func (q *posterior) slopes(s float64) (first, second float64) {
	if q.s0 > 0 {
		return q.near.slopes(s)
	}
	return q.bidiagonal.slopes(s)
}

// pull returns -g'/2 by log s, of g(s) = E[beta' V0^{-1} beta | s]. It follows from the slopes and the trace of K, p less what is
// effective: g' = -2 (first + second) - tr K.
func (q *posterior) pull(s float64) float64 {
	if q.s0 > 0 {
		return q.near.pull(s)
	}
	return q.bidiagonal.pull(s)
}

func (q *posterior) derivatives(s, f1, f2, f3 []float64) {
	if q.s0 > 0 {
		q.near.derivatives(s, f1, f2, f3)
	} else {
		q.bidiagonal.derivatives(s, f1, f2, f3)
	}
}

// atPlugin takes a functional in the basis M to one where the posterior at the
// plug-in has the covariance I.
func (m *Model) atPlugin(c []float64) {
	if !m.early() {
		return
	}
	q := &m.post
	reduce(q.l, c)
	for i, g := range q.g {
		c[i] *= math.Sqrt(g)
	}
}

// reduce takes a functional c in the basis M to one of coordinates that are independent given sigma2, by the pivots l.
func reduce(l, c []float64) {
	for i := len(c) - 2; i >= 0; i-- {
		c[i] -= float64(l[i] * c[i+1])
	}
}

// draw fills the draws from the closed form, or from the exact posterior
// while the rows are few, as the summary does:
//
//	beta = D^{-1} V x, x ~ N(mean at sigma2, sigma2 (B'B + sigma2)^{-1}), or mean + M z sigma/s
func (m *Model) draw(s *cdf.Step, w *work) error {
	q := &m.post
	sigma := s.Draws.Row(m.P)
	early := m.early()
	switch {
	case m.n == 0:
		for k := range sigma {
			sigma[k] = rnd.InvGamma(s.RNG, m.prior.Sigma2Shape, m.prior.Sigma2Rate)
		}
	case early:
		m.fillNodes(&w.nodes)
		w.nodes.accumulate(m)
		for k := range sigma {
			sigma[k] = math.Exp(w.nodes.quantile(m, s.RNG.Float64()))
		}
	default:
		for k := range sigma {
			sigma[k] = rnd.InvGamma(s.RNG, q.shape, q.shape*m.s2)
		}
	}
	if m.inSeries() {
		m.drawSeries(s, w, sigma)
		return nil
	}
	c, l, g := w.c, w.l, w.g
	for k, v := range sigma {
		for j := range c {
			c[j] = s.RNG.NormFloat64()
		}
		if early {
			q.pivots(v, l, g, w.z)
			q.sample(v, l, g, c)
		} else {
			lin.Scale(math.Sqrt(v/m.s2), c)
		}
		for i := range m.P {
			x := lin.Dot(lin.Row(q.m, m.P, i), c)
			if !early {
				x += q.beta[i]
			}
			s.Draws.Row(i)[k] = x
		}
	}
	return nil
}
