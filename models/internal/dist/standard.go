package dist

import (
	"math"
)

// Standard caches the quantiles of t with 2*shape degrees of freedom and of
// gamma with that shape and rate 1. The zero value is empty.
type Standard struct {
	Shape float64
	T     [3]float64 // upper ones: .75 .95 .975
	gamma [7]float64

	t90, shape90        float64
	logScale, logScaled float64 // of the shape logScaled
}

// At returns the cache filled for the shape.
func (s *Standard) At(shape float64) *Standard {
	if s.Shape != shape {
		s.Shape = shape
		for i := range s.T {
			s.T[i] = StudentQuantile(NormalQuantiles[4+i], 2*shape)
		}
		for i := range s.gamma {
			s.gamma[i] = gammaQuantile(i, shape)
		}
	}
	return s
}

// T90 returns the .9 quantile of t, which few ask for.
func (s *Standard) T90() float64 {
	if s.shape90 != s.Shape {
		s.t90, s.shape90 = StudentQuantile(Normal90, 2*s.Shape), s.Shape
	}
	return s.t90
}

// LogScale returns the logarithm of the density of t at 0.
func (s *Standard) LogScale() float64 {
	if s.logScaled != s.Shape {
		s.logScale, s.logScaled = StudentLogScale(2*s.Shape), s.Shape
	}
	return s.logScale
}

// InvGamma writes the quantiles of loc + factor*X, X ~ IG(shape, rate); a
// quantile beyond the largest float is that float.
func (s *Standard) InvGamma(rate, loc, factor float64) (q [7]float64) {
	for i := range q {
		g := s.gamma[6-i]
		if factor < 0 {
			g = s.gamma[i]
		}
		q[i] = min(max(loc+factor*(rate/g), -math.MaxFloat64), math.MaxFloat64)
	}
	return q
}
