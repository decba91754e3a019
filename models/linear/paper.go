package linear

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// Paper is the same model by the paper's own rule, its typing errors
// mended and nothing else:
//
//	xx += X'X/s2,  xy += X'y/s2,  s2 = 1 in the first shard, then the last estimate
//	beta ~ N(Sigma^ xy, Sigma^),  Sigma^ = (xx + V0^{-1})^{-1}
//	ssr += |y - X beta^|^2
//	sigma2 ~ IG(a + N/2, b + ssr/2),  s2 = its mean (b'/a' where there is none)
//
// It is kept for comparison: the early weights stay in the statistics for
// ever, and its intervals are too short.
//
// Source: arXiv:1401.3632, section 3.1.1.
type Paper struct {
	columns
	xx []float64 // lower triangle, row by row
	xy []float64
	n  float64
	s2 float64
	// ssr is the sum of squared residuals, each at its shard's estimate.
	ssr float64

	ready bool
	beta  []float64 // p: beta^
	chol  []float64 // p x p: L, LL' = Sigma^^{-1}, lower triangle
	law   dist.Standard
}

// NewPaper returns the paper's linear model with empty statistics.
func NewPaper(s Settings, d cdf.Dims) (*Paper, error) { return newPaper(s, d, newScratch()) }

func newPaper(s Settings, d cdf.Dims, pool *scratch) (*Paper, error) {
	shape, err := newColumns(s, d, pool)
	if err != nil {
		return nil, err
	}
	p := shape.P
	m := &Paper{
		columns: shape, s2: 1,
		xx: make([]float64, p*(p+1)/2), xy: make([]float64, p),
		beta: make([]float64, p), chol: make([]float64, p*p),
	}
	return m, nil
}

// Blocks returns {beta} and {sigma2}.
func (m *Paper) Blocks() []cdf.Block { return []cdf.Block{paperBeta{m}, paperSigma{m}} }

// paperBeta is Theta_1 = beta.
type paperBeta struct{ m *Paper }

// Absorb weights the shard by the plug-in of the shard before.
func (b paperBeta) Absorb(s *cdf.Step) {
	m, sh := b.m, s.Shard
	m.ready = false
	lin.Scale(s.Forget, m.xx)
	lin.Scale(s.Forget, m.xy)
	weight := 1 / m.s2
	for r, y := range sh.Y {
		if math.IsNaN(y) {
			continue
		}
		x := lin.Row(sh.X, m.P, r)
		lin.Axpy(float64(weight*y), x, m.xy)
		for i, at := 0, 0; i < m.P; i++ {
			lin.Axpy(float64(weight*x[i]), x[:i+1], m.xx[at:at+i+1])
			at += i + 1
		}
	}
}

// Sample settles beta^ and Sigma^.
func (b paperBeta) Sample(s *cdf.Step) error {
	m := b.m
	if err := m.prepare(); err != nil {
		return err
	}
	if s.Draws != nil {
		rnd.MVNPrecision(s.RNG, m.beta, m.chol, s.Draws.S, s.Draws.Data[:m.P*s.Draws.S])
	}
	return nil
}

// prepare factors the precision and solves for beta^.
func (m *Paper) prepare() error {
	if m.ready {
		return nil
	}
	for i, at := 0, 0; i < m.P; i++ {
		copy(m.chol[i*m.P:], m.xx[at:at+i+1])
		m.chol[i*m.P+i] += 1 / m.variance(i)
		at += i + 1
	}
	if !lin.Finite(m.xx...) || !lin.Cholesky(m.P, m.chol) {
		return fmt.Errorf("%w: linear paper: precision not positive definite", cdf.ErrNumeric)
	}
	copy(m.beta, m.xy)
	lin.SolveLower(m.P, m.chol, m.beta)
	lin.SolveLowerT(m.P, m.chol, m.beta)
	if !lin.Finite(m.beta...) {
		return fmt.Errorf("%w: linear paper: estimate not finite", cdf.ErrNumeric)
	}
	m.ready = true
	return nil
}

