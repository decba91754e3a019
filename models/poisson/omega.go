package poisson

import "math"

// The series of omega about equal knots from omegaFirst to omegaLast.
// It converges within pi of each, so that at half a distance the terms that
// are left out are below the last bit.
const (
	omegaFirst = -16
	omegaLast  = 24
	omegaKnots = 8 // per unit
	omegaTerms = 9
)

var omegaSeries = func() (series [(omegaLast-omegaFirst)*omegaKnots + 1][omegaTerms]float64) {
	x := smallOmega(omegaFirst)
	for k := range series {
		l := omegaFirst + float64(k)/omegaKnots
		for range 8 { // from the knot before Newton's method doubles its digits
			x -= (x + math.Log(x) - l) * x / (1 + x)
		}
		// The coefficients c of x follow from x'(1 + x) = x.
		c := &series[k]
		c[0] = x
		for n := range omegaTerms - 1 {
			next := c[n]
			for i := 1; i <= n; i++ {
				next -= float64(c[i] * float64(n+1-i) * c[n+1-i])
			}
			c[n+1] = next / (float64(n+1) * (1 + x))
		}
	}
	return series
}()

// omega returns the root x of x + log x = l: Wright's omega function.
//
// Source: Corless and Jeffrey, AISC 2002, LNCS 2385, 76-89.
func omega(l float64) float64 {
	switch {
	case l > omegaLast:
		x := l - math.Log(l)
		for range 2 {
			x = omegaStep(x, l-x-math.Log(x))
		}
		return x
	case !(l >= omegaFirst):
		return smallOmega(l)
	}
	k := int((l-omegaFirst)*omegaKnots + 0.5)
	c := &omegaSeries[k]
	d := l - omegaFirst - float64(k)/omegaKnots
	x := c[omegaTerms-1]
	for n := omegaTerms - 2; n >= 0; n-- {
		x = float64(x*d) + c[n]
	}
	return x
}

// smallOmega is the series about minus infinity, for l up to omegaFirst.
func smallOmega(l float64) float64 {
	z := math.Exp(l)
	return z * (1 - z*(1-1.5*z))
}

// omegaStep improves an x that leaves r = l - x - log x: what is wrong
// then is (r/x)^4/36 of x, where that is small and x large.
//
// Source: Fritsch, Shafer and Crowley, Communications of the ACM 16 (1973), 123-124.
func omegaStep(x, r float64) float64 {
	p := (1 + x) * (1 + x + 2./3*r)
	return x * (1 + r/(1+x)*(p-0.5*r)/(p-r))
}
