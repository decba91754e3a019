package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// farAnova has one level far from the others, which the variance of all draws in.
func farAnova() regime {
	return regime{
		kind: "anova", name: "one far level", about: "30 groups, 90 rows a shard, mu 5, levels of sd .3 and one at 9, sigma2 .49.", replicates: 300,
		columns: cdf.Roles{Groups: []cdf.Group{{Column: "g"}}},
		simulate: func(r *rand.Rand) experiment {
			t, truth, level := newTable("g", "y"), []simulate.Truth{{Variable: "sigma2", Value: .49}}, make([]float64, 30)
			t.Whole = []string{"g"}
			for j := range level {
				if level[j] = 5 + .3*r.NormFloat64(); j == 0 {
					level[j] = 9
				}
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("zeta[%d]", j+1), Value: level[j]})
			}
			for i := range 90 * shards {
				t.add(float64(i%30+1), level[i%30]+.7*r.NormFloat64())
			}
			return experiment{truth, t.Cut(shards)}
		},
	}
}

// farCompressed has one coefficient of many that are 0.
func farCompressed() regime {
	_, list := features(100)
	return regime{
		kind: "compressed", name: "100 columns, one large", about: "A coefficient of 3, the others 0, noise of sd 1; 100 rows a shard.", replicates: 100,
		columns: cdf.Roles{Features: list},
		simulate: func(r *rand.Rand) experiment {
			slopes := make([]float64, 100)
			slopes[0] = 3
			var truth []simulate.Truth
			for j, v := range slopes {
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("gamma[x%d]", j+1), Value: v})
			}
			return experiment{truth, regression(r, 100*shards, 0, slopes, func(_ int, _ []float64, eta float64) float64 { return eta + r.NormFloat64() })}
		},
	}
}

// fewCounts has few counts beside many columns: its intercept is too low.
func fewCounts() regime {
	_, list := features(9)
	return regime{
		kind: "poisson", name: "few counts beside nine columns", about: "Intercept -1, slopes .1, 100 rows a shard: some 40 counts in the first.", replicates: 100,
		columns: cdf.Roles{Features: list, Intercept: true},
		simulate: func(r *rand.Rand) experiment {
			slopes := make([]float64, 9)
			for j := range slopes {
				slopes[j] = .1
			}
			return experiment{coefficients(-1, slopes), regression(r, 100*shards, -1, slopes, func(_ int, _ []float64, eta float64) float64 {
				return simulate.Count(r, math.Exp(eta))
			})}
		},
	}
}
