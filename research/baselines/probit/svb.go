package probit

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/probit"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// svbSettings are the settings of S-VB for the probit model.
type svbSettings struct {
	Prior probit.Prior `yaml:"prior" json:"prior"`
}

func buildSVB(s *svbSettings) (kind.Build, error) {
	if err := s.Prior.Validate(); err != nil {
		return nil, err
	}
	return func(d cdf.Dims) (cdf.Model, error) { return newSVB(*s, d) }, nil
}

const (
	svbSweeps    = 200  // at most, per shard
	svbTolerance = 1e-6 // largest change of a mean in the last sweep
)

// svb is streaming variational Bayes (Broderick, Boyd, Wibisono, Wilson
// and Jordan, NIPS 2013) for the probit model with latent t: the posterior of
// a shard is the prior of the next, and within a shard q(beta) q(t) is
// optimised by mean field,
//
//	q(t_i)  = N(xs_i'm, 1) on t_i > 0
//	q(beta) = N(m, V),  V^-1 = V0^-1 + xx,  m = V xz
//
// where xx sums xs xs' and xz sums xs E t over all rows. A row's t counts as
// observed, with weight 1: V is too small and does not depend on y.
type svb struct {
	probit.Columns
	p int

	// The state.
	rows float64   // absorbed
	xx   []float64 // p x p, lower triangle
	xz   []float64 // p

	// What follows from it.
	factor []float64 // p x p, lower triangle: L, LL' = V^-1
	mean   []float64 // p

	failed  error // of Absorb
	x       []float64
	t, next []float64 // rows of a shard; p
}

func newSVB(s svbSettings, d cdf.Dims) (*svb, error) {
	columns, err := probit.NewColumns(s.Prior, d)
	if err != nil {
		return nil, err
	}
	p := len(d.Columns)
	m := &svb{
		Columns: columns, p: p,
		xx: make([]float64, p*p), xz: make([]float64, p),
		factor: make([]float64, p*p), mean: make([]float64, p), next: make([]float64, p),
	}
	return m, m.settle()
}

// Blocks returns the single block {beta}.
func (m *svb) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb optimises the mean of the posterior given the shard and keeps its
// natural parameters.
func (m *svb) Absorb(s *cdf.Step) {
	n := s.Shard.Observed()
	if s.Forget < 1 {
		lin.Scale(s.Forget, m.xx)
		lin.Scale(s.Forget, m.xz)
	}
	m.rows += float64(n)
	m.x, _ = m.Signed(m.x[:0], s.Shard, 0, n)
	lin.AddGram(n, m.p, m.x, m.x, m.xx)
	if m.failed = m.factorise(); m.failed != nil {
		return
	}
	m.optimise()
	m.addLatent(m.xz)
	m.failed = m.settle()
}

// optimise alternates the two laws of the mean field, from the last mean,
// until the mean of beta stands still.
func (m *svb) optimise() {
	for range svbSweeps {
		copy(m.next, m.xz)
		m.addLatent(m.next)
		m.solve(m.next)
		change := 0.0
		for j, v := range m.next {
			change = max(change, math.Abs(v-m.mean[j]))
		}
		copy(m.mean, m.next)
		if change < svbTolerance {
			return
		}
	}
}

// addLatent adds xs E t, summed over the shard's rows, at the present mean.
func (m *svb) addLatent(dst []float64) {
	n := len(m.x) / m.p
	m.t = lin.Grow(m.t, n)
	for i := range m.t {
		line := lin.Dot(lin.Row(m.x, m.p, i), m.mean)
		u, _ := normal.Hazard(line)
		m.t[i] = line + u
	}
	lin.AddTMul(n, 1, m.p, m.t, m.x, dst)
}

// factorise computes L.
func (m *svb) factorise() error {
	copy(m.factor, m.xx)
	for j := range m.p {
		m.factor[j*m.p+j] += 1 / m.Variance(j)
	}
	if !lin.Cholesky(m.p, m.factor) {
		return fmt.Errorf("%w: svb: precision not positive definite", cdf.ErrNumeric)
	}
	return nil
}

// solve overwrites x with V x.
func (m *svb) solve(x []float64) {
	lin.SolveLower(m.p, m.factor, x)
	lin.SolveLowerT(m.p, m.factor, x)
}

// settle computes what follows from the state.
func (m *svb) settle() error {
	if err := m.factorise(); err != nil {
		return err
	}
	copy(m.mean, m.xz)
	m.solve(m.mean)
	if !lin.Finite(m.mean...) {
		return fmt.Errorf("%w: svb: mean not finite", cdf.ErrNumeric)
	}
	return nil
}

// Sample draws beta ~ N(m, V) where draws are asked for.
func (m *svb) Sample(s *cdf.Step) error {
	if m.failed == nil && s.Draws != nil {
		rnd.MVNPrecision(s.RNG, m.mean, m.factor, s.Draws.S, s.Draws.Data)
	}
	return m.failed
}

// AppendBinary appends the number of rows, xz and the lower triangle of xx:
// 8(1 + p + p(p+1)/2) + 1 bytes.
func (m *svb) AppendBinary(b []byte) ([]byte, error) { return state.Append(b, m.parts()...) }

// UnmarshalBinary replaces the state.
func (m *svb) UnmarshalBinary(b []byte) error {
	parts := m.parts()
	if err := state.Read("svb", b, parts...); err != nil {
		return err
	}
	m.rows = parts[0][0]
	for j := range m.p {
		if m.xx[j*m.p+j] < 0 {
			return state.Damaged("svb", "negative precision")
		}
	}
	if m.rows < 0 || m.settle() != nil {
		return state.Damaged("svb", "not a law")
	}
	return nil
}

// parts lists the numbers of the state; all but the first alias it.
func (m *svb) parts() [][]float64 {
	parts := [][]float64{{m.rows}, m.xz}
	for j := range m.p {
		parts = append(parts, m.xx[j*m.p:j*m.p+j+1])
	}
	return parts
}

var (
	_ cdf.Summarizer  = (*svb)(nil)
	_ cdf.Predictor   = (*svb)(nil)
	_ cdf.Covariancer = (*svb)(nil)
)
