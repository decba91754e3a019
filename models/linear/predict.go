package linear

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// rowAt writes x'M, the row in the posterior's basis.
func (m *Model) rowAt(x, c []float64) {
	clear(c)
	for j, v := range x {
		m.addBasis(v, j, c)
	}
}

// rowsAt writes those of many rows.
func (m *Model) rowsAt(rows int, x, c []float64) {
	if m.inSeries() {
		lin.RowsUpper(rows, m.P, x, m.post.m, c)
	} else {
		lin.Mul(rows, m.P, m.P, x, m.post.m, c)
	}
}

// scoreRows is how many rows are scored at a time, earlyRows while the rows are
// few: a block has room for two numbers or p of each.
const scoreRows, earlyRows = lin.PanelRows, 32

// Score scores the rows that have a response: by t with 2a” degrees of
// freedom, scale^2 = s2 + x'Sigma^x, or by the exact mixture while the rows
// are few. Before the first row there is nothing to score with. The generator
// is not used.
func (m *Model) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	if m.n == 0 {
		return sh.Unscored(), nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return cdf.NoScore(), err
	}
	t := predictive.NewTally(cdf.NoScore())
	t.Scores = sh.Curved.BeginEven(sh.Rows)
	if m.early() {
		if sh.Glance && m.glance(w, sh) {
			return t.Score("linear")
		}
		m.mixFar(w)
		for from := 0; from < sh.Rows; from += earlyRows {
			rows := min(earlyRows, sh.Rows-from)
			m.rowsAt(rows, sh.X[from*m.P:], w.block)
			m.mixRows(&w.mix, rows, w.block)
			for i, y := range sh.Y[from : from+rows] {
				if t.Skip(y) || sh.Glance && w.mix.plainly(i, y) {
					continue
				}
				t.Untold(m.untold(w, i, lin.Row(w.block, m.P, i)))
				w.mix.take(i, 0, true)
				mean, _ := w.mix.Moments()
				pit, log := w.predicted(y)
				t.Logs += log
				t.Add(y-mean, pit, pit >= .025 && pit <= .975)
			}
		}
		return t.Score("linear")
	}
	q, s2 := &m.post, m.plugin()
	law := predictive.NewStudentScore(2*q.shape, q.law.At(q.shape).T[2])
	mean, line := w.block[:scoreRows], w.block[scoreRows:]
	for from := 0; from < sh.Rows; from += scoreRows {
		to := min(from+scoreRows, sh.Rows)
		lin.Spread(to-from, m.P, sh.X[from*m.P:to*m.P], q.m, q.beta, mean, line)
		law.AddRows(&t, sh.Y[from:to], mean, line, s2)
	}
	if t.Shares() {
		predictive.MeanRow(sh, w.c)
		lin.Spread(1, m.P, w.c, q.m, q.beta, mean, line)
		t.Pairs(line[0])
	}
	t.Logs, t.Expected = law.Logs()
	return t.Score("linear")
}

// untold returns the part of the variance of a row's prediction that is the prior's alone, and that variance, both at the
// plug-in, or s0 of a series next to it: with K the posterior's covariance in units of the prior, c'KKc and s2 + c'Kc. c is the row in
// the basis M, the i-th of those that mixRows has seen. It writes over c.
func (m *Model) untold(w *work, i int, c []float64) (untold, variance float64) {
	q, s2 := &m.post, m.plugin()
	if m.inSeries() {
		u := lin.Row(w.mix.u, m.P, i)
		return lin.Dot(u, u), q.s0 + lin.Dot(c, c)
	}
	copy(w.c, c)
	q.covary(c)
	return lin.Dot(c, c), s2 + lin.Dot(w.c, c)
}

// Fit implements cdf.Fitted at the plug-in of sigma2.
func (m *Model) Fit(sh *cdf.Shard, dst []float64) bool {
	w := m.work()
	defer m.scratch.Put(w)
	if m.n == 0 || m.prepare(w) != nil {
		return false
	}
	for i := range dst {
		dst[i] = lin.Dot(lin.Row(sh.X, m.P, i), m.post.beta)
	}
	return true
}

// Predict describes a new observation and the regression line of every row.
func (m *Model) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	if !m.early() {
		predictive.PredictStudent(m.post.law.At(m.post.shape), sh, out, w, m.at)
		return nil
	}
	m.mixFar(w)
	m.fillNodes(&w.nodes)
	for i, y := range sh.Y {
		m.rowAt(lin.Row(sh.X, m.P, i), w.c)
		m.predictEarly(w, y, &out[i], sh.Inner)
	}
	return nil
}

// at returns the mean at x and the squared scales of a row and of the line.
func (m *Model) at(w *work, x []float64) (mean, row, line float64) {
	m.rowAt(x, w.c)
	line = lin.Dot(w.c, w.c)
	return lin.Dot(x, m.post.beta), m.plugin() + line, line
}

// predictEarly mixes over sigma2; the sd of an observation is NaN where the
// mean of sigma2 is undefined.
func (m *Model) predictEarly(w *work, y float64, p *cdf.Prediction, inner bool) {
	x := &w.mix
	lo, hi := dist.NormalQuantiles[0], dist.NormalQuantiles[6]
	m.mixRows(x, 1, w.c)
	x.take(0, 0, false)
	p.Mean, p.EpredSD = x.Moments()
	if !inner { // who asks for that has no use for the line
		p.EpredQ025, p.EpredQ975 = x.Quantile(dist.Levels[0], lo), x.Quantile(dist.Levels[6], hi)
	}
	x.take(0, 0, true)
	p.SD, p.LogDensity, p.PIT = math.NaN(), math.NaN(), math.NaN()
	if s, _ := w.nodes.sigma2(); m.post.shape > 1 && !math.IsNaN(s) {
		p.SD = math.Sqrt(s + p.EpredSD*p.EpredSD)
	}
	p.Q025, p.Q975 = x.Quantile(dist.Levels[0], lo), x.Quantile(dist.Levels[6], hi)
	if inner {
		for k, level := range dist.InnerLevels {
			p.Inner[k] = x.Quantile(level, dist.InnerNormals[k])
		}
	}
	if !math.IsNaN(y) {
		p.PIT, p.LogDensity = w.predicted(y)
	}
}

// PredictQuantiles writes quantiles of a new observation at the last row.
func (m *Model) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	x := lin.Row(sh.X, m.P, sh.Rows-1)
	if !m.early() {
		mean, row, _ := m.at(w, x)
		predictive.StudentQuantiles(2*m.post.shape, mean, math.Sqrt(row), p, dst)
		return nil
	}
	m.mixFar(w)
	m.rowAt(x, w.c)
	m.mixRows(&w.mix, 1, w.c)
	w.mix.take(0, 0, true)
	for i, level := range p {
		dst[i] = w.mix.Quantile(level, normal.Quantile(level))
	}
	return nil
}
