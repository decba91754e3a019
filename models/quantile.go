package models

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
)

// levels are the probabilities of the published quantiles, symmetric about
// the median; normals are the standard normal's quantiles there.
var (
	levels  = [7]float64{.025, .05, .25, .5, .75, .95, .975}
	normals = [7]float64{-1.959963984540054, -1.6448536269514722, -0.6744897501960817, 0,
		0.6744897501960817, 1.6448536269514722, 1.959963984540054}
)

// setQuantiles writes the quantiles at levels into the row.
func setQuantiles(r *cdf.Row, q *[7]float64) {
	r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975 = q[0], q[1], q[2], q[3], q[4], q[5], q[6]
}

// standard caches the quantiles of t with 2*shape degrees of freedom and of
// gamma with that shape and rate 1. The zero value is empty.
type standard struct {
	shape float64
	t     [3]float64 // upper ones: .75 .95 .975
	gamma [7]float64
}

// at returns the cache filled for the shape.
func (s *standard) at(shape float64) *standard {
	if s.shape != shape {
		s.shape = shape
		for i := range s.t {
			s.t[i] = studentQuantile(normals[4+i], 2*shape)
		}
		for i := range s.gamma {
			s.gamma[i] = gammaQuantile(i, shape)
		}
	}
	return s
}

// student writes the quantiles of loc + scale*t.
func (s *standard) student(loc, scale float64) [7]float64 {
	a, b, c := scale*s.t[0], scale*s.t[1], scale*s.t[2]
	return [7]float64{loc - c, loc - b, loc - a, loc, loc + a, loc + b, loc + c}
}

// invGamma writes the quantiles of loc + factor*X, X ~ IG(shape, rate); a
// quantile beyond the largest float is that float.
func (s *standard) invGamma(rate, loc, factor float64) (q [7]float64) {
	for i := range q {
		g := s.gamma[6-i]
		if factor < 0 {
			g = s.gamma[i]
		}
		q[i] = min(max(loc+factor*(rate/g), -math.MaxFloat64), math.MaxFloat64)
	}
	return q
}

// studentSurvival returns P(T > x) for x >= 0 and T ~ t with df degrees of
// freedom.
func studentSurvival(x, df float64) float64 {
	x2 := x * x
	if df > 1e5 && x < 20 {
		// The incomplete beta function loses digits as df grows. Normalising
		// expansion, Abramowitz and Stegun 26.7.5 inverted.
		z := x - x*(x2+1)/(4*df) + x*((13*x2+8)*x2+3)/(96*df*df)
		return 0.5 * math.Erfc(z*(math.Sqrt2/2))
	}
	if x2 < df {
		return 0.5 - 0.5*mathext.RegIncBeta(0.5, df/2, x2/(df+x2))
	}
	return 0.5 * mathext.RegIncBeta(df/2, 0.5, df/(df+x2))
}

// studentCDF returns P(T <= x), T ~ t with df degrees of freedom.
func studentCDF(x, df float64) float64 {
	if x < 0 {
		return studentSurvival(-x, df)
	}
	return 1 - studentSurvival(x, df)
}

// studentLogScale returns the logarithm of the standard t density at 0.
func studentLogScale(df float64) float64 {
	return lgamma((df+1)/2) - lgamma(df/2) - 0.5*math.Log(df*math.Pi)
}

// studentQuantile returns the quantile of t with df degrees of freedom at
// the probability whose standard normal quantile is z > 0. The expansion in
// 1/df (Abramowitz and Stegun 26.7.5) is good to 1e-11 from 200 on; below,
// Newton's method on log survival over log t, which is straight in the tail.
func studentQuantile(z, df float64) float64 {
	t := studentExpansion(z, df)
	if df >= 200 {
		return t
	}
	if df < 5 {
		t = z
	}
	target := 0.5 * math.Erfc(z*(math.Sqrt2/2))
	scale := studentLogScale(df)
	for range 100 {
		tail := studentSurvival(t, df)
		density := math.Exp(scale - (df+1)/2*math.Log1p(t*t/df))
		step := math.Log(tail/target) * tail / (density * t)
		t *= math.Exp(step)
		if math.Abs(step) < 1e-12 {
			break
		}
	}
	return t
}

// studentExpansion returns the quantile by the expansion alone.
func studentExpansion(z, df float64) float64 {
	z2 := z * z
	g1 := z * (z2 + 1) / 4
	g2 := z * ((5*z2+16)*z2 + 3) / 96
	g3 := z * (((3*z2+19)*z2+17)*z2 - 15) / 384
	g4 := z * ((((79*z2+776)*z2+1482)*z2-1920)*z2 - 945) / 92160
	return z + (g1+(g2+(g3+g4/df)/df)/df)/df
}

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
		for i, p := range levels {
			w := math.Cbrt(mathext.GammaIncRegInv(shape, p) / shape)
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
		if l := (math.Log(levels[i]) + lgamma(shape+1)) / shape; l < -30 {
			return math.Exp(l)
		}
		return mathext.GammaIncRegInv(shape, levels[i])
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

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// logProduct sums logarithms by multiplying the numbers, which takes one
// logarithm for many of them. The zero value is not ready: use newLogProduct.
type logProduct struct{ product, sum float64 }

func newLogProduct() logProduct { return logProduct{product: 1} }

// mul adds log x, x > 0.
func (l *logProduct) mul(x float64) {
	if p := l.product * x; p < 1e150 && p > 1e-150 {
		l.product = p
		return
	}
	l.sum += math.Log(l.product)
	l.product = x
}

func (l *logProduct) log() float64 { return l.sum + math.Log(l.product) }

// invGammaMoments returns the mean and sd of IG(shape, rate), NaN where
// undefined.
func invGammaMoments(shape, rate float64) (mean, sd float64) {
	mean, sd = math.NaN(), math.NaN()
	if shape > 1 {
		mean = rate / (shape - 1)
	}
	if shape > 2 {
		sd = mean / math.Sqrt(shape-2)
	}
	return mean, sd
}
