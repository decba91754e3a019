package anova

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// Summarize describes every parameter by the weighted particles, and by the
// prior before the first row.
func (m *smc) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	params := m.Params()
	order := make([]int, len(m.w))
	for i, f := range functionals {
		if len(f.Param) != 1 || parameter(params, f.Param[0]) == "" {
			return fmt.Errorf("%w: %s is not one parameter of anova smc", cdf.ErrSchema, f.Name)
		}
		if len(m.w) == 0 {
			m.describePrior(&rows[i], f, parameter(params, f.Param[0]))
			continue
		}
		at := f.Param[0]
		mean, v := 0.0, 0.0
		for k, w := range m.w {
			order[k] = k
			mean += w * m.at(k)[at]
		}
		for k, w := range m.w {
			d := m.at(k)[at] - mean
			v += w * d * d
		}
		slices.SortFunc(order, func(k, l int) int { return cmp.Compare(m.at(k)[at], m.at(l)[at]) })
		law.Describe(&rows[i], f, mean, math.Sqrt(v), func(p float64) float64 { return m.at(m.reached(order, p))[at] })
		rows[i].MCSEMean = rows[i].SD / math.Sqrt(m.effective())
	}
	return nil
}

// reached returns the first particle in the order at which the weights so far
// sum to p.
func (m *smc) reached(order []int, p float64) int {
	sum := 0.0
	for _, k := range order {
		if sum += m.w[k]; sum >= p {
			return k
		}
	}
	return order[len(order)-1]
}

// describePrior is Summarize without a group.
func (m *smc) describePrior(r *cdf.Row, f cdf.Functional, name string) {
	p := &m.prior
	switch name {
	case "mu":
		sd := math.Sqrt(p.MuVariance)
		law.Describe(r, f, 0, sd, law.NormalQuantile(0, sd))
	case "tau2":
		law.DescribeInvGamma(r, f, p.Tau2Shape, p.Tau2Rate)
	default:
		law.DescribeInvGamma(r, f, p.Sigma2Shape, p.Sigma2Rate)
	}
}

// PriorSD writes the prior sd of each functional, NaN where undefined.
func (m *smc) PriorSD(functionals []cdf.Functional, dst []float64) {
	priorSD(&m.prior, m.Params(), functionals, dst)
}

// laws returns the law of a row's group as the mixture over the particles, in
// which the level is a point.
func (m *smc) laws() func(i int32) *law.Mixture {
	made := groupLaws{}
	return func(i int32) *law.Mixture {
		return made.of(i, len(m.n), func(i int32, l *law.Mixture) {
			l.Size(len(m.w))
			copy(l.Weight, m.w)
			for k := range m.w {
				x := m.at(k)
				l.Noise[k] = x[sigma2Row]
				if i < 0 {
					l.Mean[k], l.Level[k] = x[muRow], x[tau2Row]
				} else {
					l.Mean[k], l.Level[k] = x[zetaRow+i], 0
				}
			}
		})
	}
}

// Predict describes a new observation of every row's group, and the level of
// that group. Before the first row nothing is said.
func (m *smc) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	predictGroups(sh, len(m.n), m.laws(), out)
	return nil
}

// Score scores the rows that have a response. The generator is not used.
func (m *smc) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	return scoreGroups("anova smc", sh, len(m.n), m.laws())
}

// Size returns the bytes held.
func (m *smc) Size() int64 {
	return 8 * int64(2*len(m.x)+2*len(m.w)+2*len(m.n))
}
