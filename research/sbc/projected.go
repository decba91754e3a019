package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/compressed/projection"
	"github.com/credence-stream/credence/models/simulate"
)

// projected is compressed regression whose gamma = Phi'beta: Phi given
// (fixed), or drawn from its prior and learned (packed, lean).
func projected() []study {
	out := []study{{
		kind: "compressed", name: "projection fixed, 12 columns to 4 dimensions",
		about: "60 rows in 6 shards of 10, x ~ N(0, 1). gamma = Phi'beta, Phi the random signs of `projection_seed` 1. " +
			"Default prior: beta ~ N(0, sigma2 I), sigma2 ~ IG(1, 1).",
		replicates: 2000, draws: ranked, settings: "{projection: fixed, dimension: 4, prior: {beta_variance: 1}}",
		columns:  cdf.Roles{Features: features(12)},
		simulate: func(r *rand.Rand) experiment { return given(r, 60, 6, 12, 4) },
	}}
	out = append(out, learnedStudies("packed", [3]int{200, 100, 200}, [3]string{
		"Published intervals of gamma are twice as wide as necessary. In units of sigma2/N, about the variance in the exact posterior, its variance is 4.6: " +
			"2.2 because older shards count less, 2.1 because Phi is uncertain in directions about which the data contain no information and beta is uncertain too, " +
			"though their product is known, and .4 for beta alone. sigma2 is 1.3 times too high in the median: residuals of shards that were absorbed with a poor estimate " +
			"of gamma contain the error of that estimate, which fades as (rows then / rows now)³. (Medians and units here and below: 30 replicates.)",
		"The width fades slowly, to 3.7 units. sigma2 is 1.09 times too high in the median and in a quarter of the replicates more than 1.3 times.",
		"The default prior expects a signal so large that the early errors outweigh the noise for long: sigma2 is 35 times too high in the median, " +
			"3.8 times after 50 shards. The error of gamma grows with it, and so does its sd. If a signal is that strong, use the sketch.",
	})...)
	return append(out, learnedStudies("lean", [3]int{200, 200, 200}, [3]string{
		"Published intervals of gamma are three to four times too wide. In the units above its variance is 16.5: 1.9 because older shards count less, " +
			"13.5 because Phi and beta are treated separately, and 1.1 for beta alone. One number per column says how well Phi_j'beta is known " +
			"at the present beta and nothing about other directions, so Phi keeps its prior's width there. sigma2 is 1.3 times too high in the median, as with packed.",
		"The width has not faded: of 23 units the second part is 20. sigma2 is 1.09 times too high in the median.",
		"sigma2 is 76 times too high in the median, 6.2 times after 50 shards, for the reason above.",
	})...)
}

// learnedStudies are three experiments: a short stream, a longer one, and the
// default prior, whose signal is very strong.
func learnedStudies(statistics string, replicates [3]int, notes [3]string) []study {
	const first = "2,000 rows in 20 shards, x ~ N(0, 1). gamma = Phi'beta, beta ~ N(0, .001 sigma2 I) of 10 dimensions, " +
		"Phi_j ~ N(Phi0_j, diag(kappa)), kappa_i ~ IG(1/2, 1/2), Phi0 that of `projection_seed` 1, sigma2 ~ IG(1, 1). " +
		"In the median gamma explains 14 times the variance of the noise, 1.3 to 1,600 times from the 5 to the 95 % quantile."
	var out []study
	for i, e := range [3]struct {
		name, about string
		shards      int
		variance    float64 // of beta, in units of sigma2
	}{
		{"20 shards", first, 20, .001},
		{"50 shards", "The same with 5,000 rows in 50 shards.", 50, .001},
		{"20 shards, default prior", "As with 20 shards, beta ~ N(0, sigma2 I): gamma explains 14,000 times the variance of the noise in the median.", 20, 1},
	} {
		s := study{
			kind: "compressed", name: statistics + ", 100 columns, " + e.name, about: e.about, note: notes[i],
			replicates: replicates[i], draws: ranked, settings: "statistics: " + statistics,
			columns:  cdf.Roles{Features: features(100)},
			simulate: func(r *rand.Rand) experiment { return learned(r, 100*e.shards, e.shards, 100, 10, e.variance) },
		}
		if e.variance != 1 {
			s.settings = fmt.Sprintf("{statistics: %s, prior: {beta_variance: %g}}", statistics, e.variance)
		}
		out = append(out, s)
	}
	return out
}

// given draws beta and sigma2 for the projection of the default seed.
func given(r *rand.Rand, rows, shards, p, m int) experiment {
	sigma2 := rnd.InvGamma(r, 1, 1)
	beta := normals(r, m)
	gamma := make([]float64, p)
	for i, v := range projection.Signs(1, m, p) {
		gamma[i%p] += v * beta[i/p] * math.Sqrt(sigma2)
	}
	return line(r, rows, shards, gamma, sigma2)
}

// learned draws Phi as well; variance is that of beta in units of sigma2.
func learned(r *rand.Rand, rows, shards, p, m int, variance float64) experiment {
	sigma2 := rnd.InvGamma(r, 1, 1)
	beta, sd := normals(r, m), make([]float64, m)
	for i := range sd {
		beta[i] *= math.Sqrt(sigma2 * variance)
		sd[i] = math.Sqrt(rnd.InvGamma(r, .5, .5))
	}
	gamma := make([]float64, p)
	for i, mean := range projection.Orthonormal(1, m, p) {
		gamma[i/m] += (mean + sd[i%m]*r.NormFloat64()) * beta[i%m]
	}
	return line(r, rows, shards, gamma, sigma2)
}

// line is y = x'gamma + e. The first and the last coefficient are followed.
func line(r *rand.Rand, rows, shards int, gamma []float64, sigma2 float64) experiment {
	y := normals(r, rows)
	for i := range y {
		y[i] *= math.Sqrt(sigma2)
	}
	var e experiment
	var data simulate.Data
	for j, g := range gamma {
		x := normals(r, rows)
		for i, v := range x {
			y[i] += v * g
		}
		name := fmt.Sprintf("x%d", j+1)
		data.Append(name, x)
		if j == 0 || j == len(gamma)-1 {
			e.truth = append(e.truth, simulate.Truth{Variable: "gamma[" + name + "]", Value: g})
		}
	}
	e.truth = append(e.truth, simulate.Truth{Variable: "sigma2", Value: sigma2})
	data.Append("y", y)
	e.shards = data.Cut(shards)
	return e
}
