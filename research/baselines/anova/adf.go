package anova

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// adf is assumed density filtering for the one-way analysis of variance:
// the posterior of theta = (eta, zeta), eta = log sigma2, is taken as
// N(mean, Lambda^{-1}) after every shard, mu and tau2 being integrated out,
//
//	pi(zeta) ~ (b + SS/2)^{-(a + (k-1)/2)},  SS = sum (zeta_i - mean zeta)^2
//	pi(eta) ~ exp(-alpha eta - beta e^{-eta})
//
// The first shard with rows gives mode and curvature. A later one adds its
// curvature H at the mean to Lambda, and Lambda^{-1} times its score to the
// mean: one Newton step. What the first shard makes of tau2 stays in Lambda.
//
// A group that comes later joins with the conditional prior of its level at
// the present means. Forgetting discounts Lambda, and so the prior in it.
// (k+1)(k+4)/2 numbers are propagated.
//
// Source: arXiv:1401.3632, section 3.2 (ADF), with Lambda_t for the printed
// Lambda_{t-1} in the step of the mean.
type adf struct {
	prior   anova.Prior
	mean    []float64 // k+1: eta, zeta
	lambda  []float64 // Lambda, lower triangle row by row
	shard   groups    // of the rows in hand; not part of the state
	fresh   bool      // they are the first
	ready   bool      // chol and inv are those of lambda
	score   []float64 // k+1
	chol    []float64 // (k+1) x (k+1): L, LL' = Lambda, lower triangle
	inv     []float64 // (k+1) x (k+1): L^{-1}
	trial   []float64 // packed, curvature
	blocks  []cdf.Block
	members [2]cdf.Param
}

func buildADF(s *anova.Settings) (kind.Build, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Prior.MuVariance > 0 {
		return nil, fmt.Errorf("anova adf integrates mu and tau2, which needs a flat mu: prior.mu_variance must be 0, got %v", s.Prior.MuVariance)
	}
	return func(cdf.Dims) (cdf.Model, error) { return newADF(*s), nil }, nil
}

func newADF(s anova.Settings) *adf {
	m := &adf{prior: s.Prior}
	m.blocks = []cdf.Block{m}
	return m
}

// groups returns k.
func (m *adf) groups() int { return max(len(m.mean)-1, 0) }

// Params returns sigma2 and zeta, a row per group in the order of first
// appearance.
func (m *adf) Params() []cdf.Param {
	m.members = [...]cdf.Param{{Name: "sigma2", Len: 1}, {Name: "zeta", Len: m.groups()}}
	return m.members[:]
}

// Check reports, wrapping ErrShard, a shard without its group column.
func (m *adf) Check(sh *cdf.Shard) error { return checkGroups(sh) }

// Blocks returns the single block {eta, zeta}.
func (m *adf) Blocks() []cdf.Block { return m.blocks }

// Absorb discounts Lambda, sums up the shard's rows by group and lets new
// groups in.
func (m *adf) Absorb(s *cdf.Step) {
	m.ready = false
	lin.Scale(s.Forget, m.lambda)
	k, g := m.groups(), &m.shard
	g.n, g.ybar, g.ss = state.Sized(g.n, k), state.Sized(g.ybar, k), 0
	clear(g.n)
	clear(g.ybar)
	g.add(s.Shard)
	if m.fresh = k == 0 && len(g.n) > 0; m.fresh {
		m.mean = make([]float64, 1+len(g.n))
		m.lambda = make([]float64, lin.PackedLen(1+len(g.n)))
	}
	for m.groups() < len(g.n) {
		m.join()
	}
}

// spread returns A = a + (k-1)/2, B = b + SS/2 and the mean of zeta at theta.
// 1/tau2 has the expectation A/B given zeta.
func (m *adf) spread(theta []float64) (a, b, mean float64) {
	k := float64(len(theta) - 1)
	for _, z := range theta[1:] {
		mean += z / k
	}
	b = m.prior.Tau2Rate
	for _, z := range theta[1:] {
		b += 0.5 * (z - mean) * (z - mean)
	}
	return m.prior.Tau2Shape + (k-1)/2, b, mean
}

