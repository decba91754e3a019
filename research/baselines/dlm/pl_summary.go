package dlm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// Summarize describes the particles. Their number says little of the error of
// a mean, as many descend from one: there is no MCSE. A functional is affine
// in one parameter; others are refused with ErrSchema.
func (m *pl) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	x := make([]float64, len(m.now))
	for i, f := range functionals {
		if len(f.Param) != 1 || f.Param[0] < 0 || f.Param[0] > 3 {
			return fmt.Errorf("%w: %s is not affine in one parameter", cdf.ErrSchema, f.Name)
		}
		mean, square := 0.0, 0.0
		for k := range m.now {
			x[k] = f.Const + f.Weight[0]*m.now[k].at(f.Param[0])
			d := x[k] - mean
			mean += d / float64(k+1)
			square += d * (x[k] - mean)
		}
		r := &rows[i]
		hasMean, hasSD := m.set.Prior.Moments(f.Param[0], m.n, m.n)
		if hasMean {
			r.Mean = mean
		}
		if hasSD {
			r.SD = math.Sqrt(square / float64(len(x)))
		}
		slices.Sort(x)
		r.Q025, r.Q05, r.Q25 = mcmc.Quantile(x, .025), mcmc.Quantile(x, .05), mcmc.Quantile(x, .25)
		r.Median, r.Q75 = mcmc.Quantile(x, .5), mcmc.Quantile(x, .75)
		r.Q95, r.Q975 = mcmc.Quantile(x, .95), mcmc.Quantile(x, .975)
	}
	return nil
}

// PriorSD writes the prior sd of each functional, NaN where undefined.
func (m *pl) PriorSD(functionals []cdf.Functional, dst []float64) {
	m.set.Prior.PriorSD(functionals, dst)
}

// Predict describes every row given the rows before it: a normal law per
// particle, whose weight the rows before have changed. Before the first shard
// there are no particles, and nothing is predicted.
func (m *pl) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if len(m.now) == 0 {
		for i := range out {
			out[i] = cdf.NoPrediction()
		}
		return nil
	}
	m.walk(sh, func(i int) {
		m.law.Describe(&out[i])
		m.law.Value(sh.Y[i], &out[i])
	})
	return nil
}

// Score scores the rows that have a response as Predict describes them. The
// generator is not used.
func (m *pl) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	s := law.NewScoring()
	if len(m.now) == 0 {
		return s.Score("dlm pl")
	}
	m.walk(sh, func(i int) { s.Row(&m.law, sh.Y[i]) })
	return s.Score("dlm pl")
}

// walk calls at before each row, with its predictive law in m.law.
func (m *pl) walk(sh *cdf.Shard, at func(i int)) {
	l, c := &m.law, m.clock
	l.Size(len(m.now))
	for k := range m.now {
		l.Mean[k], l.Level[k], l.Noise[k] = m.now[k].theta, 0, m.now[k].psi[2]
	}
	for i, y := range sh.Y {
		steps := c.Tick(sh, i)
		for k := range m.now {
			power, sum := dlm.Carry(m.now[k].psi[0], steps)
			l.Mean[k] *= power
			l.Level[k] = power*power*l.Level[k] + m.now[k].psi[1]*sum
		}
		l.Settle()
		at(i)
		if !math.IsNaN(y) {
			condition(l, y)
		}
	}
}

// condition takes a row's response into the law: of the weights and of the
// lines.
func condition(l *law.Mixture, y float64) {
	top, total := math.Inf(-1), 0.0
	logs := func(k int) float64 {
		v, d := l.Level[k]+l.Noise[k], y-l.Mean[k]
		return -0.5 * (d*d/v + math.Log(v))
	}
	for k := range l.Weight {
		top = max(top, logs(k))
	}
	for k := range l.Weight {
		l.Weight[k] *= math.Exp(logs(k) - top)
		total += l.Weight[k]
	}
	for k := range l.Weight {
		l.Weight[k] /= total
		f := l.Level[k] + l.Noise[k]
		l.Mean[k] += l.Level[k] / f * (y - l.Mean[k])
		l.Level[k] *= l.Noise[k] / f
	}
}
