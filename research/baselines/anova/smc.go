package anova

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// SMCSettings are the settings of sequential Monte Carlo for the anova
// model.
type SMCSettings struct {
	Prior     anova.Prior `yaml:"prior" json:"prior"`
	Particles int         `yaml:"particles" json:"particles"` // at least 2
}

// smc is SMC-CH for the one-way analysis of variance, iterated batch
// importance sampling: weighted particles (mu, tau2, sigma2, zeta), drawn by
// Gibbs sampling in the first shard with rows, reweighted by every later one,
//
//	w <- w p(D_t | zeta, sigma2),
//
// and, when fewer than half of them are effective, resampled and moved by one
// Gibbs sweep that leaves the posterior given all rows as it is. The weights
// come from the likelihood of all rows after the shard over that before it,
// so that forgetting is exact too. Groups that come later are drawn from
// N(mu, tau2) of each particle.
//
// Source: Chopin, A sequential particle filter method for static models,
// Biometrika 89 (2002), section 2; arXiv:1401.3632, section 3.2 (SMC-CH).
type smc struct {
	groups
	prior     anova.Prior
	particles int
	x         []float64 // particles x (k+3), row-major; empty while there is no group
	w         []float64 // per particle, sum 1; empty while there is no group
	before    []float64 // per particle, log likelihood of the rows before the shard; not part of the state
}

func buildSMC(s *SMCSettings) (kind.Build, error) {
	if err := (anova.Settings{Prior: s.Prior}).Validate(); err != nil {
		return nil, err
	}
	if s.Particles < 2 {
		return nil, fmt.Errorf("anova smc: particles must be at least 2, got %d", s.Particles)
	}
	return func(cdf.Dims) (cdf.Model, error) { return newSMC(*s), nil }, nil
}

func newSMC(s SMCSettings) *smc { return &smc{prior: s.Prior, particles: s.Particles} }

// Params returns mu, tau2, sigma2 and zeta, a row per group in the order of
// first appearance. Under a flat prior mu joins with the first group.
func (m *smc) Params() []cdf.Param { return params(&m.prior, len(m.n)) }

// Check reports, wrapping ErrShard, a shard without its group column.
func (m *smc) Check(sh *cdf.Shard) error { return checkGroups(sh) }

// Blocks returns the single block of all parameters.
func (m *smc) Blocks() []cdf.Block { return []cdf.Block{m} }

// at returns particle i.
func (m *smc) at(i int) []float64 {
	width := zetaRow + len(m.n)
	return m.x[i*width : (i+1)*width : (i+1)*width]
}

// Absorb values the particles by the rows so far, discounts these and adds
// the shard's that have a response. New groups get their levels.
func (m *smc) Absorb(s *cdf.Step) {
	m.before = lin.Grow(m.before, len(m.w))
	for i := range m.before {
		m.before[i] = m.logLikelihood(m.at(i))
	}
	m.discount(s.Forget)
	was := zetaRow + len(m.n)
	m.add(s.Shard)
	width := zetaRow + len(m.n)
	if width == was || len(m.w) == 0 {
		return
	}
	wider := make([]float64, 0, width*len(m.w))
	for ; len(m.x) > 0; m.x = m.x[was:] {
		mu, sd := m.x[muRow], math.Sqrt(m.x[tau2Row])
		wider = append(wider, m.x[:was]...)
		for range width - was {
			wider = append(wider, mu+sd*s.RNG.NormFloat64())
		}
	}
	m.x = wider
}

// Retire drops the groups that forgetting has emptied; their levels are
// integrated out of the particles by being left out.
func (m *smc) Retire() []int32 {
	width := zetaRow + len(m.n)
	gone := m.retire()
	if len(gone) == 0 {
		return nil
	}
	if len(m.n) == 0 {
		m.x, m.w = m.x[:0], m.w[:0]
		return gone
	}
	kept := m.x[:0]
	for i, v := range m.x {
		if j := i%width - zetaRow; j < 0 || !slices.Contains(gone, int32(j)) {
			kept = append(kept, v)
		}
	}
	m.x = kept
	return gone
}

