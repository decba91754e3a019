package dlm

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

var _ cdf.PriorSummarizer = (*rowWindow)(nil)

// SummarizePrior describes phi, where it is not uniform, by draws; theta is that
// before the first row.
func (m *rowWindow) SummarizePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	p, law := &m.prior, dist.Standard{}
	for i, f := range functionals {
		r, w := &rows[i], f.Weight[0]
		describe.Begin(r, f.Name)
		switch f.Param[0] {
		case tau2Row:
			describe.InvGamma(r, &law, p.Tau2Shape, p.Tau2Rate, f.Const, w)
		case sigma2Row:
			describe.InvGamma(r, &law, p.Sigma2Shape, p.Sigma2Rate, f.Const, w)
		case thetaRow:
			// sigma2 is integrated out: t with 2a degrees of freedom.
			scale := math.Sqrt(p.Theta0Variance * p.Sigma2Rate / p.Sigma2Shape)
			describe.Student(r, law.At(p.Sigma2Shape), f.Const, math.Abs(w)*scale)
		default:
			p.describePhi(r, rng)
		}
	}
	return nil
}

// describePhi describes phi, a normal law between -1 and 1 or the uniform one.
func (p *Prior) describePhi(r *cdf.Row, rng *rand.Rand) {
	if p.PhiVariance == 0 {
		r.Mean, r.SD = 0, 1/math.Sqrt(3)
		describe.By(r, func(level float64) float64 { return 2*level - 1 })
		return
	}
	sd := math.Sqrt(p.PhiVariance)
	draws := make([]float64, describe.PriorDraws)
	for s := range draws {
		draws[s] = rnd.TruncNormal(rng, p.PhiMean, sd, -1, 1)
	}
	describe.Draws(r, draws)
	mean, square := lin.Center(draws)
	r.Mean, r.SD = mean, math.Sqrt(square/describe.PriorDraws)
}
