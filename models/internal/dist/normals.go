package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

// NormalMixture is a finite mixture of normals.
type NormalMixture struct {
	W, Mean, SD []float64 // weights sum to 1; an sd may be 0
	Square      []float64 // scratch
}

// Size makes room for k components, of any value.
func (x *NormalMixture) Size(k int) {
	x.W, x.Mean, x.SD, x.Square = lin.Grow(x.W, k), lin.Grow(x.Mean, k), lin.Grow(x.SD, k), lin.Grow(x.Square, k)
}

// Moments returns the mean and sd.
func (x *NormalMixture) Moments() (mean, sd float64) {
	for k, w := range x.W {
		mean += w * x.Mean[k]
	}
	v := 0.0
	for k, w := range x.W {
		d := x.Mean[k] - mean
		v += w * (x.SD[k]*x.SD[k] + d*d)
	}
	return mean, math.Sqrt(v)
}

// negligible is a weight that no published digit depends on.
const negligible = 1e-13

// CDF returns P(X <= y).
func (x *NormalMixture) CDF(y float64) float64 {
	p := 0.0
	for k, w := range x.W {
		if w > negligible {
			p += w * normal.CDF((y-x.Mean[k])/x.SD[k])
		}
	}
	return p
}

// LogDensity returns the log density at y, also where every term underflows.
func (x *NormalMixture) LogDensity(y float64) float64 {
	least := math.Inf(1)
	for k := range x.W {
		z := (y - x.Mean[k]) / x.SD[k]
		x.Square[k] = 0.5 * z * z
		if x.W[k] > 0 {
			least = min(least, x.Square[k])
		}
	}
	sum := 0.0
	for k, w := range x.W {
		sum += w / x.SD[k] * math.Exp(least-x.Square[k])
	}
	return math.Log(sum) - least - 0.5*math.Log(2*math.Pi)
}

// Quantile returns the p-quantile, 0 < p < 1, whose standard normal quantile
// is z: between the components' own quantiles, by Halley's method with
// bisection where that leaves the bracket.
func (x *NormalMixture) Quantile(p, z float64) float64 {
	lo, hi, at, widest := math.Inf(1), math.Inf(-1), 0.0, 0.0
	for k, w := range x.W {
		if w > negligible {
			q := x.Mean[k] + z*x.SD[k]
			lo, hi = min(lo, q), max(hi, q)
			at += w * q
			widest += w * x.SD[k]
		}
	}
	if !(hi-lo > 1e-13*widest) {
		return 0.5 * (lo + hi)
	}
	at = min(max(at, lo), hi)
	for range 200 {
		excess, f, df := -p, 0.0, 0.0
		for k, w := range x.W {
			if w > negligible {
				u := (at - x.Mean[k]) / x.SD[k]
				excess += w * normal.CDF(u)
				e := w / x.SD[k] * math.Exp(-0.5*u*u)
				f += e
				df -= e * u / x.SD[k]
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