// joining returns mean and precision of the level of a new group given the
// others: k+1 levels instead of k add
//
//	A/B k/(k+1) v v',  v = (-1/k, .., -1/k, 1)
//
// to A/B (I - J/k), the curvature of the prior.
func (m *adf) joining() (mean, precision float64) {
	a, b, mean := m.spread(m.mean)
	k := float64(m.groups())
	return mean, a / b * k / (k + 1)
}

// join adds a group to theta.
func (m *adf) join() {
	mean, precision := m.joining()
	k := m.groups()
	share := 1 / float64(k)
	for i := 1; i <= k; i++ {
		for j := 1; j <= i; j++ {
			m.lambda[packed(i)+j] += float64(precision * share * share)
		}
	}
	m.lambda = append(m.lambda, 0)
	for range k {
		m.lambda = append(m.lambda, -precision*share)
	}
	m.lambda = append(m.lambda, precision)
	m.mean = append(m.mean, mean)
}

// packed returns the offset of row i of a packed lower triangle.
func packed(i int) int { return i * (i + 1) / 2 }

// Sample settles the normal law and draws from it where draws are asked for.
func (m *adf) Sample(s *cdf.Step) error {
	var err error
	switch {
	case len(m.mean) == 0:
	case m.fresh:
		err = m.mode()
	case m.shard.total() > 0:
		err = m.update()
	}
	if err == nil {
		err = m.prepare()
	}
	if err != nil {
		return err
	}
	if s.Draws == nil {
		return nil
	}
	sigma2 := s.Draws.Row(0)
	if len(m.mean) == 0 {
		for i := range sigma2 {
			sigma2[i] = chain.Variance(s.RNG, m.prior.Sigma2Shape, m.prior.Sigma2Rate)
		}
		return nil
	}
	rnd.MVNPrecision(s.RNG, m.mean, m.chol, s.Draws.S, s.Draws.Data)
	for i, eta := range sigma2 {
		sigma2[i] = math.Exp(eta)
	}
	return nil
}

// mode maximises the first shard's log posterior by damped Newton steps and
// leaves its curvature there in Lambda. Where that is not positive definite
// the prior's negative term is left out, and where it still is not the shard
// has its expected curvature.
func (m *adf) mode() error {
	const steps, longest, enough = 500, 2, 1e-8
	g := &m.shard
	mean, squares := g.pooled()
	m.mean[0] = math.Log((m.prior.Sigma2Rate + squares/2) / (m.prior.Sigma2Shape + g.total()/2))
	for i := range g.n {
		m.mean[1+i] = mean
	}
	clear(m.lambda)
	climb := func() bool {
		return m.rise(func() { m.likelihood(false); m.density(true) }) ||
			m.rise(func() { m.likelihood(false); m.density(false) }) ||
			m.rise(func() { m.likelihood(true); m.density(false) })
	}
	for range steps {
		if !climb() {
			return errCurvature
		}
		if m.walk(longest) < enough {
			break
		}
	}
	if !climb() {
		return errCurvature
	}
	copy(m.lambda, m.trial)
	return nil
}

// update takes one Newton step on the shard's log likelihood. Its curvature is
// positive definite where the squares within the groups exceed those of their
// means about zeta, which groups of single rows have none of; otherwise the
// expected one is taken. That Lambda + H is positive definite is not enough:
// with an indefinite H the mean runs away from shard to shard.
func (m *adf) update() error {
	const longest = 5
	g := &m.shard
	indefinite := 2*g.ss < g.squares(m.mean[1:])
	if !m.rise(func() { m.likelihood(indefinite) }) {
		return errCurvature
	}
	m.walk(longest)
	copy(m.lambda, m.trial)
	return nil
}

// errCurvature says that a matrix that must be is not positive definite.
var errCurvature = fmt.Errorf("%w: anova adf: the curvature is not positive definite", cdf.ErrNumeric)

