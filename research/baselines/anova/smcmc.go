package anova

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
	"github.com/credence-stream/credence/research/baselines/internal/law"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// smcmc is S-MCMC for the one-way analysis of variance: Gibbs sampling
// of the exact posterior from the statistics of all rows, one sweep per draw.
// The chain goes on where the last shard left it: 2k+3 numbers are propagated.
//
// Source: arXiv:1401.3632, section 3.2 (S-MCMC), with N_i for nt and mu drawn
// with zeta integrated out.
type smcmc struct {
	groups
	prior        anova.Prior
	tau2, sigma2 float64 // last draws, 0 while there is no group
	point        []float64
}

func buildSMCMC(s *anova.Settings) (kind.Build, error) {
	return func(cdf.Dims) (cdf.Model, error) { return newSMCMC(*s), nil }, nil
}

func newSMCMC(s anova.Settings) *smcmc { return &smcmc{prior: s.Prior} }

// Params returns mu, tau2, sigma2 and zeta, a row per group in the order of
// first appearance. Under a flat prior mu joins with the first group.
func (m *smcmc) Params() []cdf.Param { return params(&m.prior, len(m.n)) }

// Chains returns 1.
func (m *smcmc) Chains() int { return 1 }

// Check reports, wrapping ErrShard, a shard without its group column.
func (m *smcmc) Check(sh *cdf.Shard) error { return checkGroups(sh) }

// Blocks returns the single block of all parameters.
func (m *smcmc) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb discounts and adds the rows that have a response.
func (m *smcmc) Absorb(s *cdf.Step) {
	m.discount(s.Forget)
	m.add(s.Shard)
}

// Retire drops the groups that forgetting has emptied.
func (m *smcmc) Retire() []int32 {
	gone := m.retire()
	if len(m.n) == 0 {
		m.tau2, m.sigma2 = 0, 0
	}
	return gone
}

// Sample runs one sweep per draw, after a burn-in in the first shard with
// rows. Before it draws are the prior's.
func (m *smcmc) Sample(s *cdf.Step) error {
	if len(m.n) == 0 {
		drawPrior(s, &m.prior)
		return nil
	}
	x := m.load()
	if m.sigma2 == 0 {
		m.first(&m.prior, x)
		for range chain.Burn {
			m.sweep(s.RNG, &m.prior, x)
		}
	}
	for i := range s.Draws.S {
		m.sweep(s.RNG, &m.prior, x)
		for j, v := range x {
			s.Draws.Data[j*s.Draws.S+i] = v
		}
	}
	if m.tau2, m.sigma2 = x[tau2Row], x[sigma2Row]; !lin.Finite(x...) {
		return fmt.Errorf("%w: anova smcmc: a draw is not finite", cdf.ErrNumeric)
	}
	return nil
}

// load returns a point at the chain's last variances.
func (m *smcmc) load() []float64 {
	m.point = lin.Grow(m.point, zetaRow+len(m.n))
	m.point[tau2Row], m.point[sigma2Row] = m.tau2, m.sigma2
	return m.point
}

// laws returns the law of a row's group as a mixture over the variances of a
// chain, with mu and zeta integrated out.
func (m *smcmc) laws() func(i int32) *law.Mixture {
	r, x := chain.Ahead(), m.load()
	type given struct{ tau2, sigma2, mean, variance float64 }
	var draws [chain.SweepsAhead]given
	if len(m.n) > 0 {
		for k := range draws {
			m.sweep(r, &m.prior, x)
			mean, variance := m.centre(&m.prior, x[tau2Row], x[sigma2Row])
			draws[k] = given{x[tau2Row], x[sigma2Row], mean, variance}
		}
	}
	made := groupLaws{}
	return func(i int32) *law.Mixture {
		return made.of(i, len(m.n), func(i int32, l *law.Mixture) {
			l.Size(chain.SweepsAhead)
			for k, d := range draws {
				l.Noise[k] = d.sigma2
				if i < 0 {
					l.Mean[k], l.Level[k] = d.mean, d.variance+d.tau2
				} else {
					l.Mean[k], l.Level[k] = m.level(int(i), d.tau2, d.sigma2, d.mean, d.variance)
				}
			}
		})
	}
}

// Predict describes a new observation of every row's group, and the level of
// that group. Without a group nothing is said.
func (m *smcmc) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	predictGroups(sh, len(m.n), m.laws(), out)
	return nil
}

// Score scores the rows that have a response. The generator is not used.
func (m *smcmc) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	return scoreGroups("anova smcmc", sh, len(m.n), m.laws())
}

// AppendBinary appends the format and 2k+3 numbers.
func (m *smcmc) AppendBinary(b []byte) ([]byte, error) {
	return state.Append(b, []float64{m.tau2, m.sigma2, m.ss}, m.n, m.ybar)
}

// UnmarshalBinary replaces the state.
func (m *smcmc) UnmarshalBinary(b []byte) error {
	k := (state.Numbers(b) - 3) / 2
	if k < 0 {
		return state.Damaged("anova smcmc", "wrong format or length")
	}
	var head [3]float64
	m.n, m.ybar = lin.Grow(m.n, k), lin.Grow(m.ybar, k)
	if err := state.Read("anova smcmc", b, head[:], m.n, m.ybar); err != nil {
		return err
	}
	m.tau2, m.sigma2, m.ss = head[0], head[1], head[2]
	if (k > 0) != (m.tau2 > 0) || (k > 0) != (m.sigma2 > 0) || !m.sound() {
		return state.Damaged("anova smcmc", "a number is out of range")
	}
	return nil
}
