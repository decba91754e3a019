package compressed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/compressed"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/law"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// vbSettings are the settings of compressed VB-GDP. An error in a
// penalty d_j reaches the coefficients divided by N/d_j, about sqrt(N)/2 where
// they are 0 and more elsewhere.
type vbSettings struct {
	Iterations int     `yaml:"iterations" json:"iterations"` // changes of the penalties per shard at most, at least 1
	Tolerance  float64 `yaml:"tolerance" json:"tolerance"`   // greatest relative change of a penalty at the solution
	Prior      vbPrior `yaml:"prior" json:"prior"`
}

// vbPrior holds the numbers of the prior on the scaled columns, all
// positive and finite.
type vbPrior struct {
	Sigma2Shape float64 `yaml:"sigma2_shape" json:"sigma2_shape"` // a
	Sigma2Rate  float64 `yaml:"sigma2_rate" json:"sigma2_rate"`   // b, in units of y^2
	Alpha       float64 `yaml:"alpha" json:"alpha"`               // shape of lambda: the tails of gamma
	Eta         float64 `yaml:"eta" json:"eta"`                   // rate of lambda: the width of gamma
}

func defaultVB() vbSettings {
	like := compressed.Defaults().Prior
	return vbSettings{Iterations: 100, Tolerance: 1e-4, Prior: vbPrior{
		Sigma2Shape: like.Sigma2Shape, Sigma2Rate: like.Sigma2Rate, Alpha: 1, Eta: 1,
	}}
}

func buildVB(s *vbSettings) (kind.Build, error) {
	for _, v := range []float64{s.Prior.Sigma2Shape, s.Prior.Sigma2Rate, s.Prior.Alpha, s.Prior.Eta, s.Tolerance} {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("vb-gdp: the tolerance and the numbers of the prior must be positive and finite, got %v", v)
		}
	}
	if s.Iterations < 1 {
		return nil, fmt.Errorf("vb-gdp: iterations must be at least 1, got %d", s.Iterations)
	}
	scratch := &sync.Pool{New: func() any { return new(vbWork) }}
	return func(d cdf.Dims) (cdf.Model, error) { return newVB(*s, d, scratch) }, nil
}

// vb is the batch variational approximation of a regression with
// the generalised double Pareto prior:
//
//	y_r ~ N(x_r'gamma, sigma2),  gamma_j | sigma2, tau_j ~ N(0, sigma2 tau_j)
//	tau_j | lambda_j ~ Exp(lambda_j^2/2),  lambda_j ~ Gamma(alpha, eta),  sigma2 ~ IG(a, b)
//
// by q(gamma) q(sigma2) prod_j q(tau_j, lambda_j). All rows enter through the
// exact sufficient statistics, so it is the batch answer at every shard,
// however the rows were cut.
//
// Source: arXiv:1401.3632, where it is the competitor VB; Armagan, Dunson and
// Lee, Generalized double Pareto shrinkage, Statistica Sinica 23 (2013).
type vb struct {
	compressed.Shape
	gram
	set vbSettings
	d   []float64 // p: penalties E[1/tau_j] behind the solution

	ready bool
	l     []float64 // p x p, lower: LL' = F + diag(d)
	mu, v []float64 // p: mean of gamma; diagonal of (F + diag(d))^{-1}
	e     float64   // E[1/sigma2]
	u     []float64 // p: scratch

	scratch *sync.Pool
}

func newVB(s vbSettings, d cdf.Dims, scratch *sync.Pool) (*vb, error) {
	shape, err := compressed.NewShape(compressed.Settings{}, d)
	if err != nil {
		return nil, err
	}
	p := len(d.Columns)
	m := &vb{Shape: shape, gram: newGram(p), set: s, scratch: scratch}
	m.d, m.l = slices.Repeat([]float64{1}, p), make([]float64, p*p)
	m.mu, m.v, m.u = make([]float64, p), make([]float64, p), make([]float64, p)
	return m, nil
}

// Blocks returns one block: the solution depends on all rows.
func (m *vb) Blocks() []cdf.Block { return []cdf.Block{m} }

// Size returns the bytes held: the statistics and a factor of their order.
func (m *vb) Size() int64 {
	return int64(8*(len(m.xx)+len(m.l)+len(m.x)+5*m.p)) + 512
}

// Sample solves, from the penalties of the shard before, and draws from q
// where draws are asked for.
func (m *vb) Sample(s *cdf.Step) error {
	if err := m.solve(); err != nil {
		return err
	}
	if s.Draws != nil {
		m.draw(s.RNG, s.Draws)
	}
	return nil
}

