package compressed

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// A penalty beyond these has left what rounding can tell apart.
const (
	leastPenalty    = 1e-10
	greatestPenalty = 1e12
)

// vbWork is scratch space, shared through a pool.
type vbWork struct {
	inverse []float64 // p x p: L^{-1}
	next    []float64 // p
}

func (m *vb) work() *vbWork {
	w := m.scratch.Get().(*vbWork)
	if len(w.next) != m.p {
		*w = vbWork{inverse: make([]float64, m.p*m.p), next: make([]float64, m.p)}
	}
	return w
}

// solve iterates from the penalties at hand until none of them changes by
// more than the tolerance. After `iterations` changes it stops where it is;
// the next shard goes on from there.
func (m *vb) solve() error {
	m.ready = false
	w := m.work()
	defer m.scratch.Put(w)
	for range m.set.Iterations {
		if err := m.iterate(w); err != nil {
			return err
		}
		if m.penalties(w.next) <= m.set.Tolerance {
			m.ready = true
			return nil
		}
		copy(m.d, w.next)
	}
	return m.prepare()
}

// prepare makes the solution available that follows from the penalties.
func (m *vb) prepare() error {
	if m.ready {
		return nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.iterate(w); err != nil {
		return err
	}
	m.ready = true
	return nil
}

// iterate settles q(gamma) q(sigma2) given the penalties:
//
//	A = F + diag(d),  mu = A^{-1} f,  V = A^{-1}/E,  E = E[1/sigma2]
//	q(gamma) = N(mu, V),  q(sigma2) = IG(a + (N+p)/2, (a + (N+p)/2)/E)
//
// The two depend on each other through E alone. Alternating them,
//
//	(a + (N+p)/2)/E = b + (RSS(mu) + mu'diag(d) mu + p/E)/2,
//
// has the fixed point E = (a + N/2)/(b + (F^yy - mu'f)/2), which is taken at
// once: while N < p, going there by steps would take a hundred iterations.
func (m *vb) iterate(w *vbWork) error {
	p := m.p
	for i, d := range m.d {
		copy(m.l[i*p:i*p+i+1], m.xx[i*p:i*p+i+1])
		m.l[i*p+i] += d
	}
	if !lin.Cholesky(p, m.l) {
		return fmt.Errorf("%w: vb-gdp: precision of gamma not positive definite", cdf.ErrNumeric)
	}
	copy(m.mu, m.xy)
	lin.SolveLower(p, m.l, m.mu)
	left := max(m.yy-lin.Dot(m.mu, m.mu), 0) // F^yy - f'A^{-1}f
	lin.SolveLowerT(p, m.l, m.mu)
	lin.InvertLower(p, m.l, w.inverse)
	clear(m.v)
	for i := range p {
		for j, x := range w.inverse[i*p : i*p+i+1] {
			m.v[j] += float64(x * x)
		}
	}
	m.e = (m.set.Prior.Sigma2Shape + m.n/2) / (m.set.Prior.Sigma2Rate + left/2)
	if !(m.e > 0) || !lin.Finite(m.mu...) || !lin.Finite(m.v...) {
		return fmt.Errorf("%w: vb-gdp: solution not finite", cdf.ErrNumeric)
	}
	return nil
}

// penalties writes the penalties that follow from q(gamma) q(sigma2) and
// returns the greatest relative change. With chi_j = E E[gamma_j^2],
//
//	q(lambda_j) = Gamma(alpha+1, eta + sqrt chi_j),  q(tau_j | lambda_j) = GIG(1/2, lambda_j^2, chi_j)
//	d_j = E[1/tau_j] = (alpha+1)/(sqrt chi_j (eta + sqrt chi_j))
//
// A fully factored q(tau_j) q(lambda_j) would leave lambda_j without a law of
// known form.
func (m *vb) penalties(next []float64) float64 {
	alpha, eta, change := m.set.Prior.Alpha, m.set.Prior.Eta, 0.
	for j, d := range m.d {
		root := math.Sqrt(float64(m.e*m.mu[j]*m.mu[j]) + m.v[j])
		next[j] = min(max((alpha+1)/(root*(eta+root)), leastPenalty), greatestPenalty)
		change = max(change, math.Abs(next[j]/d-1))
	}
	return change
}

// sigmaLaw returns shape and rate of q(sigma2).
func (m *vb) sigmaLaw() (shape, rate float64) {
	shape = m.set.Prior.Sigma2Shape + (m.n+float64(m.p))/2
	return shape, shape / m.e
}

// spread returns u'V u and overwrites u.
func (m *vb) spread(u []float64) float64 {
	lin.SolveLower(m.p, m.l, u)
	return lin.Dot(u, u) / m.e
}
