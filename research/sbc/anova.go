package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/simulate"
)

// anova has equal and unequal groups. The prior of mu is flat by default and
// that of tau2 improper in its moments: both are replaced.
func anova() []study {
	one := study{
		kind: "anova", replicates: 2000,
		columns:  cdf.Roles{Groups: []cdf.Group{{Column: "g"}}},
		settings: "prior: {mu_variance: 1, tau2_shape: 3, tau2_rate: 1}",
	}
	balanced, unbalanced, first := one, one, one
	balanced.name = "8 groups of 5 rows"
	balanced.about = "Rows in random order, 5 shards of 8. mu ~ N(0, 1), tau2 ~ IG(3, 1), sigma2 ~ IG(1, 1)."
	balanced.simulate = func(r *rand.Rand) experiment { return groups(r, []int{5, 5, 5, 5, 5, 5, 5, 5}, 5) }
	unbalanced.name = "8 groups of 1 to 11 rows"
	unbalanced.about = "Groups of 1, 2, 4, 5, 7, 8, 10 and 11 rows in random order, 6 shards of 8. Priors as above."
	unbalanced.simulate = func(r *rand.Rand) experiment { return groups(r, []int{1, 2, 4, 5, 7, 8, 10, 11}, 6) }
	first.name = "5 groups of 2 rows"
	first.about = "One shard. Priors as above."
	first.simulate = func(r *rand.Rand) experiment { return groups(r, []int{2, 2, 2, 2, 2}, 1) }
	return []study{balanced, unbalanced, first}
}

// groups follows the first and the last group.
func groups(r *rand.Rand, sizes []int, shards int) experiment {
	mu, tau2, sigma2 := r.NormFloat64(), rnd.InvGamma(r, 3, 1), rnd.InvGamma(r, 1, 1)
	var g []int64
	var y []float64
	zeta := make([]float64, len(sizes))
	for i, n := range sizes {
		zeta[i] = mu + math.Sqrt(tau2)*r.NormFloat64()
		for range n {
			g = append(g, int64(i+1))
			y = append(y, zeta[i]+math.Sqrt(sigma2)*r.NormFloat64())
		}
	}
	r.Shuffle(len(y), func(i, j int) { g[i], g[j], y[i], y[j] = g[j], g[i], y[j], y[i] })
	last := len(sizes)
	return experiment{
		truth: []simulate.Truth{
			{Variable: "zeta[1]", Value: zeta[0]},
			{Variable: fmt.Sprintf("zeta[%d]", last), Value: zeta[last-1]},
			{Variable: "mu", Value: mu},
			{Variable: "tau2", Value: tau2},
			{Variable: "sigma2", Value: sigma2},
		},
		shards: cut([]cdf.Column{integers("g", g), numbers("y", y)}, len(y), shards),
	}
}
