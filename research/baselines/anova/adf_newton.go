package anova

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

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
	m.score, m.trial = lin.Grow(m.score, n), lin.Grow(m.trial, lin.PackedLen(n))
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
	m.chol = lin.Grow(m.chol, n*n)
	for i := range n {
		copy(m.chol[i*n:i*n+i+1], from[packed(i):])
	}
	return lin.Cholesky(n, m.chol)
}
