package probit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/probit"
)

// smcSettings are the settings of SMC for the probit model.
type smcSettings struct {
	Prior probit.Prior `yaml:"prior" json:"prior"`
	// Particles is their number, N.
	Particles int `yaml:"particles" json:"particles"`
}

func buildSMC(s *smcSettings) (kind.Build, error) {
	if err := s.Prior.Validate(); err != nil {
		return nil, err
	}
	if s.Particles < 2 {
		return nil, fmt.Errorf("smc: particles must be at least 2, got %d", s.Particles)
	}
	return func(d cdf.Dims) (cdf.Model, error) { return newSMC(*s, d) }, nil
}

const (
	smcRows = 64 // rows that meet all particles at once
	// smcRidge times the prior variance is added to the covariance of the
	// proposal. It has no influence on a cloud of particles that is alive, and
	// one that has collapsed to a subspace keeps a density.
	smcRidge = 1e-6
)

// smc is iterated batch importance sampling (Chopin, Biometrika 89,
// 2002), which the paper calls SMC-CH, for the probit model: particles from
// the prior gain the likelihood of every shard as weight. Where the effective
// number of particles falls below N/2 they are resampled, systematically, and
// each makes one step of an independence Metropolis-Hastings kernel that
// leaves the posterior of all rows so far as it is, with
// N(weighted mean, weighted covariance) of the particles to propose from.
//
// With a discount lambda < 1 a row of age k counts lambda^k: the target is
// the prior times these powers of the likelihood.
type smc struct {
	probit.Columns
	p, n int

	// The state.
	x     []float64 // rows x p: xs of all rows, oldest first
	power []float64 // rows: how often each counts
	beta  []float64 // N x p: the particles, none before the first step
	logw  []float64 // N: their log weights, the largest 0
	fit   []float64 // N: their log likelihoods, all rows with their powers

	weight []float64 // N: exp(logw) to sum 1

	failed error // of Absorb
	work   smcWork
}

// smcWork is scratch space.
type smcWork struct {
	lines       []float64 // smcRows x N
	beta, noise []float64 // N x p
	fit         []float64 // N
	weighted    []float64 // N x p
	mean        []float64 // p
	cov         []float64 // p x p, then its factor
	values      []float64 // N
	order       []int     // N
}

func newSMC(s smcSettings, d cdf.Dims) (*smc, error) {
	columns, err := probit.NewColumns(s.Prior, d)
	if err != nil {
		return nil, err
	}
	p, n := len(d.Columns), s.Particles
	m := &smc{
		Columns: columns, p: p, n: n,
		weight: make([]float64, n),
		work: smcWork{
			lines: make([]float64, smcRows*n),
			beta:  make([]float64, n*p), noise: make([]float64, n*p), weighted: make([]float64, n*p),
			fit: make([]float64, n), values: make([]float64, n), order: make([]int, n),
			mean: make([]float64, p), cov: make([]float64, p*p),
		},
	}
	return m, nil
}

// Blocks returns the single block {beta}.
func (m *smc) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb weighs the particles by the shard and moves them if too few count.
func (m *smc) Absorb(s *cdf.Step) {
	old, n := len(m.power), s.Shard.Observed()
	if m.beta == nil {
		m.scatter(s.RNG)
	}
	if s.Forget < 1 {
		lin.Scale(s.Forget, m.power)
		lin.Axpy(s.Forget-1, m.fit, m.logw)
		lin.Scale(s.Forget, m.fit)
	}
	m.x, _ = m.Signed(m.x, s.Shard, 0, n)
	for range n {
		m.power = append(m.power, 1)
	}
	fresh := m.work.fit
	m.likelihood(m.beta, old, fresh)
	lin.Axpy(1, fresh, m.logw)
	lin.Axpy(1, fresh, m.fit)
	if m.failed = m.weigh(); m.failed == nil && 1/lin.Dot(m.weight, m.weight) < float64(m.n)/2 {
		m.failed = m.move(s.RNG)
	}
}

// scatter draws the particles from the prior.
func (m *smc) scatter(r *rand.Rand) {
	m.beta, m.logw, m.fit = make([]float64, m.n*m.p), make([]float64, m.n), make([]float64, m.n)
	rnd.Normals(r, m.beta)
	for i := range m.beta {
		m.beta[i] *= math.Sqrt(m.Variance(i % m.p))
	}
}

// likelihood overwrites fit with the log likelihood of the rows from first on,
// for each of the N vectors of coefficients.
func (m *smc) likelihood(beta []float64, first int, fit []float64) {
	clear(fit)
	for i := first; i < len(m.power); i += smcRows {
		h := min(smcRows, len(m.power)-i)
		lin.MulT(h, m.n, m.p, m.x[i*m.p:(i+h)*m.p], beta, m.work.lines)
		for r := range h {
			for k, v := range lin.Row(m.work.lines, m.n, r) {
				fit[k] += float64(m.power[i+r] * normal.LogCDF(v))
			}
		}
	}
}

