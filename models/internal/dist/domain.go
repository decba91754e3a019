package dist

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Functions of mathext panic outside of their domain, which the parameters of a posterior
// leave where arithmetic on odd data fails: that is the data's doing and no fault of the
// program. Here they are NaN there, which a summary refuses. What they are of a NaN they
// leave to mathext.

// betaRatio is the regularized incomplete beta function, of a, b > 0 and x in [0, 1].
func betaRatio(a, b, x float64) float64 {
	if a <= 0 || b <= 0 || x < 0 || x > 1 {
		return math.NaN()
	}
	return mathext.RegIncBeta(a, b, x)
}

// gammaRatio is the regularized incomplete gamma function, of a > 0 and x >= 0.
func gammaRatio(a, x float64) float64 {
	if a <= 0 || x < 0 {
		return math.NaN()
	}
	return mathext.GammaIncReg(a, x)
}

// gammaRatioInverse is x with gammaRatio(a, x) = p, of a > 0 and p in [0, 1].
func gammaRatioInverse(a, p float64) float64 {
	if a <= 0 || p < 0 || p > 1 {
		return math.NaN()
	}
	return mathext.GammaIncRegInv(a, p)
}

// zeta is Hurwitz's, of s = 2 or 3 and q > 0.
func zeta(s, q float64) float64 {
	if q <= 0 {
		return math.NaN()
	}
	return mathext.Zeta(s, q)
}
