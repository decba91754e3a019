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

// untoldPriorSD writes the prior sds, at the present law of sigma2 and kappa, of columns that were the same in all rows:
// their posterior is the prior, whose variance is that of the other columns in units of sds, and what an sd of theirs is
// no row has told. Of such 0/1 columns with coefficients ~ N(0, 1), 95 % intervals held .06 to .26 (TestUntoldColumns).
func (s *Shape) untoldPriorSD(functionals []cdf.Functional, dst []float64, shape, rate, logKappa float64, untold func(column int) bool) {
	sd := math.Sqrt(rate / (shape - 1) * math.Exp(logKappa)) // their scale is 1; NaN where sigma2 has no mean
	for i := range functionals {
		f, square := &functionals[i], 0.
		for k, j := range f.Param {
			if j < s.P && untold(j) {
				square += float64(f.Weight[k] * f.Weight[k])
			}
		}
		if square > 0 {
			dst[i] = math.Sqrt(square) * sd
		}
	}
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
