package rnd

import (
	"math"
	"math/rand/v2"
)

// TruncNormal draws from the normal distribution of the given mean and sd > 0
// restricted to [lo, hi]; either end may be infinite. The draw lies in the
// interval, however far in a tail that is. lo > hi or a NaN give NaN.
func TruncNormal(r *rand.Rand, mean, sd, lo, hi float64) float64 {
	if !(sd > 0 && sd < math.Inf(1) && lo <= hi) || math.IsNaN(mean) || math.IsInf(mean, 0) {
		return math.NaN()
	}
	a, b := (lo-mean)/sd, (hi-mean)/sd
	var x float64
	switch {
	case a <= 0 && b >= 0:
		x = around(r, a, b)
	case a > 0:
		x = tail(r, a, b)
	default:
		x = -tail(r, -b, -a)
	}
	// Rounding of mean + sd*x may step out of the interval by one unit.
	return min(max(mean+sd*x, lo), hi)
}

// around draws a standard normal restricted to [a, b], a <= 0 <= b.
func around(r *rand.Rand, a, b float64) float64 {
	if b-a > math.Sqrt(2*math.Pi) {
		for {
			if x := r.NormFloat64(); x >= a && x <= b {
				return x
			}
		}
	}
	for {
		x := a + (b-a)*r.Float64()
		if r.ExpFloat64() >= 0.5*x*x {
			return x
		}
	}
}

// tail draws a standard normal restricted to [a, b], 0 < a <= b. Proposals
// are exponential of the optimal rate, or uniform where the interval is so
// short that these are accepted more often.
//
// Robert, Simulation of truncated normal variables, Statistics and Computing
// 5 (1995), sections 2.1 and 2.2. The exponents are written with differences
// from a, so that nothing cancels however large a is.
func tail(r *rand.Rand, a, b float64) float64 {
	if a > 1e150 { // its square overflows, and the sd of the tail, 1/a, is below a's spacing
		return a
	}
	root := math.Sqrt(a*a + 4)
	rate := 0.5 * (a + root)
	excess := 1 / rate // rate - a
	if !math.IsInf(b, 1) && b-a <= math.Exp(0.5-a/(a+root))/rate {
		for {
			d := (b - a) * r.Float64()
			if r.ExpFloat64() >= d*(a+0.5*d) {
				return a + d
			}
		}
	}
	for {
		d := r.ExpFloat64() / rate
		if e := d - excess; a+d <= b && r.ExpFloat64() >= 0.5*e*e {
			return a + d
		}
	}
}
