package main

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// compressed is the default, sketch, with and without loss. Its kappa is
// estimated and has no prior: it is fixed here, and 60 columns inform it.
func compressed() []study {
	one := study{
		kind: "compressed", replicates: 500, draws: ranked,
		columns:  cdf.Roles{Features: features(60)},
		simulate: func(r *rand.Rand) experiment { return wide(r, 600, 6, 60, .1) },
	}
	whole, exact, lossy := one, one, one
	whole.name = "60 columns, nothing lost"
	whole.about = "600 rows in 6 shards, x ~ N(0, 1), rank 110. gamma ~ N(0, .1 sigma2), sigma2 ~ IG(1, 1), y has mean 1."
	whole.note = "kappa is a plug-in. Its uncertainty, 18 % with 60 columns, moves sigma2 by a tenth of that, and the sd of sigma2 is 3 to 4 % too small."
	exact.name = "60 columns, exact statistics"
	exact.about = "The same from X'X itself."
	exact.settings = "statistics: exact"
	exact.note = "The same posterior by another computation, with other draws: the note above applies."
	lossy.name = "60 columns, rank 20"
	lossy.about = "The same with a sketch of rank 20, which loses curvature in every shard."
	lossy.settings = "rank: 20"
	lossy.note = "The loss makes intervals wider: the sds of gamma are 5 to 12 % too large. sigma2 is too low by .2 posterior sd, 1 %: " +
		"it is estimated from prediction errors divided by 1 + z'Az, and A is as wide as gamma."
	return []study{whole, exact, lossy}
}

func wide(r *rand.Rand, rows, shards, p int, kappa float64) experiment {
	sigma2 := rnd.InvGamma(r, 1, 1)
	y := make([]float64, rows)
	for i := range y {
		y[i] = 1 + math.Sqrt(sigma2)*r.NormFloat64()
	}
	var e experiment
	var data simulate.Data
	for j, f := range features(p) {
		gamma := math.Sqrt(sigma2*kappa) * r.NormFloat64()
		x := normals(r, rows)
		for i := range y {
			y[i] += x[i] * gamma
		}
		data.Append(f.Name, x)
		if j%20 == 0 || j == p-1 {
			e.truth = append(e.truth, simulate.Truth{Variable: "gamma[" + f.Name + "]", Value: gamma})
		}
	}
	e.truth = append(e.truth, simulate.Truth{Variable: "sigma2", Value: sigma2})
	data.Append("y", y)
	e.shards = data.Cut(shards)
	return e
}
