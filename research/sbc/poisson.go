package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// poisson has one factor with a random intercept and an exposure, in shards
// that hold every group several times and in shards of few counts, whose
// expansion at the estimate of their time is coarser, without rows' own effects,
// and one in shards of both with them. The default priors of coefficients and
// groups are next to improper and are replaced.
func poisson() []study {
	one := study{
		kind: "poisson", replicates: 2000, draws: ranked,
		columns: cdf.Roles{
			Features: features(1), Intercept: true, Exposure: "e",
			Groups: []cdf.Group{{Column: "g"}},
		},
		settings: "prior: {beta_variance: 0.25, group: inverse-gamma, group_shape: 3, group_rate: 0.5}",
	}
	with := one
	one.settings = "{overdispersion: none, " + one.settings + "}"
	dense, sparse := one, one
	dense.name = "10 groups, shards of 50 rows"
	dense.about = "300 rows in 6 shards, each with 5 rows of every group. x ~ N(0, 1), exposure ~ U(.5, 3.5). " +
		"Intercept and beta ~ N(0, .25), sigma2_u ~ IG(3, .5)."
	dense.simulate = func(r *rand.Rand) experiment { return counts(r, 300, 6, 10, 3.5, 0) }
	sparse.name = "30 groups, shards of 10 rows"
	sparse.about = "300 rows in 30 shards, each with a third of the groups. Exposure ~ U(.07, .5): a group has about 4 counts in all. Else as above."
	sparse.note = "With few counts the normal approximation of the likelihood is narrow even if all rows are expanded at the last estimate " +
		"(`buffer: 40`, 1,000 replicates: sd ratio .93 for the intercept and sigma2_u, .95 for u, .99 for the slope). Expanding past shards at " +
		"the estimate of their time adds a shift of the intercept, .09 posterior sd too high instead of .06 too low, and narrows sigma2_u to .87."
	sparse.simulate = func(r *rand.Rand) experiment { return counts(r, 300, 30, 30, .5, 0) }
	with.name = "10 groups, rows with effects of their own"
	with.about = "300 rows in 12 shards of 25. Rates vary by row by exp(e), e ~ N(-s2/2, s2), the sd of e ~ exp(mean .5), the default prior; exposure ~ U(.5, 3.5). Else as above."
	with.note = "The intercept is the log of the mean count, which depends on the rows' variance s2_e. The posterior uses the mean of s2_e, which makes " +
		"the intercept's sd a tenth too small, and the intercept .09 sd too low where effects are large. The slope, the groups and their variance are calibrated."
	with.simulate = func(r *rand.Rand) experiment { return counts(r, 300, 12, 10, 3.5, .5) }
	return []study{dense, sparse, with}
}

// counts has k groups in turn and exposures of a seventh of the largest on. The
// sd of the rows' own effects is exponential with mean scale. It follows the
// first and the last group.
func counts(r *rand.Rand, rows, shards, k int, largest, scale float64) experiment {
	intercept := simulate.Truth{Variable: "beta[intercept]", Value: .5 * r.NormFloat64()}
	truth := append([]simulate.Truth{intercept}, coefficients(r, 1, .25)...)
	sigma2 := rnd.InvGamma(r, 3, .5)
	u := make([]float64, k)
	for i := range u {
		u[i] = math.Sqrt(sigma2) * r.NormFloat64()
	}
	data, eta := design(r, rows, truth, 1)
	if scale > 0 {
		tau := scale * r.ExpFloat64()
		for i := range eta {
			eta[i] += tau*r.NormFloat64() - 0.5*tau*tau
		}
	}
	g, exposure, y := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range y {
		group := i % k
		g[i] = float64(group + 1)
		exposure[i] = largest * (1 + 6*r.Float64()) / 7
		y[i] = poissonDraw(r, exposure[i]*math.Exp(eta[i]+u[group]))
	}
	truth = append(truth,
		simulate.Truth{Variable: "u[1]", Value: u[0]},
		simulate.Truth{Variable: fmt.Sprintf("u[%d]", k), Value: u[k-1]},
		simulate.Truth{Variable: "sigma2_u", Value: sigma2})
	data.Append("g", g)
	data.Append("e", exposure)
	data.Append("y", y)
	data.Whole = []string{"g"}
	return experiment{truth: truth, shards: data.Cut(shards)}
}

// poissonDraw counts unit-rate arrivals up to the mean, which is split so that
// the product of uniforms does not underflow.
func poissonDraw(r *rand.Rand, mean float64) float64 {
	n := 0.
	for mean > 0 {
		part := min(mean, 500)
		mean -= part
		for p := r.Float64(); p > math.Exp(-part); p *= r.Float64() {
			n++
		}
	}
	return n
}
