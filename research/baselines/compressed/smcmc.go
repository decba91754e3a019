package compressed

import (
	"fmt"
	"slices"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/compressed"
	"github.com/credence-stream/credence/models/compressed/projection"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// smcmcSettings are the settings of compressed S-MCMC; what the
// learned projection has too means the same there.
type smcmcSettings struct {
	Dimension      int              `yaml:"dimension" json:"dimension"`             // m, at least 1
	ProjectionSeed uint64           `yaml:"projection_seed" json:"projection_seed"` // of Phi0
	Burn           int              `yaml:"burn" json:"burn"`                       // sweeps per shard before the draws, at least 0
	Prior          compressed.Prior `yaml:"prior" json:"prior"`
}

func defaultSMCMC() smcmcSettings {
	like := compressed.Defaults()
	return smcmcSettings{Dimension: like.Dimension, ProjectionSeed: like.ProjectionSeed, Burn: 5, Prior: like.Prior}
}

func buildSMCMC(s *smcmcSettings) (kind.Build, error) {
	like := compressed.Defaults()
	like.Dimension, like.Prior = s.Dimension, s.Prior
	like, err := like.Complete("")
	if err != nil {
		return nil, fmt.Errorf("smcmc: %w", err)
	}
	s.Prior = like.Prior
	if s.Burn < 0 {
		return nil, fmt.Errorf("smcmc: burn must not be negative, got %d", s.Burn)
	}
	scratch := &sync.Pool{New: func() any { return new(chainWork) }}
	return func(d cdf.Dims) (cdf.Model, error) { return newSMCMC(*s, d, scratch) }, nil
}

// smcmc is sequential Markov chain Monte Carlo for the regression
// that the model with a learned projection filters:
//
//	y_r | Phi, beta, sigma2 ~ N((Phi x_r)' beta, sigma2)
//	beta | sigma2 ~ N(0, sigma2 v I_m),  sigma2 ~ IG(a, b)
//	Phi_j ~ N_m(Phi0_j, K),  K = diag(kappa),  kappa_i ~ IG(1/2, 1/2)
//
// It propagates the exact sufficient statistics, p^2 numbers, and the state of
// the chain. Every shard runs `burn` sweeps and one for each of the S draws
// that the filter asks for (the experiments ask for 30) on all rows so far, from
// where the shard before left the chain.
//
// Source: arXiv:1401.3632, section on compressed regression, where it is the
// competitor S-MCMC.
type smcmc struct {
	compressed.Shape
	gram
	set smcmcSettings
	s   int       // draws per shard, S
	phi []float64 // p x m: chain's Phi, a row per column of X
	k   []float64 // m: chain's kappa
	// draws of the last shard, for predictions: S x p of gamma, S of sigma2;
	// 0 and 1 before the first shard.
	gamma, sigma2 []float64

	phi0    []float64 // p x m, a function of the settings
	scratch *sync.Pool
}

func newSMCMC(s smcmcSettings, d cdf.Dims, scratch *sync.Pool) (*smcmc, error) {
	shape, err := compressed.NewShape(compressed.Settings{}, d)
	if err != nil {
		return nil, err
	}
	p := len(d.Columns)
	m := &smcmc{Shape: shape, gram: newGram(p), set: s, s: max(d.Draws, 1), scratch: scratch}
	m.phi0 = projection.Orthonormal(s.ProjectionSeed, s.Dimension, p)
	m.phi, m.k = slices.Clone(m.phi0), slices.Repeat([]float64{1}, s.Dimension)
	m.gamma, m.sigma2 = make([]float64, m.s*p), slices.Repeat([]float64{1}, m.s)
	return m, nil
}

// Blocks returns one block: all parameters are drawn given all rows.
func (m *smcmc) Blocks() []cdf.Block { return []cdf.Block{m} }

// Chains returns 1: what is known of the posterior are its draws.
func (m *smcmc) Chains() int { return 1 }

// Size returns the bytes held: the p x p statistics, twice what their half in
// the snapshot takes, and the draws.
func (m *smcmc) Size() int64 {
	return int64(8*(len(m.xx)+len(m.x)+2*len(m.phi)+len(m.gamma)+3*m.p)) + 512
}

// Sample runs the chain and keeps its draws.
func (m *smcmc) Sample(s *cdf.Step) error {
	if !m.finite() {
		return fmt.Errorf("%w: smcmc: statistics not finite", cdf.ErrNumeric)
	}
	w := m.work()
	defer m.scratch.Put(w)
	p := m.p
	for i := -m.set.Burn; i < m.s; i++ {
		sigma2, err := m.sweep(s.RNG, w)
		if err != nil {
			return err
		}
		if i >= 0 {
			copy(lin.Row(m.gamma, p, i), w.g)
			m.sigma2[i] = sigma2
		}
	}
	if d := s.Draws; d != nil {
		for j := range p {
			row := d.Row(j)
			for i := range row {
				row[i] = m.gamma[i*p+j]
			}
		}
		copy(d.Row(p), m.sigma2)
	}
	return nil
}

// AppendBinary appends the format, the statistics, the chain and the draws:
// 8(p(p+1)/2 + p + 2 + m(p+1) + S(p+1)) + 1 bytes.
func (m *smcmc) AppendBinary(b []byte) ([]byte, error) {
	b = m.appendBinary(append(b, state.Format))
	for _, x := range [][]float64{m.phi, m.k, m.gamma, m.sigma2} {
		b = state.AppendFloats(b, x...)
	}
	return b, nil
}

// UnmarshalBinary replaces the state.
func (m *smcmc) UnmarshalBinary(b []byte) error {
	if len(b) < 1 || b[0] != state.Format {
		return fmt.Errorf("%w: smcmc: unknown format", cdf.ErrSnapshot)
	}
	b, err := m.take(b[1:])
	if err != nil {
		return fmt.Errorf("smcmc: %w", err)
	}
	b, ok := state.TakeFloats(b, m.phi, m.k, m.gamma, m.sigma2)
	if !ok || len(b) != 0 || !(slices.Min(m.k) > 0) || !(slices.Min(m.sigma2) > 0) {
		return fmt.Errorf("%w: smcmc: chain of wrong length or out of range", cdf.ErrSnapshot)
	}
	return nil
}
