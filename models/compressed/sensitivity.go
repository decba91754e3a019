package compressed

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

var (
	_ cdf.PriorSensitive = (*Exact)(nil)
	_ cdf.PriorSensitive = (*Fixed)(nil)
	_ cdf.PriorSensitive = (*Sketch)(nil)
)

// PriorSensitivity writes that of sigma2, and of coefficients that are too far off for the others (gammaSensitivity).
func (m *Exact) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.absorbed() {
		m.sigmaSensitivity(functionals, m.shape(), m.rate, dst)
		gammaSensitivity(m, functionals, math.Exp(-m.logKappa), func(int) float64 { return m.weight }, dst)
	}
}

// PriorSensitivity writes that of sigma2, and of coefficients that are too far off for the others (gammaSensitivity).
func (m *Sketch) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.absorbed() {
		m.sigmaSensitivity(functionals, m.shape, m.rate, dst)
		gammaSensitivity(m, functionals, math.Exp(-m.logKappa), m.curvature, dst)
	}
}

// gammaSensitivity writes that of a handful that matters (handful), and of coefficients which are too far off for the others, whose spread the variance of their
// prior is estimated from: by how many of its sds that draws each to 0, |g| A^(1/2) precision/sigma. What rows
// say of a coefficient given the others is g (1 + precision/S) with the variance sigma2/S, S being the curvature. Nothing is written where
// the posterior is not known.
func gammaSensitivity(m solver, functionals []cdf.Functional, precision float64, curvature func(column int) float64, dst []float64) {
	r, err := m.solved()
	if err != nil {
		return
	}
	defer m.release(r)
	s2 := r.rate / r.shape
	for j := range r.z {
		r.z[j] = max(curvature(j), faintest*precision)
	}
	var room dist.FarValues
	far := room.Far(len(r.g), s2/precision, func(j int) (x, v float64) { return r.g[j] * (1 + precision/r.z[j]), s2 / r.z[j] })
	matter, drawn := r.matter()
	if len(far)+len(matter) == 0 {
		return
	}
	for i := range functionals {
		f := &functionals[i]
		if len(f.Param) == 0 {
			continue
		}
		j := f.Param[0] // a coefficient's own column, whatever it takes up of others
		if slices.Contains(far, j) {
			dst[i] = math.Abs(r.g[j]) * precision * math.Sqrt(r.diag[j]/s2)
		} else if k := slices.Index(matter, j); k >= 0 && drawn[k] > mostDrawn {
			dst[i] = drawn[k]
		}
	}
}

// faintest is the curvature, in units of the prior's, below which rows say nothing of a column.
const faintest = 1e-9

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
