package poisson

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

var _ cdf.PriorSummarizer = (*Model)(nil)

// SummarizePrior describes coefficients by normal laws, variances of groups by
// their own, effects by normal laws mixed over these.
func (m *base) SummarizePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	sds := make([]float64, len(functionals))
	m.PriorSD(functionals, sds)
	p, law := &m.settings.Prior, dist.Standard{}
	var effects []float64
	w := m.work()
	defer m.scratch.Put(w)
	count := m.stats.effects()
	for i, f := range functionals {
		term, err := m.locate(f, &w.place)
		if err != nil {
			return err
		}
		r := &rows[i]
		describe.Begin(r, f.Name)
		switch {
		case term >= 0 && m.half():
			// P(s2 <= x) = 2/pi atan(sqrt(x)/A)
			describe.By(r, func(level float64) float64 {
				t := p.GroupScale * math.Tan(math.Pi/2*level)
				return f.Const + f.Weight[0]*t*t
			})
		case term >= 0:
			describe.InvGamma(r, &law, p.GroupShape, p.GroupRate, f.Const, f.Weight[0])
		case len(f.Param) == 0 || f.Param[0] < m.k:
			describe.Normal(r, f.Const, sds[i])
		case f.Param[0] < m.k+count:
			if effects == nil {
				effects = describe.Centred(rng, func() float64 { return m.priorScale(rng) })
			}
			describe.Shifted(r, effects, f.Const, f.Weight[0])
			if !m.half() && p.GroupShape > 0.5 {
				r.Mean = f.Const
			}
			r.SD = sds[i]
		}
	}
	return nil
}

// priorScale draws the sd of an effect.
func (m *base) priorScale(rng *rand.Rand) float64 {
	p := &m.settings.Prior
	if m.half() {
		return p.GroupScale * math.Tan(math.Pi/2*rng.Float64())
	}
	return math.Sqrt(rnd.InvGamma(rng, p.GroupShape, p.GroupRate))
}
