// Package law describes what the baselines publish: rows of parameters by their
// laws, and rows of data by mixtures of normals.
package law

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Mixture is a finite mixture of normals that a row is predicted with: component
// k has Weight[k], its line the Mean[k] and the variance Level[k], the row the
// variance Level[k] + Noise[k] > 0. Weights sum to 1. Whoever has filled these
// calls Settle.
type Mixture struct {
	Weight, Mean, Level, Noise []float64

	centre    float64   // mean of a row
	top       []float64 // per component, log of its weight times its density at its mean
	precision []float64 // per component, 1/sd of a row
	logs      []float64 // scratch
}

// Size makes room for n components of equal weight; the rest is to be filled.
func (l *Mixture) Size(n int) {
	l.Weight, l.Mean, l.Level, l.Noise = lin.Grow(l.Weight, n), lin.Grow(l.Mean, n), lin.Grow(l.Level, n), lin.Grow(l.Noise, n)
	for k := range l.Weight {
		l.Weight[k] = 1 / float64(n)
	}
}

// Settle computes what every row that is predicted with the law needs.
func (l *Mixture) Settle() {
	n := len(l.Weight)
	l.top, l.precision, l.logs = lin.Grow(l.top, n), lin.Grow(l.precision, n), lin.Grow(l.logs, n)
	l.centre, _ = l.moments(true)
	for k, w := range l.Weight {
		v := l.variance(k, true)
		l.top[k], l.precision[k] = math.Log(w)-0.5*math.Log(2*math.Pi*v), 1/math.Sqrt(v)
	}
}

// variance returns that of component k: of a row, or of its line.
func (l *Mixture) variance(k int, row bool) float64 {
	if row {
		return l.Level[k] + l.Noise[k]
	}
	return l.Level[k]
}

// moments returns mean and sd of a row, or of its line.
func (l *Mixture) moments(row bool) (mean, sd float64) {
	for k, w := range l.Weight {
		mean += w * l.Mean[k]
	}
	v := 0.0
	for k, w := range l.Weight {
		d := l.Mean[k] - mean
		v += w * (l.variance(k, row) + d*d)
	}
	return mean, math.Sqrt(v)
}

// cdf returns the probability that a row, or its line, is at most y.
func (l *Mixture) cdf(y float64, row bool) float64 {
	p := 0.0
	for k, w := range l.Weight {
		sd := math.Sqrt(l.variance(k, row))
		if z := (y - l.Mean[k]) / sd; !math.IsNaN(z) { // 0/0: at a point mass
			p += w * 0.5 * math.Erfc(-z/math.Sqrt2)
		} else {
			p += w
		}
	}
	return min(p, 1)
}

// logDensity returns the log density of a row at y, also where every term
// underflows.
func (l *Mixture) logDensity(y float64) float64 {
	most := math.Inf(-1)
	for k, top := range l.top {
		z := (y - l.Mean[k]) * l.precision[k]
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
func (l *Mixture) pit(y float64) float64 {
	p := 0.0
	for k, w := range l.Weight {
		p += w * 0.5 * math.Erfc((l.Mean[k]-y)*l.precision[k]*(math.Sqrt2/2))
	}
	return min(p, 1)
}

// quantile returns the p-quantile of a row, or of its line, by bisection: the
// components' own 12 sds bracket it.
func (l *Mixture) quantile(p float64, row bool) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for k, w := range l.Weight {
		if w > 0 {
			reach := 12 * math.Sqrt(l.variance(k, row))
			lo, hi = min(lo, l.Mean[k]-reach), max(hi, l.Mean[k]+reach)
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

// Describe fills the prediction, what Value fills aside.
func (l *Mixture) Describe(p *cdf.Prediction) {
	p.Mean, p.SD = l.moments(true)
	_, p.EpredSD = l.moments(false)
	p.Q025, p.Q975 = l.quantile(.025, true), l.quantile(.975, true)
	p.EpredQ025, p.EpredQ975 = l.quantile(.025, false), l.quantile(.975, false)
}

// Value fills what the prediction says of the response y, which may be NaN.
func (l *Mixture) Value(y float64, p *cdf.Prediction) {
	p.LogDensity, p.PIT = math.NaN(), math.NaN()
	if !math.IsNaN(y) {
		p.LogDensity, p.PIT = l.logDensity(y), l.pit(y)
	}
}
