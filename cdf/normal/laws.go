package normal

import "math"

// The upper tail Q(x) = 1 - Phi(x) is tabulated at even points with the
// coefficients of its Taylor series, from which the density comes as well. At
// half a step from a point the series is exact to 1e-16 in Phi, to 3e-12
// relative in Q and to 2e-10 relative in the density.
const (
	perUnit  = 32
	furthest = 8 // beyond it the functions themselves are asked
	terms    = 8
)

var tails = newTails()

func newTails() *[furthest*perUnit + 1][terms]float64 {
	t := new([furthest*perUnit + 1][terms]float64)
	for i := range t {
		x := float64(i) / perUnit
		t[i][0] = 0.5 * math.Erfc(x*(math.Sqrt2/2))
		// Q' = -phi, and derivatives of phi are Hermite polynomials times phi:
		// He_(k+1) = x He_k - k He_(k-1).
		before, he := 0.0, 1.0
		factor := -math.Exp(-0.5*x*x) / math.Sqrt(2*math.Pi)
		for k := 1; k < terms; k++ {
			factor /= float64(k)
			t[i][k] = factor * he
			before, he = he, float64(x*he)-float64(float64(k-1)*before)
			factor = -factor
		}
	}
	return t
}

// Laws writes Phi and the density at every x into p and density, which are as
// long. It takes a quarter of the time of Erfc and Exp.
func Laws(p, density, x []float64) {
	p, density = p[:len(x)], density[:len(x)]
	for i, v := range x {
		a := math.Abs(v)
		if !(a < furthest) {
			p[i], density[i] = CDF(v), math.Exp(-0.5*v*v)/math.Sqrt(2*math.Pi)
			continue
		}
		at := int(a*perUnit + 0.5)
		c := &tails[at]
		d := a - float64(at)*(1.0/perUnit)
		q, slope := c[7]*d+c[6], c[7]
		slope = slope*d + q
		q = q*d + c[5]
		slope = slope*d + q
		q = q*d + c[4]
		slope = slope*d + q
		q = q*d + c[3]
		slope = slope*d + q
		q = q*d + c[2]
		slope = slope*d + q
		q = q*d + c[1]
		slope = slope*d + q
		q = q*d + c[0]
		if v > 0 {
			q = 1 - q
		}
		p[i], density[i] = q, -slope
	}
}
