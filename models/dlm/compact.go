package dlm

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
)

// vec3 is indexed by psi = (phi, log tau2, log sigma2).
type vec3 = [3]float64

// Compact is the model of Model by conditional density filtering proper, in
// 781 bytes for a window of 50 steps: the likelihood of the steps that left the window, with
// their theta integrated out, is a quadratic in psi = (phi, log tau2, log sigma2),
//
//	h'psi - psi' info psi / 2,
//
// collected by Fisher scoring at the running estimate of psi. The posterior
// given it and the window is sampled by a random walk.
//
// Source: arXiv:1401.3632, section 3.3.1, with h(D, psi^) the score of the marginal
// likelihood (Ljung's recursive maximum likelihood) in place of plug-ins of theta.
type Compact struct {
	rowWindow
	edge   edge
	info   [3]vec3 // sum of the departed steps' information
	h      vec3
	center vec3    // running mean of psi
	cov    [3]vec3 // running covariance of psi, for proposals
	shards int64
}

// edge is the filtered law N(m, v) of theta at the boundary and its
// derivatives in psi.
type edge struct {
	m, v   float64
	dm, dv vec3
}

// NewCompact returns the model of mode compact without observations.
func NewCompact(s Settings, d cdf.Dims) (*Compact, error) {
	base, err := newRowWindow(s, d)
	if err != nil {
		return nil, err
	}
	m := &Compact{rowWindow: base}
	m.cov = [3]vec3{{.04, 0, 0}, {0, .25, 0}, {0, 0, .25}}
	return m, nil
}

// Blocks returns the single block of all parameters.
func (m *Compact) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb appends the rows to the window and discounts the departed steps.
func (m *Compact) Absorb(s *cdf.Step) {
	m.take(s.Shard)
	if s.Forget < 1 {
		for i := range m.info {
			m.h[i] *= s.Forget
			for j := range m.info[i] {
				m.info[i][j] *= s.Forget
			}
		}
	}
}

// Sample moves the chain on and lets the oldest steps leave.
func (m *Compact) Sample(s *cdf.Step) error {
	burn := 0
	if m.begin() {
		burn = runIn
	}
	psi := vec3{m.last[0], math.Log(m.last[1]), math.Log(m.last[2])}
	for i := 1; i < 3; i++ {
		psi[i] = min(max(psi[i], -farPsi), farPsi)
	}
	if m.shards++; m.shards == 1 {
		m.center = psi
	}
	var root [9]float64
	for i := range m.cov {
		for j := range i + 1 {
			root[3*i+j] = m.cov[i][j]
		}
		root[4*i] += 1e-8
	}
	if !lin.Cholesky(3, root[:]) {
		return fmt.Errorf("%w: dlm compact: covariance of proposals", cdf.ErrNumeric)
	}
	now, mean, v := m.target(psi)
	if math.IsNaN(now) || math.IsInf(now, 0) {
		return fmt.Errorf("%w: dlm compact: log posterior %v", cdf.ErrNumeric, now)
	}
	m.sum = moments{}
	var first vec3
	var second [3]vec3
	for k := -burn; k < s.Draws.S; k++ {
		// A quarter of the proposals is small, for where the walk is stuck.
		width := 1.4
		if k%4 == 0 {
			width *= 0.2
		}
		var z vec3
		rnd.Normals(s.RNG, z[:])
		next := psi
		for i := range next {
			for j := range i + 1 {
				next[i] += width * root[3*i+j] * z[j]
			}
		}
		other, mean2, v2 := m.target(next)
		if -s.RNG.ExpFloat64() < other-now {
			psi, now, mean, v = next, other, mean2, v2
		}
		if k < 0 {
			continue
		}
		m.last = vec3{psi[0], math.Exp(psi[1]), math.Exp(psi[2])}
		m.sum.add(m.last, mean, v)
		for i, x := range m.last {
			s.Draws.Row(i)[k] = x
		}
		s.Draws.Row(thetaRow)[k] = mean + math.Sqrt(v)*s.RNG.NormFloat64()
		for i := range psi {
			first[i] += psi[i] / float64(s.Draws.S)
			for j := range psi {
				second[i][j] += (psi[i] - m.center[i]) * (psi[j] - m.center[j]) / float64(s.Draws.S)
			}
		}
	}
	copy(m.hat[:], m.sum.mean[:])
	m.settle(first, second)
	if e := &m.edge; !lin.Finite(e.m, e.v) || !lin.Finite(m.sum.mean[:]...) || !m.loadable() {
		return fmt.Errorf("%w: dlm compact: statistics not finite", cdf.ErrNumeric)
	}
	return nil
}