// paperSigma is Theta_2 = sigma2.
type paperSigma struct{ m *Paper }

// Absorb adds the residuals at this shard's estimate.
func (b paperSigma) Absorb(s *cdf.Step) {
	m, sh := b.m, s.Shard
	m.n *= s.Forget
	m.ssr *= s.Forget
	for r, y := range sh.Y {
		if !math.IsNaN(y) {
			e := y - lin.Dot(lin.Row(sh.X, m.P, r), m.beta)
			m.ssr += float64(e * e)
			m.n++
		}
	}
}

// Sample settles the plug-in.
func (b paperSigma) Sample(s *cdf.Step) error {
	m := b.m
	shape, rate := m.sigmaLaw()
	if shape > 1 {
		m.s2 = rate / (shape - 1)
	} else {
		m.s2 = rate / shape
	}
	if !(m.s2 > 0) || math.IsInf(m.s2, 1) {
		return fmt.Errorf("%w: linear paper: variance not finite", cdf.ErrNumeric)
	}
	if s.Draws != nil {
		row := s.Draws.Row(m.P)
		for k := range row {
			row[k] = rnd.InvGamma(s.RNG, shape, rate)
		}
	}
	return nil
}

// sigmaLaw returns a' and b'.
func (m *Paper) sigmaLaw() (shape, rate float64) {
	return m.prior.Sigma2Shape + m.n/2, m.prior.Sigma2Rate + m.ssr/2
}

// spread returns w'Sigma^w and overwrites w.
func (m *Paper) spread(w []float64) float64 {
	lin.SolveLower(m.P, m.chol, w)
	return lin.Dot(w, w)
}

// Summarize fills the rows in closed form: beta is normal, sigma2 inverse
// gamma.
func (m *Paper) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	shape, rate := m.sigmaLaw()
	return m.Describe(functionals, rows, &m.law, shape, rate, func(r *cdf.Row, f *cdf.Functional) {
		mean := f.Const
		clear(w.c)
		for k, j := range f.Param {
			w.c[j] += f.Weight[k]
			mean += f.Weight[k] * m.beta[j]
		}
		describe.Normal(r, mean, math.Sqrt(m.spread(w.c)))
	})
}

// The rule names no predictive law. That of an observation is taken as t with
// 2a' degrees of freedom and scale^2 = b'/a' + x'Sigma^x, exact where beta is
// known; that of the line is normal.

// Score scores the rows that have a response; before the first row there is
// nothing to score with. The generator is not used.
func (m *Paper) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	if m.n == 0 {
		return sh.Unscored(), nil
	}
	if err := m.prepare(); err != nil {
		return cdf.NoScore(), err
	}
	w := m.work()
	defer m.scratch.Put(w)
	shape, _ := m.sigmaLaw()
	return predictive.ScoreStudent("linear paper", m.law.At(shape), sh, w, m.at)
}

// Predict describes a new observation and the regression line of every row.
func (m *Paper) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	shape, _ := m.sigmaLaw()
	law := m.law.At(shape)
	for i, y := range sh.Y {
		mean, row, line := m.at(w, lin.Row(sh.X, m.P, i))
		predictive.Student(law, mean, math.Sqrt(row), 0, y, &out[i])
		predictive.NormalLine(&out[i], mean, math.Sqrt(line))
	}
	return nil
}

// PredictQuantiles writes quantiles of a new observation at the last row.
func (m *Paper) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	shape, _ := m.sigmaLaw()
	mean, row, _ := m.at(w, lin.Row(sh.X, m.P, sh.Rows-1))
	predictive.StudentQuantiles(2*shape, mean, math.Sqrt(row), p, dst)
	return nil
}

// at returns the mean at x and the squared scales of a row and of the line.
func (m *Paper) at(w *work, x []float64) (mean, row, line float64) {
	copy(w.c, x)
	mean, line = lin.Dot(w.c, m.beta), m.spread(w.c)
	shape, rate := m.sigmaLaw()
	return mean, rate/shape + line, line
}
