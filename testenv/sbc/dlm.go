package main

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// dlm is the default mode, grid, which is exact but for its grid, and the
// conditional density filter.
func dlm() []study {
	const prior = "Default prior: phi ~ U(-1, 1), tau2, sigma2 ~ IG(2, .2), theta_0 ~ N(0, 10 sigma2). theta is the level after the last row."
	return []study{
		{
			kind: "dlm", name: "20 steps", about: "4 shards of 5 steps. " + prior,
			replicates: 2000, draws: ranked,
			simulate: func(r *rand.Rand) experiment { return level(r, 20, 4, 0, true) },
		},
		{
			kind: "dlm", name: "200 steps, 10 % missing",
			about:      "8 shards of 25 steps, each missing with probability .1. " + prior,
			replicates: 2000, draws: ranked,
			simulate: func(r *rand.Rand) experiment { return level(r, 200, 8, .1, true) },
		},
		{
			kind: "dlm", name: "mode compact, 200 steps, 10 % missing",
			about:      "The same with theta_0 ~ N(0, 10), whatever sigma2 is, as in the modes with a window.",
			replicates: 500, draws: 1000, settings: "mode: compact",
			simulate: func(r *rand.Rand) experiment { return level(r, 200, 8, .1, false) },
		},
	}
}

// level starts at theta_0 ~ N(0, 10 sigma2), or N(0, 10) where not relative.
func level(r *rand.Rand, steps, shards int, missing float64, relative bool) experiment {
	phi := 2*r.Float64() - 1
	tau2, sigma2 := rnd.InvGamma(r, 2, .2), rnd.InvGamma(r, 2, .2)
	theta := math.Sqrt(10) * r.NormFloat64()
	if relative {
		theta *= math.Sqrt(sigma2)
	}
	y := make([]float64, steps)
	for i := range y {
		theta = phi*theta + math.Sqrt(tau2)*r.NormFloat64()
		y[i] = theta + math.Sqrt(sigma2)*r.NormFloat64()
		if r.Float64() < missing {
			y[i] = math.NaN()
		}
	}
	return experiment{
		truth: []simulate.Truth{
			{Variable: "phi", Value: phi},
			{Variable: "tau2", Value: tau2},
			{Variable: "sigma2", Value: sigma2},
			{Variable: "theta", Value: theta},
		},
		shards: cut([]cdf.Column{numbers("y", y)}, steps, shards),
	}
}
