package main

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// probit has a window that holds all rows, where the draws are those of a
// plain Gibbs sampler, and windows that do not, where rows are frozen.
func probit() []study {
	one := study{kind: "probit", replicates: 500, draws: 1000, columns: cdf.Roles{Features: features(3), Intercept: true}}
	whole, frozen, strong := one, one, one
	whole.name = "200 rows, all in the window"
	whole.about = "Intercept and 3 columns x ~ N(0, 1), 8 shards of 25 rows. Intercept and beta ~ N(0, 1)."
	whole.settings = "prior: {beta_variance: 1, intercept_variance: 1}"
	whole.simulate = func(r *rand.Rand) experiment { return binary(r, 200, 8, 1) }
	frozen.name = "200 rows, 75 in the window"
	frozen.about = "The same, with rows frozen from the fourth shard on."
	frozen.settings = "{prior: {beta_variance: 1, intercept_variance: 1}, window: 75}"
	frozen.simulate = whole.simulate
	strong.name = "200 rows, 75 in the window, default prior"
	strong.about = "The same with the default prior, intercept ~ N(0, 10): in many replicates nearly all responses are equal."
	strong.settings = "{prior: {beta_variance: 1, intercept_variance: 10}, window: 75}"
	strong.simulate = func(r *rand.Rand) experiment { return binary(r, 200, 8, 10) }
	strong.note = "Rows that are frozen while nearly all responses are equal belong to a posterior far from normal, which their quadratic cannot represent: " +
		"the sd of the intercept is 14 % too small, those of the slopes 4 to 10 %. A window with rows of both classes helps."
	few, first, tenth := one, one, one
	few.name, few.draws = "first shard of 30 rows", 0
	few.about = "One shard, default prior: intercept ~ N(0, 10), beta ~ N(0, 1)."
	few.simulate = func(r *rand.Rand) experiment { return binary(r, 30, 1, 10) }
	first.name, first.draws = "first shard of 500 rows", 0
	first.about = "The same with more rows; in a fifth of the replicates less than one row in a hundred is of the rarer class, in a tenth none."
	first.simulate = func(r *rand.Rand) experiment { return binary(r, 500, 1, 10) }
	tenth.name, tenth.draws = "tenth shard of 50 rows", 0
	tenth.about = "Ten shards, all rows in the window. Priors as above."
	tenth.simulate = func(r *rand.Rand) experiment { return binary(r, 500, 10, 10) }
	return []study{whole, frozen, strong, few, first, tenth}
}

func binary(r *rand.Rand, rows, shards int, interceptVariance float64) experiment {
	const p = 3
	intercept := simulate.Truth{Variable: "beta[intercept]", Value: math.Sqrt(interceptVariance) * r.NormFloat64()}
	truth := append([]simulate.Truth{intercept}, coefficients(r, p, 1)...)
	data, eta := design(r, rows, truth, p)
	y := make([]float64, rows)
	for i := range y {
		if eta[i]+r.NormFloat64() > 0 {
			y[i] = 1
		}
	}
	data.Append("y", y)
	return experiment{truth: truth, shards: data.Cut(shards)}
}
