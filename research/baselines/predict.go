package baselines

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// law is a finite mixture of normals that a row is predicted with: component
// k has weight w[k], its line the mean[k] and variance level[k], the row the
// variance level[k] + noise[k] > 0. Weights sum to 1. Whoever has filled these
// calls settle.
type law struct {
	w, mean, level, noise []float64

	centre    float64   // mean of a row
	top       []float64 // per component, log of its weight times its density at its mean
	precision []float64 // per component, 1/sd of a row
	logs      []float64 // scratch
}

// size makes room for n components of equal weight.
func (l *law) size(n int) {
	l.w, l.mean, l.level, l.noise = sized(l.w, n), sized(l.mean, n), sized(l.level, n), sized(l.noise, n)
	for k := range l.w {
		l.w[k] = 1 / float64(n)
	}
}

// settle computes what every row that is predicted with the law needs.
func (l *law) settle() {
	n := len(l.w)
	l.top, l.precision, l.logs = sized(l.top, n), sized(l.precision, n), sized(l.logs, n)
	l.centre, _ = l.moments(true)
	for k, w := range l.w {
		v := l.variance(k, true)
		l.top[k], l.precision[k] = math.Log(w)-0.5*math.Log(2*math.Pi*v), 1/math.Sqrt(v)
	}
}

// variance returns that of component k: of a row, or of its line.
func (l *law) variance(k int, row bool) float64 {
	if row {
		return l.level[k] + l.noise[k]
	}
	return l.level[k]
}

// moments returns mean and sd of a row, or of its line.
func (l *law) moments(row bool) (mean, sd float64) {
	for k, w := range l.w {
		mean += w * l.mean[k]
	}
	v := 0.0
	for k, w := range l.w {
		d := l.mean[k] - mean
		v += w * (l.variance(k, row) + d*d)
	}
	return mean, math.Sqrt(v)
}

// cdf returns the probability that a row, or its line, is at most y.
func (l *law) cdf(y float64, row bool) float64 {
	p := 0.0
	for k, w := range l.w {
		sd := math.Sqrt(l.variance(k, row))
		if z := (y - l.mean[k]) / sd; z == z { // 0/0: at a point mass
			p += w * 0.5 * math.Erfc(-z/math.Sqrt2)
		} else {
			p += w
		}
	}
	return min(p, 1)
}

// logDensity returns the log density of a row at y, also where every term
// underflows.
func (l *law) logDensity(y float64) float64 {
	most := math.Inf(-1)
	for k, top := range l.top {
		z := (y - l.mean[k]) * l.precision[k]
		l.logs[k] = top - 0.5*z*z
		most = max(most, l.logs[k])
	}
	sum := 0.0
	for _, v := range l.logs {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// pit returns the probability that a row is at most y.
func (l *law) pit(y float64) float64 {
	p := 0.0
	for k, w := range l.w {
		p += w * 0.5 * math.Erfc((l.mean[k]-y)*l.precision[k]*(math.Sqrt2/2))
	}
	return min(p, 1)
}

// quantile returns the p-quantile of a row, or of its line, by bisection: the
// components' own 12 sds bracket it.
func (l *law) quantile(p float64, row bool) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for k, w := range l.w {
		if w > 0 {
			reach := 12 * math.Sqrt(l.variance(k, row))
			lo, hi = min(lo, l.mean[k]-reach), max(hi, l.mean[k]+reach)
		}
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if !(mid > lo && mid < hi) {
			break
		}
		if l.cdf(mid, row) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

// describe fills the prediction, its score aside.
func (l *law) describe(p *cdf.Prediction) {
	p.Mean, p.SD = l.moments(true)
	_, p.EpredSD = l.moments(false)
	p.Q025, p.Q975 = l.quantile(.025, true), l.quantile(.975, true)
	p.EpredQ025, p.EpredQ975 = l.quantile(.025, false), l.quantile(.975, false)
}

// value fills what the prediction says of the response y, which may be NaN.
func (l *law) value(y float64, p *cdf.Prediction) {
	p.LogDensity, p.PIT = math.NaN(), math.NaN()
	if y == y {
		p.LogDensity, p.PIT = l.logDensity(y), l.pit(y)
	}
}

// scoring sums what a shard's rows say of their predictions.
type scoring struct {
	out              cdf.Score
	logs, squares    float64
	covered, counted int
}

func newScoring() scoring { return scoring{out: cdf.NoScore()} }

// row counts a row that is predicted with l; y is NaN without a response.
func (s *scoring) row(l *law, y float64) {
	if y != y {
		s.out.PredictedRows++
		return
	}
	s.count(l.logDensity(y), y-l.centre, l.pit(y))
}

// predicted counts a row by its prediction.
func (s *scoring) predicted(p *cdf.Prediction, y float64) {
	if y != y {
		s.out.PredictedRows++
		return
	}
	s.count(p.LogDensity, y-p.Mean, p.PIT)
}

func (s *scoring) count(logDensity, miss, pit float64) {
	s.counted++
	s.logs += logDensity
	s.squares += miss * miss
	covered := pit >= .025 && pit <= .975
	if covered {
		s.covered++
	}
	s.out.Transformed(pit, covered)
}

// score returns the means over rows. ErrNumeric, wrapped: one is not finite.
func (s *scoring) score(method string) (cdf.Score, error) {
	s.out.Rows = int64(s.counted)
	if s.counted == 0 {
		return s.out, nil
	}
	n := float64(s.counted)
	s.out.LogDensity, s.out.RMSE, s.out.Coverage95 = s.logs/n, math.Sqrt(s.squares/n), float64(s.covered)/n
	if sum := s.out.LogDensity + s.out.RMSE; sum-sum != 0 {
		return s.out, fmt.Errorf("%w: %s: score not finite", cdf.ErrNumeric, method)
	}
	return s.out, nil
}
