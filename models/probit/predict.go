package probit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/reliability"
)

// eachLine calls f for every row of the shard with x'beta at every draw, in
// the order of the rows. f may change the values.
func (m *Model) eachLine(sh *cdf.Shard, w *work, f func(row int, line []float64)) {
	p := m.p
	for i := 0; i < sh.Rows; i += scoreRows {
		h := min(scoreRows, sh.Rows-i)
		lin.MulT(h, m.s, p, sh.X[i*p:(i+h)*p], m.draws, w.lines)
		for r := range h {
			f(i+r, lin.Row(w.lines, m.s, r))
		}
	}
}

// mass turns x'beta at every draw into xs'beta for the response y and returns
// the predictive probability of y, which is the mean of Phi(xs'beta), and its
// logarithm, also where the probability underflows.
func mass(line []float64, y float64) (q, log float64) {
	lin.Scale(2*y-1, line)
	n := float64(len(line))
	if q = normal.SumCDF(line) / n; q > 1e-290 {
		return q, math.Log(q)
	}
	top, sum := normal.LogCDF(slices.Max(line)), 0.0
	for _, v := range line {
		sum += math.Exp(normal.LogCDF(v) - top)
	}
	return q, top + math.Log(sum/n)
}

// Score scores the rows that have a response, as Score does. Before the
// first absorbed row there is nothing to score with.
func (m *Model) Score(sh *cdf.Shard, rng *rand.Rand) (cdf.Score, error) {
	if m.stage != stageRows {
		return sh.Unscored(), nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	b, row, told := NewScore(rng), 0, sh.Reliability
	if told != nil {
		told.Begin(m.p)
	}
	for left := sh.Observed(); left > 0; {
		h, from := min(scoreRows, left), row
		left -= h
		var x []float64
		x, row = m.Signed(w.block[:0], sh, from, h)
		var q, log, variance [scoreRows]float64
		m.masses(w, x, q[:h], log[:h], variance[:h])
		for r := 0; from < row; from++ {
			if y := sh.Y[from]; !b.Skip(y) {
				b.Add(y, q[r], log[r])
				b.Share(q[r], variance[r])
				if told != nil {
					told.Add(y, q[r], variance[r], lin.Row(x, m.p, r))
				}
				r++
			}
		}
	}
	for _, y := range sh.Y[row:] {
		b.Skip(y)
	}
	if told != nil && told.Spreads() {
		m.spread(sh, w, told)
	}
	return b.Score()
}

// spread tells of the probabilities of a 1 of the scored rows at some of the draws.
func (m *Model) spread(sh *cdf.Shard, w *work, told *reliability.Shard) {
	p, n := m.p, min(m.s, reliability.MostDraws)
	draws := make([]float64, 0, n*p)
	for k := range n {
		draws = append(draws, lin.Row(m.draws, p, k*m.s/n)...)
	}
	for i := 0; i < sh.Rows; i += scoreRows {
		h := min(scoreRows, sh.Rows-i)
		lin.MulT(h, n, p, sh.X[i*p:(i+h)*p], draws, w.lines)
		for r, y := range sh.Y[i : i+h] {
			if ones := lin.Row(w.lines, n, r); !math.IsNaN(y) {
				normal.CDFs(ones, ones)
				told.Spread(ones, lin.Row(sh.X, p, i+r))
			}
		}
	}
}

// Predict describes a new response, 0 or 1, and its probability of every row.
// Before the first step there are no draws to predict with, and every number
// is NaN.
func (m *Model) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if m.stage == stageNew {
		for i := range out {
			out[i] = cdf.NoPrediction()
		}
		return nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	m.eachLine(sh, w, func(row int, line []float64) {
		p, y := &out[row], sh.Y[row]
		q, log := math.NaN(), math.NaN()
		if !math.IsNaN(y) {
			copy(w.series, line)
			q, log = mass(w.series, y)
		}
		Judge(p, y, q, log)
		for s, v := range line {
			line[s] = normal.CDF(v)
		}
		slices.Sort(line)
		p.EpredQ025, p.EpredQ975 = mcmc.Quantile(line, .025), mcmc.Quantile(line, .975)
		mean, square := lin.Center(line)
		p.EpredSD = math.Sqrt(square / float64(m.s))
		Predict(p, mean)
	})
	return nil
}

// PredictQuantiles writes quantiles, 0 or 1, of a new response at the last row; NaN
// before the first step.
func (m *Model) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	last, rows := sh.Rows-1, [1]cdf.Prediction{}
	one := *sh
	one.Rows, one.Y, one.X = 1, []float64{math.NaN()}, lin.Row(sh.X, m.p, last)
	if err := m.Predict(&one, rows[:]); err != nil {
		return err
	}
	for i, level := range p {
		if dst[i] = bernoulliQuantile(rows[0].Mean, level); math.IsNaN(rows[0].Mean) {
			dst[i] = math.NaN()
		}
	}
	return nil
}