// weigh brings the log weights to a largest one of 0 and computes the weights.
func (m *smc) weigh() error {
	top, sum := math.Inf(-1), 0.0
	for _, v := range m.logw {
		top = max(top, v)
	}
	for k := range m.logw {
		m.logw[k] -= top
		m.weight[k] = math.Exp(m.logw[k])
		sum += m.weight[k]
	}
	if !lin.Finite(m.logw...) || !(sum >= 1) {
		return fmt.Errorf("%w: smc: weights not finite", cdf.ErrNumeric)
	}
	lin.Scale(1/sum, m.weight)
	return nil
}

// move resamples the particles and lets each make one step.
func (m *smc) move(r *rand.Rand) error {
	w := &m.work
	if err := m.proposal(); err != nil {
		return err
	}
	m.resample(r)
	clear(m.logw)
	for k := range m.weight {
		m.weight[k] = 1 / float64(m.n)
	}
	// Row k of noise is L^-1 (proposal - mean), of weighted the same for the
	// particle.
	rnd.Normals(r, w.noise)
	lin.MulT(m.n, m.p, m.p, w.noise, w.cov, w.beta)
	for k := range m.n {
		lin.Axpy(1, w.mean, lin.Row(w.beta, m.p, k))
		here := lin.Row(w.weighted, m.p, k)
		copy(here, lin.Row(m.beta, m.p, k))
		lin.Axpy(-1, w.mean, here)
		lin.SolveLower(m.p, w.cov, here)
	}
	m.likelihood(w.beta, 0, w.fit)
	for k := range m.n {
		at, to := lin.Row(m.beta, m.p, k), lin.Row(w.beta, m.p, k)
		here, there := lin.Row(w.weighted, m.p, k), lin.Row(w.noise, m.p, k)
		ratio := w.fit[k] - m.fit[k] + m.logPrior(to) - m.logPrior(at) +
			.5*(lin.Dot(there, there)-lin.Dot(here, here))
		if math.Log(1-r.Float64()) < ratio {
			copy(at, to)
			m.fit[k] = w.fit[k]
		}
	}
	return nil
}

// proposal computes the mean and, in cov, the factor L of the covariance of
// the proposal, zero above the diagonal.
func (m *smc) proposal() error {
	w, p := &m.work, m.p
	clear(w.mean)
	clear(w.cov)
	for k, v := range m.weight {
		lin.Axpy(v, lin.Row(m.beta, p, k), w.mean)
	}
	for k, v := range m.weight {
		row, scaled := lin.Row(w.beta, p, k), lin.Row(w.weighted, p, k)
		copy(row, lin.Row(m.beta, p, k))
		lin.Axpy(-1, w.mean, row)
		copy(scaled, row)
		lin.Scale(v, scaled)
	}
	lin.AddGram(m.n, p, w.weighted, w.beta, w.cov)
	for j := range p {
		w.cov[j*p+j] += smcRidge * m.Variance(j)
		clear(w.cov[j*p+j+1 : (j+1)*p])
	}
	if !lin.Cholesky(p, w.cov) {
		return fmt.Errorf("%w: smc: covariance of the particles not positive definite", cdf.ErrNumeric)
	}
	return nil
}

// resample replaces the particles by copies of them, each as often as its
// weight says to within one (systematic resampling).
func (m *smc) resample(r *rand.Rand) {
	w := &m.work
	m.pick(r.Float64(), m.n, func(i, k int) {
		copy(lin.Row(w.beta, m.p, i), lin.Row(m.beta, m.p, k))
		w.fit[i] = m.fit[k]
	})
	copy(m.beta, w.beta)
	copy(m.fit, w.fit)
}

// pick calls f for i = 0 .. count-1 with the particle k in which (i + u)/count
// falls when their weights are laid out one after the other.
func (m *smc) pick(u float64, count int, f func(i, k int)) {
	k, sum := 0, m.weight[0]
	for i := range count {
		for at := (float64(i) + u) / float64(count); sum < at && k < m.n-1; {
			k++
			sum += m.weight[k]
		}
		f(i, k)
	}
}

// logPrior returns the log density of the prior, up to a constant.
func (m *smc) logPrior(beta []float64) float64 {
	v := 0.0
	for j, b := range beta {
		v -= .5 * b * b / m.Variance(j)
	}
	return v
}

// Sample draws from the particles, as often as their weights say, in random
// order, where draws are asked for.
func (m *smc) Sample(s *cdf.Step) error {
	if m.failed != nil || s.Draws == nil {
		return m.failed
	}
	order := s.RNG.Perm(s.Draws.S)
	m.pick(s.RNG.Float64(), s.Draws.S, func(i, k int) {
		for j, v := range lin.Row(m.beta, m.p, k) {
			s.Draws.Row(j)[order[i]] = v
		}
	})
	return nil
}
