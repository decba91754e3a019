package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// linear has few rows, where the exact marginals are published, and more,
// where the closed form is; a first shard of fewer rows than coefficients, and
// one of many.
func linear() []study {
	return []study{
		{
			kind: "linear", name: "40 rows, 4 columns",
			about:      "No intercept, x ~ N(0, 1), 8 shards of 5 rows. Default prior: beta ~ N(0, 1), sigma2 ~ IG(1, 1).",
			replicates: 2000, draws: ranked, columns: cdf.Roles{Features: features(4)},
			simulate: func(r *rand.Rand) experiment { return regression(r, 40, 8, 4, 0) },
		},
		{
			kind: "linear", name: "120 rows, intercept and 3 columns",
			about:      "x ~ N(0, 1), 6 shards of 20 rows. Default prior: intercept ~ N(0, 100), beta ~ N(0, 1), sigma2 ~ IG(1, 1).",
			replicates: 2000, draws: ranked, columns: cdf.Roles{Features: features(3), Intercept: true},
			simulate: func(r *rand.Rand) experiment { return regression(r, 120, 6, 3, 100) },
		},
		{
			kind: "linear", name: "first shard of 3 rows", about: "Intercept and 3 columns, one shard. Priors as above.",
			replicates: 2000, draws: ranked, columns: cdf.Roles{Features: features(3), Intercept: true},
			simulate: func(r *rand.Rand) experiment { return regression(r, 3, 1, 3, 100) },
		},
		{
			kind: "linear", name: "first shard of 1,000 rows", about: "Intercept and 3 columns, one shard. Priors as above.",
			replicates: 2000, draws: ranked, columns: cdf.Roles{Features: features(3), Intercept: true},
			simulate: func(r *rand.Rand) experiment { return regression(r, 1000, 1, 3, 100) },
		},
	}
}

// regression has an intercept where its variance is positive.
func regression(r *rand.Rand, rows, shards, p int, interceptVariance float64) experiment {
	sigma2 := rnd.InvGamma(r, 1, 1)
	var e experiment
	if interceptVariance > 0 {
		e.truth = append(e.truth, simulate.Truth{Variable: "beta[intercept]", Value: math.Sqrt(interceptVariance) * r.NormFloat64()})
	}
	e.truth = append(e.truth, coefficients(r, p, 1)...)
	e.truth = append(e.truth, simulate.Truth{Variable: "sigma2", Value: sigma2})
	data, y := design(r, rows, e.truth, p)
	for i := range y {
		y[i] += math.Sqrt(sigma2) * r.NormFloat64()
	}
	data.Append("y", y)
	e.shards = data.Cut(shards)
	return e
}

// features are named x1, x2, ...
func features(p int) []cdf.Feature {
	var f []cdf.Feature
	for j := range p {
		f = append(f, cdf.Feature{Name: fmt.Sprintf("x%d", j+1)})
	}
	return f
}

// coefficients draws the slopes of p features from N(0, variance).
func coefficients(r *rand.Rand, p int, variance float64) []simulate.Truth {
	var out []simulate.Truth
	for _, f := range features(p) {
		out = append(out, simulate.Truth{Variable: "beta[" + f.Name + "]", Value: math.Sqrt(variance) * r.NormFloat64()})
	}
	return out
}

// design draws p standard normal columns and returns them with the linear
// predictor of the coefficients that beta begins with.
func design(r *rand.Rand, rows int, beta []simulate.Truth, p int) (data simulate.Data, eta []float64) {
	eta = make([]float64, rows)
	if beta[0].Variable == "beta[intercept]" {
		for i := range eta {
			eta[i] = beta[0].Value
		}
		beta = beta[1:]
	}
	for j, f := range features(p) {
		v := normals(r, rows)
		for i := range eta {
			eta[i] += v[i] * beta[j].Value
		}
		data.Append(f.Name, v)
	}
	return data, eta
}
