package dist

import (
	"math"
)

// gammaFrom is the shape from which on gamma quantiles come from the table.
const gammaFrom = 20

// gammaTable holds per level the Chebyshev coefficients of (q/shape)^(1/3),
// q the gamma quantile, over shape^(-1/2) in [0, gammaFrom^(-1/2)]: smooth
// there, since it is linear up to small terms (Wilson and Hilferty).
var gammaTable = newGammaTable()

func newGammaTable() (t [7][16]float64) {
	const n = len(t[0])
	for j := range n {
		theta := math.Pi * (float64(j) + 0.5) / float64(n)
		u := 0.5 * (1 + math.Cos(theta)) / math.Sqrt(gammaFrom)
		shape := 1 / (u * u)
		for i, p := range Levels {
			w := math.Cbrt(gammaRatioInverse(shape, p) / shape)
			for k := range n {
				t[i][k] += 2 / float64(n) * w * math.Cos(float64(k)*theta)
			}
		}
	}
	for i := range t {
		t[i][0] *= 0.5
	}
	return t
}

// gammaQuantile returns the quantile at levels[i] of the gamma distribution
// of the given shape and rate 1.
func gammaQuantile(i int, shape float64) float64 {
	if shape < gammaFrom {
		// Near 0 the distribution function is x^shape / Gamma(shape+1).
		if l := (math.Log(Levels[i]) + LogGamma(shape+1)) / shape; l < -30 {
			return math.Exp(l)
		}
		return gammaRatioInverse(shape, Levels[i])
	}
	x := 2*math.Sqrt(gammaFrom/shape) - 1
	c := &gammaTable[i]
	b1, b2 := 0.0, 0.0
	for k := len(c) - 1; k > 0; k-- {
		b1, b2 = 2*x*b1-b2+c[k], b1
	}
	w := x*b1 - b2 + c[0]
	return shape * w * w * w
}

// LogGamma returns log Gamma(x), x > 0.
func LogGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// InvGammaMoments returns the mean and sd of IG(shape, rate), NaN where
// undefined.
func InvGammaMoments(shape, rate float64) (mean, sd float64) {
	mean, sd = math.NaN(), math.NaN()
	if shape > 1 {
		mean = rate / (shape - 1)
	}
	if shape > 2 {
		sd = mean / math.Sqrt(shape-2)
	}
	return mean, sd
}

// Trigamma returns the second derivative of LogGamma: the variance of the logarithm
// of a gamma variable of this shape.
func Trigamma(shape float64) float64 { return zeta(2, shape) }

// trigammaExcess returns what Trigamma has beyond 1/shape: of large shapes its
// asymptotic series (Abramowitz and Stegun 6.4.12), to 1e-13 from 10 on.
func trigammaExcess(shape float64) float64 {
	if shape < 10 {
		return Trigamma(shape) - 1/shape
	}
	u := 1 / shape
	u2 := u * u
	series := 1./6 - u2*(1./30-u2*(1./42-u2*(1./30-u2*(5./66-u2*(691./2730-u2*7/6)))))
	return u2 * (0.5 + u*series)
}

// InvGammaSensitivity returns the sd of the log density of log s under IG(a, b), of
// s ~ IG(shape, rate): the posterior's sensitivity to the power of that prior. The
// first term is the prior's share of the rate against that of the shape, the second
// what is left of it where both agree.
func InvGammaSensitivity(a, b, shape, rate float64) float64 {
	apart := b/rate - a/shape
	return math.Sqrt(float64(shape*apart*apart) + float64(a*a*trigammaExcess(shape)))
}

// TrigammaInverse returns the shape of the gamma law whose logarithm has the given
// variance, which is the trigamma function of the shape.
func TrigammaInverse(variance float64) float64 {
	// Newton's method for 1/trigamma, which is nearly a line, from its asymptote:
	// each step stays below the solution and converges quadratically.
	x := 0.5 + 1/variance
	for range 50 {
		tri := Trigamma(x)
		step := tri * (1 - tri/variance) / (-2 * zeta(3, x))
		x += step
		if math.Abs(step) < 1e-12*x {
			break
		}
	}
	return x
}
