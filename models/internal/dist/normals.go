package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

// NormalMixture is a finite mixture of normals.
type NormalMixture struct {
	W, Mean, SD []float64 // weights sum to 1; an sd may be 0
	Inv         []float64 // 1/SD, which only At needs
	Square      []float64 // scratch

	major components
}

// Size makes room for k components, of any value.
func (x *NormalMixture) Size(k int) {
	all := normal.Padded(k)
	x.W, x.Mean, x.Inv = lin.Grow(x.W, all), lin.Grow(x.Mean, all), lin.Grow(x.Inv, all)
	clear(x.W[k:])
	clear(x.Mean[k:])
	clear(x.Inv[k:])
	x.SD, x.Square = lin.Grow(x.SD, all), lin.Grow(x.Square, k)
	x.W, x.Mean, x.SD, x.Inv = x.W[:k], x.Mean[:k], x.SD[:k], x.Inv[:k]
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

// At returns the distribution function and the log density at y, of a mixture that
// Size made room for.
func (x *NormalMixture) At(y float64) (p, log float64) {
	k := len(x.W)
	all, inv := normal.Padded(k), x.Inv[:k]
	for i, mean := range x.Mean[:k] {
		if !(math.Abs((y-mean)*inv[i]) < normal.Furthest) { // also if it is no number
			return x.CDF(y), x.LogDensity(y)
		}
	}
	p, f := normal.Mixed(x.W[:all], x.Mean[:all], x.Inv[:all], y)
	return p, math.Log(f[0])
}

// Positive returns P(X > 0).
func (x *NormalMixture) Positive() float64 {
	p := 0.0
	for k, w := range x.W {
		p += float64(w * normal.CDF(x.Mean[k]/x.SD[k]))
	}
	return min(p, 1)
}

// ExpMoments returns mean and variance of e^X, NaN where float64 does not hold them and, of a mixture over a
// variance that has no greatest value (open), where the last component, the one with the largest variance, still
// matters: then there is no such moment.
func (x *NormalMixture) ExpMoments(open bool) (mean, variance float64) {
	square, last1, last2 := 0.0, 0.0, 0.0
	for i, w := range x.W {
		m, v := x.Mean[i], x.SD[i]*x.SD[i]
		last1, last2 = w*math.Exp(m+0.5*v), w*math.Exp(2*(m+v))
		mean += last1
		square += last2
	}
	variance = square - mean*mean
	if open && len(x.W) > 1 && last1 > 0.01*mean || math.IsInf(mean, 1) {
		return math.NaN(), math.NaN()
	}
	if open && len(x.W) > 1 && last2 > 0.01*square || math.IsInf(square, 1) {
		return mean, math.NaN()
	}
	return mean, max(variance, 0)
}
