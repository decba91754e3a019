package probit

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

// Summarize fills mean and sd by Rao and Blackwell's theorem from the laws of
// beta given the latent variables, mixed over the draws, and leaves quantiles
// and diagnostics to the draws. Between UnmarshalBinary and the next shard the
// moments too are those of the draws. One that asks for another parameter than
// beta is refused with ErrSchema.
func (m *Model) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	w := m.work()
	defer m.scratch.Put(w)
	for i, f := range functionals {
		r := &rows[i]
		if err := m.Only(f); err != nil {
			return err
		}
		m.conditional(f, w.series, w.direction)
		mean, square := lin.Center(w.series)
		between := square / float64(max(m.s-1, 1))
		within := m.within(f, w.direction)
		r.Mean, r.SD = f.Const+mean, math.Sqrt(within+between)
		r.MCSEMean = 0
		if between > 0 {
			r.MCSEMean = w.diag.MCSEMean(w.series, m.chains)
		}
		r.Open = true
	}
	return nil
}

// Positive writes the probability that each functional is above 0 by Rao and Blackwell's
// theorem: the mean over the draws of that of the conditional normal law.
func (m *Model) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	for i, f := range functionals {
		if err := m.Only(f); err != nil {
			return err
		}
		m.conditional(f, w.series, w.direction)
		sd := math.Sqrt(m.within(f, w.direction))
		for s, mean := range w.series {
			w.series[s] = normal.CDF((f.Const + mean) / sd)
		}
		mcse[i] = 0
		if !slices.ContainsFunc(w.series, func(v float64) bool { return v != w.series[0] }) {
			p[i] = w.series[0]
			continue
		}
		mcse[i] = w.diag.MCSEMean(w.series, m.chains)
		sum := 0.0
		for _, v := range w.series {
			sum += v
		}
		p[i] = min(sum/float64(m.s), 1)
	}
	return nil
}

// conditional writes the functional's conditional mean at every draw, without
// its constant, and cov times its weights.
func (m *Model) conditional(f cdf.Functional, series, direction []float64) {
	clear(series)
	clear(direction)
	for k, j := range f.Param {
		lin.Axpy(f.Weight[k], lin.Row(m.post.means, m.s, j), series)
		lin.Axpy(f.Weight[k], lin.Row(m.post.cov, m.p, j), direction)
	}
}

// within returns the product of the functional's weights and a direction.
func (m *Model) within(f cdf.Functional, direction []float64) float64 {
	v := 0.0
	for k, j := range f.Param {
		v += f.Weight[k] * direction[j]
	}
	return v
}

// PriorSensitivity writes |Cov(f, log p)| / sd(f), p the prior, by Rao and Blackwell's
// theorem: given the latent variables beta is normal, and its covariance with its own
// square is twice its mean times its variance.
func (m *Model) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.s == 0 {
		return
	}
	w := m.work()
	defer m.scratch.Put(w)
	w.joint = lin.Grow(w.joint, 2*m.s+m.p)
	log, equal, pull := w.joint[:m.s], w.joint[m.s:2*m.s], w.joint[2*m.s:]
	clear(log)
	for k := range equal {
		equal[k] = 1 / float64(m.s)
	}
	for j := range m.p {
		means, half := lin.Row(m.post.means, m.s, j), .5/m.Variance(j)
		for k, x := range means {
			log[k] -= float64(half * x * x)
		}
		pull[j] = -lin.Dot(means, equal) / m.Variance(j)
	}
	m.addBaselines(log, w.series)
	m.levels.Precision(pull)
	lin.Center(log)
	n := float64(max(m.s-1, 1))
	for i, f := range functionals {
		if m.Only(f) != nil {
			continue
		}
		m.conditional(f, w.series, w.direction)
		lin.Axpy(-lin.Dot(w.series, equal)*float64(m.s), equal, w.series)
		cross := lin.Dot(w.series, log)/n + lin.Dot(w.direction, pull)
		dst[i] = math.Abs(cross) / math.Sqrt(m.within(f, w.direction)+lin.Dot(w.series, w.series)/n)
	}
}

// addBaselines adds to the log density of the prior at the means of the draws what it has of levels for being alike; series is scratch.
func (m *Model) addBaselines(log, series []float64) {
	for _, l := range m.levels {
		clear(series)
		for j := l.First; j < l.First+l.Columns; j++ {
			lin.Axpy(1, lin.Row(m.post.means, m.s, j), series)
		}
		half := .5 / (m.prior.BetaVariance * float64(l.Columns+1))
		for k, total := range series {
			log[k] += float64(half * total * total)
		}
	}
}

// PriorShare implements cdf.PriorShared: covariances with the coefficients are those of the laws given the latent variables,
// and of their means.
func (m *Model) PriorShare(functionals []cdf.Functional, dst []float64) {
	if m.s == 0 {
		return
	}
	w := m.work()
	defer m.scratch.Put(w)
	n := float64(max(m.s-1, 1))
	for i, f := range functionals {
		if m.Only(f) != nil {
			continue
		}
		m.conditional(f, w.series, w.direction)
		lin.Center(w.series)
		share := 0.0
		for j := range m.p {
			w.direction[j] += lin.Dot(lin.Row(m.post.means, m.s, j), w.series) / n
			share += float64(w.direction[j] * w.direction[j] / m.Variance(j))
		}
		share -= m.levels.Excess(w.direction) / m.prior.BetaVariance
		dst[i] = share / m.within(f, w.direction)
	}
}

// Covariance writes the lower triangle of the posterior covariance of the
// functionals. Its diagonal is the square of the summary's sd.
func (m *Model) Covariance(functionals []cdf.Functional, dst []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	k := len(functionals)
	w.joint = lin.Grow(w.joint, k*(m.s+m.p))
	series, directions := w.joint[:k*m.s], w.joint[k*m.s:]
	at := 0
	for i, f := range functionals {
		if err := m.Only(f); err != nil {
			return err
		}
		mine := lin.Row(series, m.s, i)
		m.conditional(f, mine, lin.Row(directions, m.p, i))
		lin.Center(mine)
		for j := range i + 1 {
			between := lin.Dot(mine, lin.Row(series, m.s, j)) / float64(max(m.s-1, 1))
			dst[at] = m.within(f, lin.Row(directions, m.p, j)) + between
			at++
		}
	}
	return nil
}
