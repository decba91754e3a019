package probit

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/probit"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// Summarize fills the rows in closed form. One that asks for another parameter
// than beta is refused with ErrSchema.
func (m *svb) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	white := make([]float64, m.p)
	for i, f := range functionals {
		mean, err := m.whiten(f, white)
		if err != nil {
			return err
		}
		sd := math.Sqrt(lin.Dot(white, white))
		law.Describe(&rows[i], cdf.Functional{Const: f.Const, Weight: []float64{1}}, mean, sd, law.NormalQuantile(mean, sd))
	}
	return nil
}

// Covariance writes the lower triangle of the posterior covariance.
func (m *svb) Covariance(functionals []cdf.Functional, dst []float64) error {
	white, at := make([]float64, len(functionals)*m.p), 0
	for i, f := range functionals {
		mine := lin.Row(white, m.p, i)
		if _, err := m.whiten(f, mine); err != nil {
			return err
		}
		for j := range i + 1 {
			dst[at] = lin.Dot(mine, lin.Row(white, m.p, j))
			at++
		}
	}
	return nil
}

// whiten returns the mean of a functional, without its constant, and writes
// L^-1 times its weights: products of those are covariances.
func (m *svb) whiten(f cdf.Functional, white []float64) (mean float64, err error) {
	if err := m.Only(f); err != nil {
		return 0, err
	}
	clear(white)
	for k, j := range f.Param {
		white[j] += f.Weight[k]
		mean += f.Weight[k] * m.mean[j]
	}
	lin.SolveLower(m.p, m.factor, white)
	return mean, nil
}

// line returns mean and variance of x'beta.
func (m *svb) line(x, white []float64) (mean, variance float64) {
	copy(white, x)
	lin.SolveLower(m.p, m.factor, white)
	return lin.Dot(x, m.mean), lin.Dot(white, white)
}

// Score scores the rows that have a response, by P(y = 1) =
// Phi(x'm / sqrt(1 + x'Vx)). Before the first row there is nothing to score
// with.
func (m *svb) Score(sh *cdf.Shard, rng *rand.Rand) (cdf.Score, error) {
	if m.rows == 0 {
		return sh.Unscored(), nil
	}
	b, white := probit.NewScore(rng), make([]float64, m.p)
	for i, y := range sh.Y {
		if b.Skip(y) {
			continue
		}
		mean, v := m.line(lin.Row(sh.X, m.p, i), white)
		h := (2*y - 1) * mean / math.Sqrt(1+v)
		b.Add(y, normal.CDF(h), normal.LogCDF(h))
	}
	return b.Score()
}

// Predict describes a new response, 0 or 1, and its probability of every row.
func (m *svb) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	white := make([]float64, m.p)
	for i, y := range sh.Y {
		mean, v := m.line(lin.Row(sh.X, m.p, i), white)
		h, p := mean/math.Sqrt(1+v), &out[i]
		probit.Predict(p, normal.CDF(h))
		probit.Judge(p, y, normal.CDF((2*y-1)*h), normal.LogCDF((2*y-1)*h))
		at := law.NormalQuantile(mean, math.Sqrt(v))
		p.EpredQ025, p.EpredQ975 = normal.CDF(at(.025)), normal.CDF(at(.975))
		p.EpredSD = probabilitySD(mean, v)
	}
	return nil
}

// probabilitySD returns the sd of Phi(e), e ~ N(mean, v). With
// h = mean/sqrt(1+v) and Owen's T, E Phi(e)^2 = Phi(h) - 2 T(h, 1/sqrt(1+2v))
// (Owen, Ann. Math. Stat. 27, 1956) and Phi(h)^2 = Phi(h) - 2 T(h, 1): the
// variance is one integral of a positive function.
func probabilitySD(mean, v float64) float64 {
	h2 := mean * mean / (1 + v)
	integral := quad.Fixed(func(x float64) float64 {
		return math.Exp(-.5*h2*(1+x*x)) / (1 + x*x)
	}, 1/math.Sqrt(1+2*v), 1, 24, nil, 0)
	return math.Sqrt(integral / math.Pi)
}
