package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/dist"
)

// posterior is what follows from the state of a Model and is not part
// of it. With D = V0^{-1/2}, R D^{-1} = U diag(d) V' and g = U'z, everything
// published is a sum over the p directions of V.
type posterior struct {
	ready    bool
	m        []float64     // p x p row-major: D^{-1} V
	d2       []float64     // p: d_j^2
	dg       []float64     // p: d_j g_j
	g2       []float64     // p: g_j^2, 0 where d_j is 0
	rho2     float64       // residual sum of squares at the least squares fit
	shrink   []float64     // p: 1/(1+kappa_j), kappa_j = d_j^2/s2
	beta     []float64     // p: posterior mean
	shape    float64       // a'' = a + (N - p_eff)/2
	law      dist.Standard // quantiles of the standardised laws
	evidence float64       // log p(D_1..t), valid where known
	known    bool
}

func (q *posterior) init(p int) {
	buf := make([]float64, p*p+5*p)
	next := func(n int) []float64 {
		x := buf[:n:n]
		buf = buf[n:]
		return x
	}
	q.m, q.d2, q.dg, q.g2, q.shrink, q.beta = next(p*p), next(p), next(p), next(p), next(p), next(p)
}

// decompose finds the singular values of R D^{-1}. It reports whether the
// factor is finite.
func (m *Model) decompose(w *work) bool {
	q, p := &m.post, m.P
	q.ready, q.known = false, false
	if !lin.Finite(m.r...) {
		return false
	}
	clear(w.a)
	z := w.z
	for i := range p {
		row := m.r[lin.PackedRow(p+1, i):lin.PackedRow(p+1, i+1)]
		for j := i; j < p; j++ {
			w.a[j*p+i] = row[j-i] * math.Sqrt(m.variance(j))
		}
		z[i] = row[p-i]
	}
	d := q.d2
	if !lin.SVD(p, w.a, w.v, d, w.svd) {
		return false
	}
	rho := m.r[len(m.r)-1]
	q.rho2 = float64(rho * rho)
	full := true
	for j := range p {
		col := lin.Row(w.a, p, j)
		q.dg[j] = lin.Dot(col, z)
		q.d2[j] = float64(d[j] * d[j])
		q.g2[j] = 0
		if q.d2[j] < 1e-280 {
			q.d2[j], q.dg[j], full = 0, 0, false
			continue
		}
		g := q.dg[j] / math.Sqrt(q.d2[j])
		q.g2[j] = float64(g * g)
	}
	if !full {
		// Directions that no row has touched leave part of z unexplained.
		for j := range p {
			if q.d2[j] > 0 {
				lin.Axpy(-q.dg[j]/q.d2[j], lin.Row(w.a, p, j), z)
			}
		}
		q.rho2 += lin.Dot(z, z)
	}
	for i := range p {
		sd := math.Sqrt(m.variance(i))
		for j := range p {
			q.m[i*p+j] = sd * w.v[j*p+i]
		}
	}
	return lin.Finite(q.d2...) && lin.Finite(q.dg...) && lin.Finite(q.g2...) && q.rho2 < math.Inf(1)
}

// fixedPoint iterates the plug-in
//
//	s2 <- (b + (RSS(beta^) + tr(X'X Sigma^))/2) / (a + N/2)
//
// from the stored one and settles the posterior there. It reports whether
// the result is a number.
func (m *Model) fixedPoint() bool {
	q := &m.post
	if m.n == 0 {
		m.s2 = 0
		m.settle()
		return true
	}
	s2 := m.s2
	if s2 == 0 {
		y2 := 0.0
		for i := range m.P + 1 {
			z := m.r[lin.PackedRow(m.P+1, i)+m.P-i]
			y2 += float64(z * z)
		}
		s2 = max(y2/m.n, 1e-200)
	}
	a, b := m.prior.Sigma2Shape+m.n/2, m.prior.Sigma2Rate
	for range 1000 {
		rss, trace := q.rho2, 0.0
		for j, d2 := range q.d2 {
			h := 1 / (s2 + d2)
			k := float64(s2 * h)
			rss += float64(q.g2[j] * float64(k*k))
			trace += float64(d2 * h)
		}
		next := (b + 0.5*(rss+float64(s2*trace))) / a
		change := math.Abs(next - s2)
		s2 = next
		if change < 1e-10*next {
			break
		}
	}
	m.s2 = s2
	m.settle()
	return s2 > 0 && s2 < math.Inf(1) && lin.Finite(q.beta...)
}

// plugin returns s2, which is b/a before the first row.
func (m *Model) plugin() float64 {
	if m.n == 0 {
		return m.prior.Sigma2Rate / m.prior.Sigma2Shape
	}
	return m.s2
}

// settle computes the posterior at the plug-in.
func (m *Model) settle() {
	q, s2 := &m.post, m.plugin()
	effective := 0.0
	clear(q.beta)
	for j, d2 := range q.d2 {
		h := 1 / (s2 + d2)
		q.shrink[j] = 1 / (1 + d2/s2)
		effective += float64(d2 * h)
		u := float64(q.dg[j] * h)
		for i := range q.beta {
			q.beta[i] += float64(q.m[i*m.P+j] * u)
		}
	}
	q.shape = m.prior.Sigma2Shape + 0.5*(m.n-effective)
	q.ready = true
}

// draw fills the draws from the closed form, or from the exact posterior
// while the rows are few, as the summary does:
//
//	beta = D^{-1} V (mean in direction j + sd in direction j * z_j)
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
			sigma[k] = math.Exp(w.nodes.quantile(s.RNG.Float64()))
		}
	default:
		for k := range sigma {
			sigma[k] = rnd.InvGamma(s.RNG, q.shape, q.shape*m.s2)
		}
	}
	c := w.c
	for k, v := range sigma {
		for j, d2 := range q.d2 {
			z := s.RNG.NormFloat64()
			if early {
				c[j] = float64(q.dg[j]/(v+d2)) + z/math.Sqrt(1+d2/v)
			} else {
				c[j] = float64(q.dg[j]/(m.s2+d2)) + z*math.Sqrt(v/m.s2*q.shrink[j])
			}
		}
		for i := range m.P {
			s.Draws.Row(i)[k] = lin.Dot(lin.Row(q.m, m.P, i), c)
		}
	}
	return nil
}
