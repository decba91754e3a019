package regression

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Sides writes the probability that each functional is above 0 where sigma2 ~
// IG(shape, rate); beta tells it of coefficients. A functional that Split refuses
// is refused.
func (s *Shape) Sides(functionals []cdf.Functional, p, mcse []float64, shape, rate float64, beta func(f *cdf.Functional) float64) error {
	for i := range functionals {
		f := &functionals[i]
		factor, isSigma, err := s.Split(f)
		switch {
		case err != nil:
			return err
		case isSigma:
			p[i] = Beyond(f.Const, factor, func(x float64) float64 { return dist.InvGammaAbove(x, shape, rate) })
		default:
			p[i] = beta(f)
		}
		mcse[i] = 0
	}
	return nil
}

// Beyond returns P(shift + factor*X > 0) by above(x) = P(X > x).
func Beyond(shift, factor float64, above func(x float64) float64) float64 {
	p := above(-shift / factor)
	if factor < 0 {
		return 1 - p
	}
	return p
}

// StudentAbove returns P(loc + scale*T > 0), T ~ t with df degrees of freedom.
func StudentAbove(loc, scale, df float64) float64 {
	if df == 0 || math.IsNaN(scale) {
		return math.NaN()
	}
	return dist.StudentCDF(loc/scale, df)
}