// walk adds chol^{-T} chol^{-1} score to the mean, shortened to the given
// greatest change of a coordinate, and returns that change.
func (m *adf) walk(longest float64) float64 {
	n, change := len(m.mean), 0.0
	lin.SolveLower(n, m.chol, m.score)
	lin.SolveLowerT(n, m.chol, m.score)
	for _, v := range m.score {
		change = max(change, math.Abs(v)) // NaN stays
	}
	shorten := 1.0
	if change > longest {
		shorten, change = longest/change, longest
	}
	lin.Axpy(shorten, m.score, m.mean)
	return change
}

// rise sets score and trial = Lambda + curvature at the mean by what add adds,
// and chol to the factor of trial. It reports whether that is positive
// definite.
func (m *adf) rise(add func()) bool {
	n := len(m.mean)
	m.score, m.trial = state.Sized(m.score, n), state.Sized(m.trial, lin.PackedLen(n))
	clear(m.score)
	copy(m.trial, m.lambda)
	add()
	return m.factor(m.trial)
}

// likelihood adds score and curvature of the shard. With
// r_i = N_i(ybar_i - zeta_i) and R the sum of squares about zeta:
//
//	score (e^{-eta} R/2 - N/2, e^{-eta} r)
//	curvature [e^{-eta} R/2, e^{-eta} r'; e^{-eta} r, diag(N_i e^{-eta})]
//	expected curvature diag(N/2, N_i e^{-eta})
func (m *adf) likelihood(expected bool) {
	g, zeta := &m.shard, m.mean[1:]
	e := math.Exp(-m.mean[0])
	half, rows := e*g.squares(zeta)/2, g.total()
	m.score[0] += half - rows/2
	if expected {
		half = rows / 2
	}
	m.trial[0] += half
	for i, n := range g.n {
		r := e * n * (g.ybar[i] - zeta[i])
		m.score[1+i] += r
		row := m.trial[packed(1+i):]
		row[1+i] += e * n
		if !expected {
			row[0] += r
		}
	}
}

// density adds score and curvature of the prior. With d_i = zeta_i - mean
// zeta:
//
//	score (beta e^{-eta} - alpha, -A/B d)
//	curvature [beta e^{-eta}, 0; 0, A/B (I - J/k - dd'/B)]
//
// Its negative term is left out where that is not asked for.
func (m *adf) density(negative bool) {
	a, b, mean := m.spread(m.mean)
	e, k := m.prior.Sigma2Rate*math.Exp(-m.mean[0]), float64(m.groups())
	m.score[0] += e - m.prior.Sigma2Shape
	m.trial[0] += e
	for i := range m.groups() {
		di := m.mean[1+i] - mean
		m.score[1+i] -= a / b * di
		row := m.trial[packed(1+i):]
		row[1+i] += a / b
		for j := range i + 1 {
			row[1+j] -= a / b / k
			if negative {
				row[1+j] -= a / b * di * (m.mean[1+j] - mean) / b
			}
		}
	}
}

// factor fills chol from a packed matrix and reports whether that is positive
// definite.
func (m *adf) factor(from []float64) bool {
	n := len(m.mean)
	m.chol = state.Sized(m.chol, n*n)
	for i := range n {
		copy(m.chol[i*n:i*n+i+1], from[packed(i):])
	}
	return lin.Cholesky(n, m.chol)
}

// prepare makes the covariance available, also after the state was replaced.
func (m *adf) prepare() error {
	n := len(m.mean)
	if m.ready || n == 0 {
		return nil
	}
	m.inv = state.Sized(m.inv, n*n)
	if !lin.Finite(m.mean) || !m.factor(m.lambda) {
		return errCurvature
	}
	lin.InvertLower(n, m.chol, m.inv)
	m.ready = true
	return nil
}

// sd returns that of theta_i: the length of column i of L^{-1}.
func (m *adf) sd(i int) float64 {
	n, v := len(m.mean), 0.0
	for k := i; k < n; k++ {
		v += float64(m.inv[k*n+i] * m.inv[k*n+i])
	}
	return math.Sqrt(v)
}