// settle moves the running moments of psi, and lets the steps beyond the
// window leave at the new centre.
func (m *Compact) settle(first vec3, second [3]vec3) {
	gain := max(0.02, 1/float64(m.shards+2))
	for i := range second {
		for j := range second[i] {
			m.cov[i][j] += gain * (second[i][j] - m.cov[i][j])
		}
	}
	for i := range first {
		m.center[i] += gain * (first[i] - m.center[i])
	}
	m.leave()
	m.keep()
}

// leave turns the steps beyond the window into the quadratic, expanded at the
// center.
func (m *Compact) leave() {
	leaving := max(len(m.steps)-m.window, 0)
	if leaving > 0 && !m.left {
		_, v := m.boundary(math.Exp(m.center[2]))
		m.edge, m.left = edge{v: v, dv: vec3{2: v}}, true
	}
	for i := range leaving {
		g, info := m.edge.pass(&m.steps[i], m.center)
		for a := range info {
			m.h[a] += g[a]
			for b := range info[a] {
				m.info[a][b] += info[a][b]
				m.h[a] += info[a][b] * m.center[b]
			}
		}
	}
	m.m0, m.v0 = m.edge.m, m.edge.v
}

// farPsi bounds the logarithms of the variances.
const farPsi = 40

// target returns the log density of psi up to a constant, and theta's law at
// the end of the window.
func (m *Compact) target(psi vec3) (log, mean, v float64) {
	if !(math.Abs(psi[0]) < 1 && math.Abs(psi[1]) <= farPsi && math.Abs(psi[2]) <= farPsi) {
		return math.Inf(-1), 0, 0
	}
	p := &m.prior
	phi, tau2, sigma2 := psi[0], math.Exp(psi[1]), math.Exp(psi[2])
	log = p.logPhi(phi) - p.Tau2Shape*psi[1] - p.Tau2Rate/tau2 - p.Sigma2Shape*psi[2] - p.Sigma2Rate/sigma2
	for i := range psi {
		log += m.h[i] * psi[i]
		for j := range psi {
			log -= 0.5 * psi[i] * m.info[i][j] * psi[j]
		}
	}
	mean, v = m.boundary(sigma2)
	lik, mean, v := windowLikelihood(m.steps, mean, v, phi, tau2, sigma2)
	return log + lik, mean, v
}

// pass takes the boundary through one step at psi, and returns the score g of
// the step's observations and their Fisher information.
func (e *edge) pass(s *Step, psi vec3) (g vec3, info [3]vec3) {
	phi, tau2, sigma2 := psi[0], math.Exp(psi[1]), math.Exp(psi[2])
	m, p := phi*e.m, phi*phi*e.v+tau2
	var dm, dp vec3
	for i := range dm {
		dm[i], dp[i] = phi*e.dm[i], phi*phi*e.dv[i]
	}
	dm[0] += e.m
	dp[0] += 2 * phi * e.v
	dp[1] += tau2
	if s.n == 0 {
		*e = edge{m, p, dm, dp}
		return g, info
	}
	r := sigma2 / s.n
	f, res := p+r, s.mean-m
	df := dp
	df[2] += r
	k := p / f
	for i := range g {
		g[i] = dm[i]*res/f + 0.5*df[i]/f*(res*res/f-1)
		for j := range g {
			info[i][j] = dm[i]*dm[j]/f + 0.5*df[i]*df[j]/(f*f)
		}
	}
	g[2] += -(s.n-1)/2 + s.ss/(2*sigma2)
	info[2][2] += (s.n - 1) / 2
	e.m, e.v = m+k*res, p*r/f
	for i := range dm {
		dk := dp[i]/f - p*df[i]/(f*f)
		e.dm[i] = dm[i] + dk*res - k*dm[i]
		e.dv[i] = dp[i]*(1-k) - p*dk
	}
	return g, info
}
