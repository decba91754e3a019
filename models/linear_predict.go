package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// rowAt writes x' D^{-1} V, the row in the directions of V.
func (m *Linear) rowAt(x, c []float64) {
	clear(c)
	for j, v := range x {
		lin.Axpy(v, m.post.m[j*m.p:(j+1)*m.p], c)
	}
}

// spread writes into w.a the matrix whose product with a row has the sum of
// squares x'Sigma^x, the variance of x'beta at the plug-in.
func (m *Linear) spread(w *linearWork) {
	for j, k := range m.post.shrink {
		k = math.Sqrt(k)
		for i := range m.p {
			w.a[j*m.p+i] = k * m.post.m[i*m.p+j]
		}
	}
}

// Score scores the rows that have a response: by t with 2a” degrees of
// freedom, scale^2 = s2 + x'Sigma^x, or by the exact mixture while the rows
// are few. Before the first row there is nothing to score with. The generator
// is not used.
func (m *Linear) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	out := cdf.NoScore()
	if m.n == 0 {
		out.PredictedRows = int64(sh.Rows - sh.Observed())
		return out, nil
	}
	w := m.work()
	defer m.works.Put(w)
	if err := m.prepare(w); err != nil {
		return out, err
	}
	t := newTally(out)
	if m.early() {
		m.mixNodes(w)
		for i, y := range sh.Y {
			if t.skip(y) {
				continue
			}
			m.rowAt(sh.X[i*m.p:(i+1)*m.p], w.c)
			m.mixAt(&w.mix, w.c, 0, true)
			mean, _ := w.mix.moments()
			pit := w.mix.cdf(y)
			t.logs += w.mix.logDensity(y)
			t.add(y-mean, pit, pit >= .025 && pit <= .975)
		}
		return t.score("linear")
	}
	m.spread(w)
	q, s2 := &m.post, m.plugin()
	law := newStudentScore(2*q.shape, q.law.at(q.shape).t[2])
	for i, y := range sh.Y {
		if t.skip(y) {
			continue
		}
		x := sh.X[i*m.p : (i+1)*m.p]
		e := y - lin.Dot(x, q.beta)
		pit, covered := law.add(e, s2+lin.SumSquares(w.a, x))
		t.add(e, pit, covered)
	}
	t.logs = law.log()
	return t.score("linear")
}

// studentScore sums log densities of t laws with common degrees of freedom.
type studentScore struct {
	df, limit2      float64
	rows            int
	variance, shape logProduct
	bins            studentBins
}

func newStudentScore(df, limit float64) studentScore {
	return studentScore{
		df: df, limit2: limit * limit, variance: newLogProduct(), shape: newLogProduct(), bins: newStudentBins(df),
	}
}

// add takes a residual and the squared scale. It returns the residual's
// probability integral transform, as well as a bin of Score.PIT tells it, and
// whether the residual lies within the limit.
func (s *studentScore) add(e, scale2 float64) (pit float64, covered bool) {
	z2 := e * e / scale2
	s.rows++
	s.variance.mul(scale2)
	s.shape.mul(1 + z2/s.df)
	return s.bins.at(e, z2), z2 <= s.limit2
}

func (s *studentScore) log() float64 {
	return float64(s.rows)*studentLogScale(s.df) - 0.5*s.variance.log() - (s.df+1)/2*s.shape.log()
}

// tally collects the scores of a shard's rows.
type tally struct {
	out             cdf.Score
	logs, squares   float64
	covered, scored int
}

func newTally(s cdf.Score) tally { return tally{out: s} }

// skip counts a row and reports that it has no response.
func (t *tally) skip(y float64) bool {
	if y == y {
		return false
	}
	t.out.PredictedRows++
	return true
}

// add counts a row; covered says whether the transform pit is in [.025, .975].
func (t *tally) add(residual, pit float64, covered bool) {
	t.out.Transformed(pit, covered)
	t.scored++
	t.squares += residual * residual
	if covered {
		t.covered++
	}
}

func (t *tally) score(kind string) (cdf.Score, error) {
	t.out.Rows = int64(t.scored)
	if t.scored == 0 {
		return t.out, nil
	}
	n := float64(t.scored)
	t.out.LogDensity = t.logs / n
	t.out.RMSE = math.Sqrt(t.squares / n)
	t.out.Coverage95 = float64(t.covered) / n
	if sum := t.out.LogDensity + t.out.RMSE; sum-sum != 0 {
		return t.out, fmt.Errorf("%w: %s: score not finite", cdf.ErrNumeric, kind)
	}
	return t.out, nil
}

// Predict describes a new observation and the regression line of every row.
func (m *Linear) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	w := m.work()
	defer m.works.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	early := m.early()
	if early {
		m.mixNodes(w)
	} else {
		m.spread(w)
	}
	for i := range sh.Rows {
		x := sh.X[i*m.p : (i+1)*m.p]
		if early {
			m.rowAt(x, w.c)
			m.predictEarly(w, sh.Y[i], &out[i])
			continue
		}
		v := lin.SumSquares(w.a, x)
		law := m.post.law.at(m.post.shape)
		predictStudent(law, lin.Dot(x, m.post.beta), math.Sqrt(m.plugin()+v), math.Sqrt(v), sh.Y[i], &out[i])
	}
	return nil
}

// predictEarly mixes over sigma2; the sd of an observation is NaN where the
// mean of sigma2 is undefined.
func (m *Linear) predictEarly(w *linearWork, y float64, p *cdf.Prediction) {
	x := &w.mix
	lo, hi := normals[0], normals[6]
	m.mixAt(x, w.c, 0, false)
	p.Mean, p.EpredSD = x.moments()
	p.EpredQ025, p.EpredQ975 = x.quantile(levels[0], lo), x.quantile(levels[6], hi)
	m.mixAt(x, w.c, 0, true)
	p.SD, p.LogDensity, p.PIT = math.NaN(), math.NaN(), math.NaN()
	if s, _ := w.nodes.sigma2(); m.post.shape > 1 && s == s {
		p.SD = math.Sqrt(s + p.EpredSD*p.EpredSD)
	}
	p.Q025, p.Q975 = x.quantile(levels[0], lo), x.quantile(levels[6], hi)
	if y == y {
		p.LogDensity, p.PIT = x.logDensity(y), x.cdf(y)
	}
}

// predictStudent fills a prediction from t laws with 2*shape degrees of
// freedom about mean, with the given scales of observation and line.
func predictStudent(law *standard, mean, scale, line, y float64, p *cdf.Prediction) {
	limit, df := law.t[2], 2*law.shape
	p.Mean, p.SD, p.EpredSD = mean, math.NaN(), math.NaN()
	if law.shape > 1 {
		widen := math.Sqrt(law.shape / (law.shape - 1))
		p.SD, p.EpredSD = scale*widen, line*widen
	}
	p.Q025, p.Q975 = mean-limit*scale, mean+limit*scale
	p.EpredQ025, p.EpredQ975 = mean-limit*line, mean+limit*line
	p.LogDensity, p.PIT = math.NaN(), math.NaN()
	if y == y {
		z := (y - mean) / scale
		p.LogDensity = studentLogScale(df) - math.Log(scale) - (df+1)/2*math.Log1p(z*z/df)
		p.PIT = studentCDF(z, df)
	}
}
