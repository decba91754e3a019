package anova

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/research/baselines/internal/law"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// sigma2 returns mean and sd of the log-normal law of sigma2.
func (m *adf) sigma2() (mean, sd float64) {
	v := m.sd(0) * m.sd(0)
	mean = math.Exp(m.mean[0] + v/2)
	return mean, mean * math.Sqrt(math.Expm1(v))
}

// Summarize describes zeta as normal and sigma2 as log-normal, and sigma2 by
// its prior before the first row.
func (m *adf) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	if err := m.prepare(); err != nil {
		return err
	}
	for i, f := range functionals {
		if len(f.Param) != 1 || f.Param[0] > m.groups() {
			return fmt.Errorf("%w: %s is not one parameter of anova adf", cdf.ErrSchema, f.Name)
		}
		r, at := &rows[i], f.Param[0]
		switch {
		case len(m.mean) == 0:
			law.DescribeInvGamma(r, f, m.prior.Sigma2Shape, m.prior.Sigma2Rate)
		case at == 0:
			mean, sd := m.sigma2()
			eta := law.NormalQuantile(m.mean[0], m.sd(0))
			law.Describe(r, f, mean, sd, func(p float64) float64 { return math.Exp(eta(p)) })
		default:
			law.Describe(r, f, m.mean[at], m.sd(at), law.NormalQuantile(m.mean[at], m.sd(at)))
		}
	}
	return nil
}

// PriorSD writes the prior sd of each functional, NaN where undefined.
func (m *adf) PriorSD(functionals []cdf.Functional, dst []float64) {
	priorSD(&m.prior, m.Params(), functionals, dst)
}

// laws returns the normal law of a row's group: of a known one about its
// level, of a new one about the level that it would join with. The noise is
// the mean of sigma2.
func (m *adf) laws() (func(i int32) *law.Mixture, error) {
	if err := m.prepare(); err != nil {
		return nil, err
	}
	made := groupLaws{}
	return func(i int32) *law.Mixture {
		return made.of(i, m.groups(), func(i int32, l *law.Mixture) {
			l.Size(1)
			l.Noise[0], _ = m.sigma2()
			if i >= 0 {
				sd := m.sd(1 + int(i))
				l.Mean[0], l.Level[0] = m.mean[1+i], sd*sd
				return
			}
			var precision float64
			l.Mean[0], precision = m.joining()
			l.Level[0] = 1/precision + m.meanVariance()
		})
	}, nil
}

// meanVariance returns the posterior variance of the mean of zeta.
func (m *adf) meanVariance() float64 {
	x := make([]float64, len(m.mean))
	for i := range x[1:] {
		x[1+i] = 1 / float64(m.groups())
	}
	lin.SolveLower(len(x), m.chol, x)
	return lin.Dot(x, x)
}

// Predict describes a new observation of every row's group, and the level of
// that group. Before the first row nothing is said.
func (m *adf) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	laws, err := m.laws()
	if err != nil {
		return err
	}
	predictGroups(sh, m.groups(), laws, out)
	return nil
}

// Score scores the rows that have a response. The generator is not used.
func (m *adf) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	laws, err := m.laws()
	if err != nil {
		return cdf.NoScore(), err
	}
	return scoreGroups("anova adf", sh, m.groups(), laws)
}

// AppendBinary appends the format, the mean and Lambda: 8(k+1)(k+4)/2 + 1
// bytes, one before the first row.
func (m *adf) AppendBinary(b []byte) ([]byte, error) { return state.Append(b, m.mean, m.lambda) }

// UnmarshalBinary replaces the state.
func (m *adf) UnmarshalBinary(b []byte) error {
	m.ready, m.fresh = false, false
	// order + order(order+1)/2 numbers, order = k+1, none or at least 2.
	held := state.Numbers(b)
	if held < 0 {
		return state.Damaged("anova adf", "wrong format or length")
	}
	order := int((math.Sqrt(float64(9+8*held)) - 3) / 2)
	m.mean, m.lambda = lin.Grow(m.mean, order), lin.Grow(m.lambda, lin.PackedLen(order))
	if err := state.Read("anova adf", b, m.mean, m.lambda); err != nil {
		return err
	}
	if order == 1 || m.prepare() != nil {
		return state.Damaged("anova adf", "the curvature is not positive definite")
	}
	return nil
}
