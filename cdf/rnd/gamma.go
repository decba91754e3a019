package rnd

import (
	"math"
	"math/rand/v2"
)

// Gamma draws from the gamma distribution of the given shape > 0 and rate 1.
// Shapes below .01 may underflow to 0. An invalid shape gives NaN.
//
// Marsaglia and Tsang, A simple method for generating gamma variables, ACM
// TOMS 26 (2000); shapes below 1 by their boost: G(a) = G(a+1) U^(1/a).
func Gamma(r *rand.Rand, shape float64) float64 {
	if !(shape > 0) || math.IsInf(shape, 1) {
		return math.NaN()
	}
	if shape < 1 {
		g := Gamma(r, shape+1)
		// ExpFloat64 is -log U.
		return g * math.Exp(-r.ExpFloat64()/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		u, x2 := r.Float64(), x*x
		if u < 1-0.0331*x2*x2 || math.Log(u) < 0.5*x2+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}

// InvGamma draws from the inverse gamma distribution, density proportional
// to x^(-shape-1) exp(-scale/x). Draws beyond the largest float are that float.
func InvGamma(r *rand.Rand, shape, scale float64) float64 {
	return min(scale/Gamma(r, shape), math.MaxFloat64)
}
