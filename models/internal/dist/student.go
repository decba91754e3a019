package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/vec"
)

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
		return 0.5 - 0.5*betaRatio(0.5, df/2, x2/(df+x2))
	}
	return 0.5 * betaRatio(df/2, 0.5, df/(df+x2))
}

// StudentCDF returns P(T <= x), T ~ t with df degrees of freedom.
func StudentCDF(x, df float64) float64 {
	if x < 0 {
		return studentSurvival(-x, df)
	}
	return 1 - studentSurvival(x, df)
}

// StudentLogScale returns the logarithm of the standard t density at 0.
func StudentLogScale(df float64) float64 {
	return LogGamma((df+1)/2) - LogGamma(df/2) - 0.5*math.Log(df*math.Pi)
}

// StudentMeanLog returns the mean of log(1 + T^2/df), T being t with df > 0 degrees of
// freedom: digamma((df+1)/2) - digamma(df/2), by its series from a shape of 8 on.
func StudentMeanLog(df float64) float64 {
	shape, sum := df/2, 0.0
	for ; shape < 8; shape++ {
		sum += 1/shape - 1/(shape+.5)
	}
	r := 1 / shape
	return sum + r*(1./2+r*(1./8+r*r*(-1./64+r*r/128)))
}

// StudentQuantile returns the quantile of t with df degrees of freedom at
// the probability whose standard normal quantile is z > 0. The expansion in
// 1/df (Abramowitz and Stegun 26.7.5) is good to 1e-11 from 200 on, and with one more term
// up to the .977 quantile to 3e-12 from 70 on; below,
// Newton's method on log survival over log t, which is straight in the tail.
func StudentQuantile(z, df float64) float64 {
	t := studentExpansion(z, df)
	if df >= 200 {
		return t
	}
	if df >= 70 && z <= 2 {
		return t + fifth(z)/(df*df*df*df*df)
	}
	if df < 5 {
		t = z
	}
	target := 0.5 * math.Erfc(z*(math.Sqrt2/2))
	scale := StudentLogScale(df)
	for range 100 {
		tail := studentSurvival(t, df)
		density := math.Exp(scale - (df+1)/2*math.Log1p(t*t/df))
		step := math.Log(tail/target) * tail / (density * t)
		t *= math.Exp(step)
		if math.Abs(step) < 1e-7 { // what is left is of the order of its square
			break
		}
	}
	return t
}

// studentExpansion returns the quantile by the expansion alone.
func studentExpansion(z, df float64) float64 {
	s := studentSeries(z)
	return s[0] + (s[1]+(s[2]+(s[3]+s[4]/df)/df)/df)/df
}

// studentSeries returns the coefficients of the expansion, by powers of 1/df.
func studentSeries(z float64) [5]float64 {
	z2 := z * z
	return [...]float64{
		z,
		z * (z2 + 1) / 4,
		z * ((5*z2+16)*z2 + 3) / 96,
		z * (((3*z2+19)*z2+17)*z2 - 15) / 384,
		z * ((((79*z2+776)*z2+1482)*z2-1920)*z2 - 945) / 92160,
	}
}

// fifth returns the coefficient after these: R. A. Fisher and E. A. Cornish, Technometrics 2 (1960) 209.
func fifth(z float64) float64 {
	z2 := z * z
	return z * (((((27*z2+339)*z2+930)*z2-1782)*z2-765)*z2 + 17955) / 368640
}

// powers returns the sum of a series at x.
func powers(s *[5]float64, x float64) float64 {
	return s[0] + x*(s[1]+x*(s[2]+x*(s[3]+x*s[4])))
}

// NearStudentCDFs writes P(T <= t) of a t law with df >= plentiful degrees of freedom
// into p, where t2 has the squares of t and e their signs; both are overwritten.
// Wallace's normalising transform, D. L. Wallace, Ann. Math. Statist. 30 (1959) 1124.
func NearStudentCDFs(p, e, t2 []float64, df float64) {
	for k, v := range t2 {
		t2[k] = 1 + v/df
		e[k] = math.Copysign(v/df, e[k])
	}
	vec.Logs(p, t2)
	scale := (8*df + 1) / (8*df + 3)
	for k, log := range p {
		// The logarithm of 1 + x, also where that keeps little of x.
		switch x, kept := math.Abs(e[k]), t2[k]-1; {
		case kept < 1 && kept > 0:
			log *= x / kept
		case kept == 0:
			log = x
		}
		t2[k] = math.Copysign(scale*math.Sqrt(df*log), e[k])
	}
	normal.CDFs(p, t2)
}

// InvGammaAbove returns P(X > x), X ~ IG(shape, rate).
func InvGammaAbove(x, shape, rate float64) float64 {
	if x <= 0 {
		return 1
	}
	return gammaRatio(shape, rate/x)
}

// QuickStudentCDF is StudentCDF within 2e-11, and within 3e-8 of a tail above 1e-12, in a
// quarter of the time where the degrees of freedom are plentiful: by G. W. Hill's
// normalising expansion (Algorithm 395, Comm. ACM 13 (1970) 617). It is for what is shown;
// what decides, and quantiles, are StudentCDF's.
func QuickStudentCDF(t, df float64) float64 {
	t2 := t * t
	if df < Plentiful || !(t2 < df) {
		return StudentCDF(t, df)
	}
	a := df - 0.5
	b := 48 * a * a
	z2 := a * math.Log1p(t2/df)
	z4 := z2 * z2
	z := math.Sqrt(z2) * (1 + (z2+3)/b - ((0.4*z2+3.3)*z4+24*z2+85.5)/(b*(b+0.8*z4+100)))
	return 0.5 * math.Erfc(math.Copysign(z, -t)*(math.Sqrt2/2))
}
