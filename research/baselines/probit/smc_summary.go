package probit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/probit"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// Summarize fills moments and quantiles of the weighted particles; before the
// first step, of the prior. One that asks for another parameter than beta is
// refused with ErrSchema.
func (m *smc) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	one := cdf.Functional{Weight: []float64{1}}
	for i, f := range functionals {
		if err := m.Only(f); err != nil {
			return err
		}
		one.Const = f.Const
		if m.beta == nil {
			var sd [1]float64
			m.PriorSD([]cdf.Functional{f}, sd[:])
			law.Describe(&rows[i], one, 0, sd[0], law.NormalQuantile(0, sd[0]))
			continue
		}
		values := m.work.values
		m.values(f, values)
		mean, sd := m.moments(values)
		m.sort(values)
		law.Describe(&rows[i], one, mean, sd, func(p float64) float64 { return m.quantile(values, p) })
	}
	return nil
}

// Covariance writes the lower triangle of the covariance of the weighted
// particles, NaN before the first step.
func (m *smc) Covariance(functionals []cdf.Functional, dst []float64) error {
	centred, at := make([]float64, len(functionals)*m.n), 0
	for i, f := range functionals {
		if err := m.Only(f); err != nil {
			return err
		}
		mine := lin.Row(centred, m.n, i)
		m.values(f, mine)
		mean, _ := m.moments(mine)
		for k := range mine {
			mine[k] -= mean
		}
		for j := range i + 1 {
			other := lin.Row(centred, m.n, j)
			dst[at] = 0
			for k, w := range m.weight {
				dst[at] += w * mine[k] * other[k]
			}
			at++
		}
	}
	return nil
}

// values writes the functional, without its constant, of every particle.
func (m *smc) values(f cdf.Functional, dst []float64) {
	for k := range dst {
		dst[k] = 0
		for i, j := range f.Param {
			dst[k] += f.Weight[i] * m.beta[k*m.p+j]
		}
	}
}

// moments returns the weighted mean and sd.
func (m *smc) moments(values []float64) (mean, sd float64) {
	mean = lin.Dot(m.weight, values)
	v := 0.0
	for k, w := range m.weight {
		v += w * (values[k] - mean) * (values[k] - mean)
	}
	return mean, math.Sqrt(v)
}

// sort brings the particles into the order of the values.
func (m *smc) sort(values []float64) {
	for k := range m.work.order {
		m.work.order[k] = k
	}
	slices.SortFunc(m.work.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b))
	})
}

// quantile returns a weighted quantile, after sort: values lie at the middle
// of their weights, and what is between two of them is interpolated.
func (m *smc) quantile(values []float64, p float64) float64 {
	below, before, last := 0.0, 0.0, values[m.work.order[0]]
	for _, k := range m.work.order {
		at := below + .5*m.weight[k]
		if at >= p {
			return last + (p-before)/(at-before)*(values[k]-last)
		}
		below += m.weight[k]
		before, last = at, values[k]
	}
	return last
}

// lines calls f for every row of the shard with x'beta of every particle. f
// may change the values.
func (m *smc) lines(sh *cdf.Shard, f func(row int, line []float64)) {
	for i := range sh.Rows {
		line := m.work.lines[:m.n]
		lin.MulT(1, m.n, m.p, lin.Row(sh.X, m.p, i), m.beta, line)
		f(i, line)
	}
}

// mass returns the predictive probability of y and its logarithm, also where
// the probability underflows.
func (m *smc) mass(line []float64, y float64) (q, log float64) {
	sign, top := 2*y-1, math.Inf(-1)
	for k, v := range line {
		if m.weight[k] > 0 {
			top = max(top, sign*v)
		}
	}
	scale, sum := normal.LogCDF(top), 0.0
	for k, v := range line {
		if m.weight[k] > 0 {
			sum += m.weight[k] * math.Exp(normal.LogCDF(sign*v)-scale)
		}
	}
	log = min(scale+math.Log(sum), 0)
	return math.Exp(log), log
}

// Score scores the rows that have a response. Before the first absorbed row
// there is nothing to score with.
func (m *smc) Score(sh *cdf.Shard, rng *rand.Rand) (cdf.Score, error) {
	if len(m.power) == 0 {
		return sh.Unscored(), nil
	}
	b := probit.NewScore(rng)
	m.lines(sh, func(row int, line []float64) {
		if y := sh.Y[row]; !b.Skip(y) {
			q, log := m.mass(line, y)
			b.Add(y, q, log)
		}
	})
	return b.Score()
}

// Predict describes a new response, 0 or 1, and its probability of every row.
// Before the first step there are no particles to predict with, and every
// number is NaN.
func (m *smc) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if m.beta == nil {
		for i := range out {
			out[i] = cdf.NoPrediction()
		}
		return nil
	}
	m.lines(sh, func(row int, line []float64) {
		p, y := &out[row], sh.Y[row]
		q, log := math.NaN(), math.NaN()
		if !math.IsNaN(y) {
			q, log = m.mass(line, y)
		}
		probit.Judge(p, y, q, log)
		for k, v := range line {
			line[k] = normal.CDF(v)
		}
		mean, sd := m.moments(line)
		probit.Predict(p, min(mean, 1))
		m.sort(line)
		p.EpredSD, p.EpredQ025, p.EpredQ975 = sd, m.quantile(line, .025), m.quantile(line, .975)
	})
	return nil
}
