package anova

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

var (
	_ cdf.PriorSummarizer = (*Model)(nil)
	_ cdf.PriorSummarizer = (*Paper)(nil)
)

// SummarizePrior describes mu and the groups only where mu has a proper prior.
func (m *statistics) SummarizePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	sds := make([]float64, len(functionals))
	m.PriorSD(functionals, sds)
	p, law := &m.prior, dist.Standard{}
	var effects []float64 // zeta, mu and tau2 being drawn
	for i, f := range functionals {
		at, err := m.parameter(f)
		if err != nil {
			return err
		}
		r, w := &rows[i], f.Weight[0]
		describe.Begin(r, f.Name)
		switch {
		case at == tau2Row:
			describe.InvGamma(r, &law, p.Tau2Shape, p.Tau2Rate, f.Const, w)
		case at == sigma2Row:
			describe.InvGamma(r, &law, p.Sigma2Shape, p.Sigma2Rate, f.Const, w)
		case m.flat():
			describe.Unknown(r)
		case at == muRow:
			describe.Normal(r, f.Const, sds[i])
		default:
			if effects == nil {
				effects = describe.Centred(rng, func() float64 {
					return math.Sqrt(p.MuVariance + rnd.InvGamma(rng, p.Tau2Shape, p.Tau2Rate))
				})
			}
			describe.Shifted(r, effects, f.Const, w)
			if p.Tau2Shape > 0.5 {
				r.Mean = f.Const
			}
			r.SD = sds[i]
		}
	}
	return nil
}
