package main

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// dlm is mode grid, exact but for its grid, and the two that filter a window,
// each with all steps in the window and with most of them departed.
func dlm() []study {
	const (
		parameters = "phi ~ U(-1, 1), tau2, sigma2 ~ IG(2, .2)"
		prior      = "Default prior: " + parameters + ", theta_0 ~ N(0, 10 sigma2). theta is the level after the last row."
		short      = "2 shards of 20 steps, the default window of 50. Default prior: " + parameters + ", theta_0 ~ N(0, 10 sigma2). theta as above."
		long       = "8 shards of 25 steps: in the end 150 have left the window. Priors as above."
	)
	window := func(mode, name, about string, steps, shards, replicates int, note string) study {
		return study{
			kind: "dlm", name: "mode " + mode + ", " + name, about: about, note: note,
			replicates: replicates, draws: 500, settings: "mode: " + mode,
			simulate: func(r *rand.Rand) experiment { return level(r, steps, shards, 0, false) },
		}
	}
	// As where the response has its centre from the first rows; that the prior of the
	// mean is about that very centre is left out here.
	about := func(name, about string, steps, shards int, missing float64) study {
		return study{
			kind: "dlm", name: "the mean is not known, " + name,
			about:      about + " " + prior + " mu ~ N(0, sigma2 + tau2/(1 - phi^2)).",
			replicates: 2000, draws: ranked, settings: "mean: unknown",
			simulate: func(r *rand.Rand) experiment { return level(r, steps, shards, missing, true) },
		}
	}
	return []study{
		{
			kind: "dlm", name: "20 steps", about: "4 shards of 5 steps. " + prior,
			replicates: 2000, draws: ranked,
			simulate: func(r *rand.Rand) experiment { return level(r, 20, 4, 0, false) },
		},
		{
			kind: "dlm", name: "200 steps, 10 % missing",
			about:      "8 shards of 25 steps, each missing with probability .1. " + prior,
			replicates: 2000, draws: ranked,
			simulate: func(r *rand.Rand) experiment { return level(r, 200, 8, .1, false) },
		},
		{
			kind: "dlm", name: "first shard of 3 steps", about: "One shard. " + prior,
			replicates: 2000, draws: ranked,
			simulate: func(r *rand.Rand) experiment { return level(r, 3, 1, 0, false) },
		},
		about("first shard of 3 steps", "One shard.", 3, 1, 0),
		about("20 steps", "4 shards of 5 steps.", 20, 4, 0),
		about("200 steps, 10 % missing", "8 shards of 25 steps, each missing with probability .1.", 200, 8, .1),
		window("compact", "40 steps, all in the window", short, 40, 2, 200, exactNote),
		window("compact", "200 steps", long, 200, 8, 200, compactNote),
		window("filtered", "40 steps, all in the window", short, 40, 2, 500, ""),
		window("filtered", "200 steps", long, 200, 8, 500, filteredNote),
	}
}

const (
	exactNote = "Nothing has left the window, so the posterior is exact, except that the random walk is too slow in some replicates even with 8,000 draws."

	compactNote = "Steps that left the window are a quadratic in phi and the logarithms of the variances, expanded at the estimates when they left. " +
		"Early estimates are far from the truth, the likelihood is a curved ridge, and the quadratic is never revised: the published sd of phi is .86 of the correct one, " +
		"of tau2 .74, of sigma2 .85, and sigma2 is .4 sd too high; their 95 % intervals cover .91, .85 and .89. theta is right."

	filteredNote = "Steps that left the window count as if their levels had been observed. The published sd of phi is .49 of the correct one, of tau2 and sigma2 .24; " +
		"their 95 % intervals cover .72, .43 and .40. theta is right: it depends on the last steps."
)

// level starts at theta_0 ~ N(0, 10 sigma2); its mean is 0 or has the prior of an
// observation about it.
func level(r *rand.Rand, steps, shards int, missing float64, unknownMean bool) experiment {
	phi := 2*r.Float64() - 1
	tau2, sigma2 := rnd.InvGamma(r, 2, .2), rnd.InvGamma(r, 2, .2)
	theta, mu := math.Sqrt(10*sigma2)*r.NormFloat64(), 0.
	if unknownMean {
		mu = math.Sqrt(sigma2+tau2/(1-phi*phi)) * r.NormFloat64()
	}
	y := make([]float64, steps)
	for i := range y {
		theta = mu + phi*(theta-mu) + math.Sqrt(tau2)*r.NormFloat64()
		y[i] = theta + math.Sqrt(sigma2)*r.NormFloat64()
		if r.Float64() < missing {
			y[i] = math.NaN()
		}
	}
	data := simulate.Data{Names: []string{"y"}, Columns: [][]float64{y}}
	truth := []simulate.Truth{
		{Variable: "phi", Value: phi},
		{Variable: "tau2", Value: tau2},
		{Variable: "sigma2", Value: sigma2},
		{Variable: "theta", Value: theta},
	}
	if unknownMean {
		truth = append(truth, simulate.Truth{Variable: "mu", Value: mu})
	}
	return experiment{truth: truth, shards: data.Cut(shards)}
}
