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
	members [2]cdf.Param
}

func buildADF(s *anova.Settings) (kind.Build, error) {
	if s.Prior.MuVariance > 0 {
		return nil, fmt.Errorf("anova adf integrates mu and tau2, which needs a flat mu: prior.mu_variance must be 0, got %v", s.Prior.MuVariance)
	}
	return func(cdf.Dims) (cdf.Model, error) { return newADF(*s), nil }, nil
}

func newADF(s anova.Settings) *adf { return &adf{prior: s.Prior} }

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
func (m *adf) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb discounts Lambda, sums up the shard's rows by group and lets new
// groups in.
func (m *adf) Absorb(s *cdf.Step) {
	m.ready = false
	lin.Scale(s.Forget, m.lambda)
	k, g := m.groups(), &m.shard
	g.n, g.ybar, g.ss = lin.Grow(g.n, k), lin.Grow(g.ybar, k), 0
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

// prepare makes the covariance available, also after the state was replaced.
func (m *adf) prepare() error {
	n := len(m.mean)
	if m.ready || n == 0 {
		return nil
	}
	m.inv = lin.Grow(m.inv, n*n)
	if !lin.Finite(m.mean...) || !m.factor(m.lambda) {
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
