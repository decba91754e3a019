package main

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// dlm is the default mode, grid: theta_0 ~ N(0, 10 sigma2).
func dlm() []study {
	const prior = "Default prior: phi ~ U(-1, 1), tau2, sigma2 ~ IG(2, .2), theta_0 ~ N(0, 10 sigma2). theta is the level after the last row."
	return []study{
		{
			kind: "dlm", name: "20 steps", about: "4 shards of 5 steps. " + prior,
			replicates: 2000, draws: ranked,
			simulate: func(r *rand.Rand) experiment { return level(r, 20, 4, 0) },
		},
		{
			kind: "dlm", name: "200 steps, 10 % missing",
			about:      "8 shards of 25 steps, each missing with probability .1. " + prior,
			replicates: 2000, draws: ranked,
			simulate: func(r *rand.Rand) experiment { return level(r, 200, 8, .1) },
		},
	}
}

func level(r *rand.Rand, steps, shards int, missing float64) experiment {
	phi := 2*r.Float64() - 1
	tau2, sigma2 := rnd.InvGamma(r, 2, .2), rnd.InvGamma(r, 2, .2)
	theta := math.Sqrt(10*sigma2) * r.NormFloat64()
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
