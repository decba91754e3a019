package compressed

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

var (
	_ cdf.PriorSummarizer = (*Learned)(nil)
	_ cdf.PriorSummarizer = (*Sketch)(nil)
	_ cdf.PriorSummarizer = (*Exact)(nil)
)

// SummarizePrior describes gamma_j = Phi_j'beta, given beta and K normal with
// mean Phi0_j'beta and variance sum kappa_i beta_i^2. It has no variance.
func (m *Learned) SummarizePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	p, law := &m.settings.Prior, dist.Standard{}
	const n = 1000
	w := m.work()
	defer m.scratch.Put(w)
	k := m.m
	beta, own := make([]float64, n*k), make([]float64, n)
	for s := range own {
		sd := math.Sqrt(p.BetaVariance * rnd.InvGamma(rng, p.Sigma2Shape, p.Sigma2Rate))
		for a := range k {
			b := sd * rng.NormFloat64()
			beta[s*k+a] = b
			own[s] += b * b * rnd.InvGamma(rng, .5, .5)
		}
		own[s] = math.Sqrt(own[s])
	}
	x := make([]float64, n)
	return m.Describe(functionals, rows, &law, p.Sigma2Shape, p.Sigma2Rate, func(r *cdf.Row, f *cdf.Functional) {
		for s := range x {
			x[s] = f.Const
			for l, j := range f.Param {
				g := own[s] * rng.NormFloat64()
				for a, b := range lin.Row(beta, k, s) {
					g += w.phi0[j*k+a] * b
				}
				x[s] += f.Weight[l] * g
			}
		}
		describe.Draws(r, x)
	})
}

// SummarizePrior leaves gamma unknown: its prior variance is estimated.
func (m *Sketch) SummarizePrior(functionals []cdf.Functional, rows []cdf.Row, _ *rand.Rand) error {
	return m.unknownPrior(functionals, rows)
}

// SummarizePrior leaves gamma unknown: its prior variance is estimated.
func (m *Exact) SummarizePrior(functionals []cdf.Functional, rows []cdf.Row, _ *rand.Rand) error {
	return m.unknownPrior(functionals, rows)
}

func (s *Shape) unknownPrior(functionals []cdf.Functional, rows []cdf.Row) error {
	p, law := &s.settings.Prior, dist.Standard{}
	return s.Describe(functionals, rows, &law, p.Sigma2Shape, p.Sigma2Rate, func(r *cdf.Row, _ *cdf.Functional) { describe.Unknown(r) })
}