// draw draws gamma and, independently of it, sigma2.
func (m *vb) draw(r *rand.Rand, d *cdf.Draws) {
	gamma := d.Data[:m.p*d.S]
	clear(m.u)
	rnd.MVNPrecision(r, m.u, m.l, d.S, gamma)
	scale := math.Sqrt(1 / m.e)
	for j, mu := range m.mu {
		row := d.Row(j)
		for i, z := range row {
			row[i] = mu + float64(scale*z)
		}
	}
	shape, rate := m.sigmaLaw()
	sigma2 := d.Row(m.p)
	for i := range sigma2 {
		sigma2[i] = rnd.InvGamma(r, shape, rate)
	}
}

// AppendBinary appends the format, the statistics and the penalties behind the
// solution, from which it follows: 8(p(p+1)/2 + 2p + 2) + 1 bytes.
func (m *vb) AppendBinary(b []byte) ([]byte, error) {
	return state.AppendFloats(m.appendBinary(append(b, state.Format)), m.d...), nil
}

// UnmarshalBinary replaces the state.
func (m *vb) UnmarshalBinary(b []byte) error {
	m.ready = false
	if len(b) < 1 || b[0] != state.Format {
		return fmt.Errorf("%w: vb-gdp: unknown format", cdf.ErrSnapshot)
	}
	b, err := m.take(b[1:])
	if err != nil {
		return fmt.Errorf("vb-gdp: %w", err)
	}
	b, ok := state.TakeFloats(b, m.d)
	if !ok || len(b) != 0 || !(slices.Min(m.d) >= leastPenalty) || slices.Max(m.d) > greatestPenalty {
		return fmt.Errorf("%w: vb-gdp: penalties of wrong length or out of range", cdf.ErrSnapshot)
	}
	return nil
}

// Summarize fills the rows from q: gamma is normal, sigma2 inverse gamma.
// Before the first row that is the approximation to the prior.
func (m *vb) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	if err := m.prepare(); err != nil {
		return err
	}
	nan := math.NaN()
	shape, rate := m.sigmaLaw()
	for i := range functionals {
		f, r := &functionals[i], &rows[i]
		*r = cdf.Row{Variable: f.Name, Mean: nan, SD: nan, ESSBulk: nan, ESSTail: nan, RHat: nan}
		factor, isSigma, err := m.Split(f)
		if err != nil {
			return err
		}
		if isSigma {
			law.DescribeInvGamma(r, cdf.Functional{Const: f.Const, Weight: []float64{factor}}, shape, rate)
			continue
		}
		mean, u := f.Const, m.u
		clear(u)
		for k, j := range f.Param {
			mean += f.Weight[k] * m.mu[j]
			u[j] += f.Weight[k]
		}
		v := 0.
		if len(f.Param) == 1 {
			v = f.Weight[0] * f.Weight[0] * m.v[f.Param[0]] / m.e
		} else {
			v = m.spread(u)
		}
		describeNormal(r, mean, math.Sqrt(v))
	}
	return nil
}

// PriorSD writes the prior sd of each functional, NaN where it is undefined:
// that of gamma_j is that of sigma times the generalised double Pareto law,
// Var = E sigma2 * 2 eta^2/((alpha-1)(alpha-2)).
func (m *vb) PriorSD(functionals []cdf.Functional, dst []float64) {
	q := &m.set.Prior
	sigma2, tails, spread := math.NaN(), math.NaN(), law.InvGammaSD(q.Sigma2Shape, q.Sigma2Rate)
	if q.Sigma2Shape > 1 {
		sigma2 = q.Sigma2Rate / (q.Sigma2Shape - 1)
	}
	if q.Alpha > 2 {
		tails = 2 * q.Eta * q.Eta / ((q.Alpha - 1) * (q.Alpha - 2))
	}
	for i := range functionals {
		f := &functionals[i]
		if factor, isSigma, _ := m.Split(f); isSigma {
			dst[i] = math.Abs(factor) * spread
			continue
		}
		dst[i] = math.Sqrt(sigma2 * tails * lin.Dot(f.Weight, f.Weight))
	}
}

// Predict describes a new observation: N(x'mu, 1/E[1/sigma2] + x'V x).
func (m *vb) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if err := m.prepare(); err != nil {
		return err
	}
	for i := range sh.Rows {
		copy(m.u, lin.Row(sh.X, m.p, i))
		mean := lin.Dot(m.u, m.mu)
		out[i] = predictNormal(mean, 1/m.e, m.spread(m.u), sh.Y[i])
	}
	return nil
}

// Score scores the rows that have a response by their predictions. The
// generator is not used.
func (m *vb) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	return scoreByPredictions("vb-gdp", sh, m.Predict)
}
