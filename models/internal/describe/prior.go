package describe

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/models/internal/dist"
)

// PriorDraws is the number of draws that describe a prior without a closed
// form: their quantiles at .025 are off by 5 % of an sd or so.
const PriorDraws = 4000

// Normal describes a normal law.
func Normal(r *cdf.Row, mean, sd float64) {
	r.Mean, r.SD = mean, sd
	var q [7]float64
	for k, z := range dist.NormalQuantiles {
		q[k] = mean + z*sd
	}
	Quantiles(r, &q)
}

// Draws describes draws, which it sorts, by their quantiles.
func Draws(r *cdf.Row, draws []float64) {
	slices.Sort(draws)
	By(r, func(p float64) float64 { return mcmc.Quantile(draws, p) })
}

// Centred returns draws of normal laws with the mean 0, mixed over their sds:
// with every draw its mirror image.
func Centred(rng *rand.Rand, sd func() float64) []float64 {
	draws := make([]float64, PriorDraws)
	for s := 0; s < PriorDraws; s += 2 {
		draws[s] = sd() * rng.NormFloat64()
		draws[s+1] = -draws[s]
	}
	return draws
}

// Shifted describes shift + w times the draws.
func Shifted(r *cdf.Row, draws []float64, shift, w float64) {
	x := make([]float64, len(draws))
	for s, v := range draws {
		x[s] = shift + w*v
	}
	Draws(r, x)
}

// Unknown leaves nothing of a row but its name: the prior is improper.
func Unknown(r *cdf.Row) {
	for _, v := range r.Numbers() {
		*v = math.NaN()
	}
}