// Sample starts, or reweights and where needed moves the particles. Draws,
// where they are asked for, are particles.
func (m *smc) Sample(s *cdf.Step) error {
	if len(m.n) == 0 {
		if s.Draws != nil {
			drawPrior(s, &m.prior)
		}
		return nil
	}
	if len(m.w) == 0 {
		m.start(s.RNG)
	} else if err := m.reweight(); err != nil {
		return err
	}
	if m.effective() < float64(m.particles)/2 {
		m.move(s.RNG)
	}
	if !lin.Finite(m.x...) {
		return fmt.Errorf("%w: anova smc: a particle is not finite", cdf.ErrNumeric)
	}
	if s.Draws != nil {
		for i, from := range m.systematic(s.RNG, s.Draws.S) {
			for j, v := range m.at(from) {
				s.Draws.Data[j*s.Draws.S+i] = v
			}
		}
	}
	return nil
}

// start makes the particles successive draws of a chain.
func (m *smc) start(r *rand.Rand) {
	m.x = make([]float64, m.particles*(zetaRow+len(m.n)))
	m.w = slices.Repeat([]float64{1 / float64(m.particles)}, m.particles)
	x := slices.Clone(m.at(0))
	m.first(&m.prior, x)
	for i := -chain.Burn; i < m.particles; i++ {
		m.sweep(r, &m.prior, x)
		if i >= 0 {
			copy(m.at(i), x)
		}
	}
}

// reweight multiplies the weights by the growth of the likelihood.
func (m *smc) reweight() error {
	top := math.Inf(-1)
	for i, was := range m.before {
		m.before[i] = math.Log(m.w[i]) + m.logLikelihood(m.at(i)) - was
		top = max(top, m.before[i])
	}
	if !lin.Finite(top) {
		return fmt.Errorf("%w: anova smc: no particle has a weight", cdf.ErrNumeric)
	}
	sum := 0.0
	for i, v := range m.before {
		m.w[i] = math.Exp(v - top)
		sum += m.w[i]
	}
	lin.Scale(1/sum, m.w)
	return nil
}

// effective returns the number of equal weights with the variance of these.
func (m *smc) effective() float64 { return 1 / lin.Dot(m.w, m.w) }

// move resamples the particles and takes each one sweep on.
func (m *smc) move(r *rand.Rand) {
	from, old := m.systematic(r, m.particles), slices.Clone(m.x)
	width := zetaRow + len(m.n)
	for i, j := range from {
		copy(m.at(i), lin.Row(old, width, j))
		m.sweep(r, &m.prior, m.at(i))
		m.w[i] = 1 / float64(m.particles)
	}
}

// systematic returns n indices of particles, particle i between the integers
// about n w_i times: one uniform number is spread over the weights.
func (m *smc) systematic(r *rand.Rand, n int) []int {
	out := make([]int, n)
	at, sum := 0, m.w[0]
	u := r.Float64()
	for i := range out {
		for target := (float64(i) + u) / float64(n); sum < target && at < len(m.w)-1; {
			at++
			sum += m.w[at]
		}
		out[i] = at
	}
	return out
}

// AppendBinary appends the format, 2k+1 statistics, the weights and the
// particles: 8(2k + 1 + particles (k+4)) + 1 bytes.
func (m *smc) AppendBinary(b []byte) ([]byte, error) {
	return state.Append(b, []float64{m.ss}, m.n, m.ybar, m.w, m.x)
}

// UnmarshalBinary replaces the state.
func (m *smc) UnmarshalBinary(b []byte) error {
	// 1 number without groups, else 1 + 2k + particles (k+4).
	k, count := 0, 0
	if held := state.Numbers(b); held > 1 {
		k, count = (held-1-4*m.particles)/(2+m.particles), m.particles
	}
	if k < 0 {
		return state.Damaged("anova smc", "wrong format or length")
	}
	var head [1]float64
	m.n, m.ybar = lin.Grow(m.n, k), lin.Grow(m.ybar, k)
	m.w, m.x = lin.Grow(m.w, count), lin.Grow(m.x, count*(zetaRow+k))
	if err := state.Read("anova smc", b, head[:], m.n, m.ybar, m.w, m.x); err != nil {
		return err
	}
	m.ss = head[0]
	sum := 0.0
	for i, w := range m.w {
		if sum += w; !(w >= 0 && m.at(i)[tau2Row] > 0 && m.at(i)[sigma2Row] > 0) {
			return state.Damaged("anova smc", "a weight or a variance is out of range")
		}
	}
	if (k > 0) != (count > 0) || count > 0 && !(math.Abs(sum-1) < 1e-9) || !m.sound() {
		return state.Damaged("anova smc", "a number is out of range")
	}
	return nil
}
