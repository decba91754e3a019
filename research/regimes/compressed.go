package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// compressed has a sparse and a dense truth, and few rows.
func compressed() []regime {
	one := func(name, about, settings string, p, rows int, gamma func(r *rand.Rand) []float64) regime {
		_, list := features(p)
		return regime{
			kind: "compressed", name: name, about: about, settings: settings, replicates: 100,
			columns: cdf.Roles{Features: list},
			simulate: func(r *rand.Rand) experiment {
				slopes := gamma(r)
				var truth []simulate.Truth
				for j, v := range slopes {
					truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("gamma[x%d]", j+1), Value: v})
				}
				return experiment{truth, regression(r, rows*shards, 0, slopes, func(_ int, _ []float64, eta float64) float64 {
					return eta + 2*r.NormFloat64()
				})}
			},
		}
	}
	sparse := func(p int) func(*rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			out := make([]float64, p)
			for j := range 10 {
				out[j] = 6*r.Float64() - 3
			}
			return out
		}
	}
	dense := func(p int) func(*rand.Rand) []float64 {
		return func(*rand.Rand) []float64 { return slices.Repeat([]float64{.1}, p) }
	}
	return []regime{
		one("200 columns without effect", "All coefficients 0, noise of sd 2; 100 rows a shard.", "", 200, 100, func(*rand.Rand) []float64 { return make([]float64, 200) }),
		one("200 columns, sparse", "10 coefficients ~ U(-3, 3), the others 0, noise of sd 2; 100 rows a shard.", "", 200, 100, sparse(200)),
		one("200 columns, dense", "All coefficients .1, noise of sd 2; 100 rows a shard.", "", 200, 100, dense(200)),
		one("200 columns, 10 rows a shard", "All coefficients .1, noise of sd 2; 10 rows a shard.", "", 200, 10, dense(200)),
		mattering(one("300 columns, the two that matter", "Coefficients 3 and -2, which are looked at, the others 0, noise of sd 2; 100 rows a shard.", "", 300, 100, func(*rand.Rand) []float64 {
			return append([]float64{3, -2}, make([]float64, 298)...)
		})),
	}
}

// mattering looks at the coefficients that are not 0 alone, which an average over all hides.
func mattering(g regime) regime {
	all := g.simulate
	g.simulate = func(r *rand.Rand) experiment {
		e := all(r)
		e.truth = slices.DeleteFunc(e.truth, func(t simulate.Truth) bool { return t.Value == 0 })
		return e
	}
	return g
}
