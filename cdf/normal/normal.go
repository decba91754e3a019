// Package normal holds functions of the standard normal law, each also where
// the naive formula underflows or cancels.
package normal

import "math"

// CDF returns Phi(x), the distribution function.
func CDF(x float64) float64 { return 0.5 * math.Erfc(-x*(math.Sqrt2/2)) }

// Quantile returns the x at which Phi(x) is p.
func Quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// LogCDF returns log Phi(x), also where Phi underflows.
func LogCDF(x float64) float64 {
	if x > -6 {
		return math.Log(CDF(x))
	}
	u, _ := Hazard(x)
	return -0.5*x*x - math.Log(math.Sqrt(2*math.Pi)*u)
}

// Hazard returns u(x) = phi(x)/Phi(x), the inverse Mills ratio, and
// w(x) = u(u+x) = -d^2 log Phi/dx^2, which lies in (0, 1). For t ~ N(x, 1)
// on t > 0 they are E t - x and 1 - Var t.
func Hazard(x float64) (u, w float64) {
	if x > -6 {
		u = math.Exp(-0.5*x*x) / (math.Sqrt(2*math.Pi) * CDF(x))
		return u, u * (u + x)
	}
	// u = a + 1/(a + 2/(a + 3/(a + ..))), a = -x (Abramowitz and Stegun
	// 26.2.14): u + x comes without cancellation.
	a, tail := -x, 0.0
	for k := 30.0; k > 0; k-- {
		tail = k / (a + tail)
	}
	u = a + tail
	return u, u * tail
}
