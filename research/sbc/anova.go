package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// anova has equal and unequal groups, under a prior that keeps tau2 away from 0
// and under the default one.
func anova() []study {
	one := study{
		kind: "anova", replicates: 2000,
		columns:  cdf.Roles{Groups: []cdf.Group{{Column: "g"}}},
		settings: "prior: {mu_variance: 1, tau2_shape: 3, tau2_rate: 1}",
	}
	balanced, unbalanced, first, usual, usualFirst := one, one, one, one, one
	usual.settings, usualFirst.settings = "", ""
	groups := func(r *rand.Rand, sizes []int, shards int) experiment {
		return groups(r, r.NormFloat64(), rnd.InvGamma(r, 3, 1), sizes, shards)
	}
	balanced.name = "8 groups of 5 rows"
	balanced.about = "Rows in random order, 5 shards of 8. mu ~ N(0, 1), tau2 ~ IG(3, 1), sigma2 ~ IG(1, 1)."
	balanced.simulate = func(r *rand.Rand) experiment { return groups(r, []int{5, 5, 5, 5, 5, 5, 5, 5}, 5) }
	unbalanced.name = "8 groups of 1 to 11 rows"
	unbalanced.about = "Groups of 1, 2, 4, 5, 7, 8, 10 and 11 rows in random order, 6 shards of 8. Priors as above."
	unbalanced.simulate = func(r *rand.Rand) experiment { return groups(r, []int{1, 2, 4, 5, 7, 8, 10, 11}, 6) }
	first.name = "5 groups of 2 rows"
	first.about = "One shard. Priors as above."
	first.simulate = func(r *rand.Rand) experiment { return groups(r, []int{2, 2, 2, 2, 2}, 1) }
	usual.name = "default prior, 10 groups of 20 rows"
	usual.about = "10 shards of 20 in random order. Default prior: mu flat, tau2 ~ IG(.5, .005), sigma2 ~ IG(1, 1). mu is 0: the posterior of a flat prior moves with it."
	usual.simulate = func(r *rand.Rand) experiment { return usualGroups(r, 20, 10) }
	usualFirst.name = "default prior, 10 groups of 2 rows"
	usualFirst.about = "One shard. Priors as above."
	usualFirst.simulate = func(r *rand.Rand) experiment { return usualGroups(r, 2, 1) }
	return []study{balanced, unbalanced, first, usual, usualFirst}
}

// usualGroups has ten groups of as many rows each, under the default prior.
func usualGroups(r *rand.Rand, rows, shards int) experiment {
	return groups(r, 0, rnd.InvGamma(r, .5, .005), slices.Repeat([]int{rows}, 10), shards)
}

// groups follows the first and the last group.
func groups(r *rand.Rand, mu, tau2 float64, sizes []int, shards int) experiment {
	sigma2 := rnd.InvGamma(r, 1, 1)
	var g, y []float64
	zeta := make([]float64, len(sizes))
	for i, n := range sizes {
		zeta[i] = mu + math.Sqrt(tau2)*r.NormFloat64()
		for range n {
			g = append(g, float64(i+1))
			y = append(y, zeta[i]+math.Sqrt(sigma2)*r.NormFloat64())
		}
	}
	r.Shuffle(len(y), func(i, j int) { g[i], g[j], y[i], y[j] = g[j], g[i], y[j], y[i] })
	data := simulate.Data{Names: []string{"g", "y"}, Columns: [][]float64{g, y}, Whole: []string{"g"}}
	last := len(sizes)
	return experiment{
		truth: []simulate.Truth{
			{Variable: "zeta[1]", Value: zeta[0]},
			{Variable: fmt.Sprintf("zeta[%d]", last), Value: zeta[last-1]},
			{Variable: "mu", Value: mu},
			{Variable: "tau2", Value: tau2},
			{Variable: "sigma2", Value: sigma2},
		},
		shards: data.Cut(shards),
	}
}
