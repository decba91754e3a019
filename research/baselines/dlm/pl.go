package dlm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// pl is particle learning of the first-order dynamic linear model of
// package dlm, with theta_0 ~ N(0, h). A particle is theta, the parameters and
// the sums that their conditionals need of its path. Every step with
// observations
//
//  1. weighs the particles by p(y_s | theta_{s-1}, phi, tau2, sigma2),
//  2. resamples them, systematically,
//  3. propagates theta_s ~ p(. | theta_{s-1}, y_s, phi, tau2, sigma2),
//  4. updates the sums and draws tau2, sigma2 and phi given them, one sweep.
//
// A missing step has 3, without y_s, and 4. Observations that come in a later
// shard than others of their step weigh by p(y | theta_s, sigma2), and theta_s
// stays. With lambda < 1 the sums are discounted in every shard.
//
// Resampling lets the paths, and so the sums, coalesce: with few particles the
// parameters look surer than they are. What is published are the moments and
// quantiles of the particles.
//
// Source: Carvalho, Johannes, Lopes & Polson (2010, doi:10.1214/10-STS325).
type pl struct {
	set    plSettings
	clock  dlm.Clock
	n      float64     // observations, discounted
	now    []particle  // none before the first shard, then set.Particles
	next   []particle  // scratch
	weight []float64   // scratch: log weights, then weights
	law    law.Mixture // scratch
	steps  []dlm.Step
	failed bool
}

// particle is one particle. Observations and Transitions of the sums are
// those of all particles.
type particle struct {
	theta float64
	psi   [3]float64 // phi, tau2, sigma2
	sums  dlm.Sums
	// The law of theta after the step at hand, given theta before it.
	mean, variance float64
}

func newPL(s plSettings, d cdf.Dims) (*pl, error) {
	if err := dlm.Columns(d); err != nil {
		return nil, err
	}
	return &pl{set: s}, nil
}

// Params returns phi, tau2, sigma2 and theta, the level after the last row.
func (m *pl) Params() []cdf.Param { return dlm.Params() }

// Check reports, wrapping ErrShard, what dlm.Clock reports.
func (m *pl) Check(sh *cdf.Shard) error { return m.clock.CheckSteps(sh) }

// CheckBehind is Check of rows behind others.
func (m *pl) CheckBehind(sh *cdf.Shard, b *cdf.Before) error { return m.clock.CheckStepsBehind(sh, b) }

// Blocks returns the single block of all parameters.
func (m *pl) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb takes the particles through the steps of the shard.
func (m *pl) Absorb(s *cdf.Step) {
	m.begin(s.RNG)
	if s.Forget < 1 {
		m.forget(s.Forget)
	}
	sh := s.Shard
	more := m.clock.Seen && len(sh.Time) > 0 && sh.Time[0] == m.clock.Last
	m.steps = m.clock.AppendSteps(m.steps[:0], sh)
	m.n += float64(sh.Observed())
	m.failed = false
	for i := range m.steps {
		if !m.step(s.RNG, &m.steps[i], more && i == 0) {
			m.failed = true
			return
		}
	}
}

// begin draws the first particles from the prior.
func (m *pl) begin(r *rand.Rand) {
	if len(m.now) > 0 {
		return
	}
	m.now = make([]particle, m.set.Particles)
	for k := range m.now {
		p := &m.now[k]
		p.psi = p.sums.Draw(r, &m.set.Prior, 0)
		h := m.set.Prior.Theta0Variance
		p.theta = math.Sqrt(h*p.psi[2]) * r.NormFloat64()
		p.sums.Start(p.theta, h)
	}
}

// forget discounts the sums and the counts.
func (m *pl) forget(lambda float64) {
	m.n *= lambda
	for k := range m.now {
		s := &m.now[k].sums
		for i := range s.C {
			s.C[i] *= lambda
		}
		s.Observations *= lambda
		s.Transitions *= lambda
	}
}

// step takes the particles through one step, or, with more set, through more
// observations of the last one. It reports whether some weight is finite.
func (m *pl) step(r *rand.Rand, step *dlm.Step, more bool) bool {
	m.weight = lin.Grow(m.weight, len(m.now))
	for k := range m.now {
		p := &m.now[k]
		phi, tau2 := p.psi[0], p.psi[1]
		if more { // no time passes
			phi, tau2 = 1, 0
		}
		m.weight[k], p.mean, p.variance = step.Filter(p.theta, 0, phi, tau2, p.psi[2])
	}
	if step.Count() > 0 && !m.resample(r) {
		return false
	}
	for k := range m.now {
		p := &m.now[k]
		before := p.theta
		p.theta = p.mean
		if !more {
			p.theta += math.Sqrt(p.variance) * r.NormFloat64()
			p.sums.Move(before, p.theta)
		}
		p.sums.Observe(step, p.theta)
		p.psi = p.sums.Draw(r, &m.set.Prior, p.psi[0])
	}
	return true
}

// resample replaces the particles by as many of equal weight: particle k is
// there once for each of the points (u, 1+u, 2+u ..)/n that fall on its share
// of the weights. It reports whether there is a weight.
func (m *pl) resample(r *rand.Rand) bool {
	top := math.Inf(-1)
	for _, v := range m.weight {
		top = max(top, v) // NaN if one is
	}
	if !lin.Finite(top) {
		return false
	}
	total := 0.0
	for k, v := range m.weight {
		m.weight[k] = math.Exp(v - top)
		total += m.weight[k]
	}
	m.next = m.next[:0]
	k, sum, u, last := 0, m.weight[0], r.Float64(), len(m.now)-1
	for i := range m.now {
		at := (float64(i) + u) / float64(len(m.now)) * total
		for sum < at && k < last {
			k++
			sum += m.weight[k]
		}
		m.next = append(m.next, m.now[k])
	}
	m.now, m.next = m.next, m.now
	return true
}

// Sample reports particles that are not finite, and draws particles where
// draws are asked for: each about equally often.
func (m *pl) Sample(s *cdf.Step) error {
	for k := range m.now {
		p := &m.now[k]
		sum := p.theta + p.psi[1] + p.psi[2] + p.sums.C[0] + p.sums.C[1] + p.sums.C[3]
		m.failed = m.failed || !lin.Finite(sum)
	}
	if m.failed {
		return fmt.Errorf("%w: dlm pl: no particle has a weight or one is not finite", cdf.ErrNumeric)
	}
	if d := s.Draws; d != nil {
		u := s.RNG.Float64()
		for j := range d.S {
			p := &m.now[int((float64(j)+u)/float64(d.S)*float64(len(m.now)))]
			for i := range 4 {
				d.Row(i)[j] = p.at(i)
			}
		}
	}
	return nil
}

// at returns row i of the draws.
func (p *particle) at(i int) float64 {
	if i < len(p.psi) {
		return p.psi[i]
	}
	return p.theta
}
