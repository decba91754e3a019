package models

import (
	"math"

	"github.com/credence-stream/credence/cdf/normal"
)

// mixture is a finite mixture of normals. s and inv belong to the linear
// model: the variance of each component's noise and its shrinkage factors.
type mixture struct {
	w, mean, sd []float64 // weights sum to 1; an sd may be 0
	s, inv      []float64
	square      []float64 // scratch
}

func (x *mixture) size(k int) {
	x.w, x.mean, x.sd, x.square = grow(x.w, k), grow(x.mean, k), grow(x.sd, k), grow(x.square, k)
}

// moments returns the mean and sd.
func (x *mixture) moments() (mean, sd float64) {
	for k, w := range x.w {
		mean += w * x.mean[k]
	}
	v := 0.0
	for k, w := range x.w {
		d := x.mean[k] - mean
		v += w * (x.sd[k]*x.sd[k] + d*d)
	}
	return mean, math.Sqrt(v)
}

// negligible is a weight that no published digit depends on.
const negligible = 1e-13

// cdf returns P(X <= y).
func (x *mixture) cdf(y float64) float64 {
	p := 0.0
	for k, w := range x.w {
		if w > negligible {
			p += w * normal.CDF((y-x.mean[k])/x.sd[k])
		}
	}
	return p
}

// logDensity returns the log density at y, also where every term underflows.
func (x *mixture) logDensity(y float64) float64 {
	least := math.Inf(1)
	for k := range x.w {
		z := (y - x.mean[k]) / x.sd[k]
		x.square[k] = 0.5 * z * z
		if x.w[k] > 0 {
			least = min(least, x.square[k])
		}
	}
	sum := 0.0
	for k, w := range x.w {
		sum += w / x.sd[k] * math.Exp(least-x.square[k])
	}
	return math.Log(sum) - least - 0.5*math.Log(2*math.Pi)
}

// quantile returns the p-quantile, 0 < p < 1, whose standard normal quantile
// is z: between the components' own quantiles, by Halley's method with
// bisection where that leaves the bracket.
func (x *mixture) quantile(p, z float64) float64 {
	lo, hi, at, widest := math.Inf(1), math.Inf(-1), 0.0, 0.0
	for k, w := range x.w {
		if w > negligible {
			q := x.mean[k] + z*x.sd[k]
			lo, hi = min(lo, q), max(hi, q)
			at += w * q
			widest += w * x.sd[k]
		}
	}
	if !(hi-lo > 1e-13*widest) {
		return 0.5 * (lo + hi)
	}
	at = min(max(at, lo), hi)
	for range 200 {
		excess, f, df := -p, 0.0, 0.0
		for k, w := range x.w {
			if w > negligible {
				u := (at - x.mean[k]) / x.sd[k]
				excess += w * normal.CDF(u)
				e := w / x.sd[k] * math.Exp(-0.5*u*u)
				f += e
				df -= e * u / x.sd[k]
			}
		}
		f, df = f/math.Sqrt(2*math.Pi), df/math.Sqrt(2*math.Pi)
		if excess > 0 {
			hi = at
		} else {
			lo = at
		}
		step := excess / f
		halley := at - step/(1-0.5*step*df/f)
		next := halley
		if !(next > lo && next < hi) {
			next = 0.5 * (lo + hi)
		}
		// The method is of third order: a step of 1e-5 leaves some 1e-14.
		if math.Abs(next-at) < 1e-5*widest && next == halley || next == lo || next == hi {
			return next
		}
		at = next
	}
	return at
}
