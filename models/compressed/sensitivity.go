package compressed

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

var (
	_ cdf.PriorSensitive = (*Exact)(nil)
	_ cdf.PriorSensitive = (*Fixed)(nil)
	_ cdf.PriorSensitive = (*Sketch)(nil)
)

// PriorSensitivity writes that of sigma2; the prior variance of gamma is estimated.
func (m *Exact) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.absorbed() {
		m.sigmaSensitivity(functionals, m.shape(), m.rate, dst)
	}
}

// PriorSensitivity writes that of sigma2; the prior variance of gamma is estimated.
func (m *Sketch) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.absorbed() {
		m.sigmaSensitivity(functionals, m.shape, m.rate, dst)
	}
}

// PriorSensitivity writes that of sigma2.
func (m *Fixed) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.n > 0 && m.prepare() == nil {
		m.sigmaSensitivity(functionals, m.a, m.b, dst)
	}
}

// sigmaSensitivity is that of sigma2 ~ IG(shape, rate).
func (s *Shape) sigmaSensitivity(functionals []cdf.Functional, shape, rate float64, dst []float64) {
	p := &s.settings.Prior
	for i := range functionals {
		if _, isSigma, _ := s.Split(&functionals[i]); isSigma {
			dst[i] = dist.InvGammaSensitivity(p.Sigma2Shape, p.Sigma2Rate, shape, rate)
		}
	}
}
