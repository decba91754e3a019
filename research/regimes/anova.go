package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// anova has few groups, groups of few rows, levels that differ much or hardly, and
// one wild response.
func anova() []regime {
	one := func(name, about string, k, rows int, tau float64, wild bool) regime {
		return regime{
			kind: "anova", name: name, about: about, replicates: 1000,
			columns: cdf.Roles{Groups: []cdf.Group{{Column: "g"}}},
			simulate: func(r *rand.Rand) experiment {
				truth := []simulate.Truth{{Variable: "mu", Value: 5}, {Variable: "tau2", Value: tau * tau}, {Variable: "sigma2", Value: .49}}
				level := make([]float64, k)
				for j := range level {
					level[j] = 5 + tau*r.NormFloat64()
					truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("zeta[%d]", j+1), Value: level[j]})
				}
				t := newTable("g", "y")
				t.Whole = []string{"g"}
				for i := range rows * shards {
					y := level[i%k] + .7*r.NormFloat64()
					if wild && i == 6 {
						y += 7e3
					}
					t.add(float64(i%k+1), y)
				}
				return experiment{truth, t.Cut(shards)}
			},
		}
	}
	return append([]regime{
		one("5 groups, 10 rows a shard", "mu 5, tau2 and sigma2 .49; levels are drawn anew in every replicate.", 5, 10, .7, false),
		one("10 groups, 10 rows a shard", "The same: a row of each group.", 10, 10, .7, false),
		one("50 groups, 100 rows a shard", "The same.", 50, 100, .7, false),
		one("5 groups that hardly differ", "10 rows a shard; tau2 .01.", 5, 10, .1, false),
		one("50 groups that hardly differ", "100 rows a shard; tau2 .01.", 50, 100, .1, false),
		one("a wild response", "10 groups, 20 rows a shard, tau2 .49; row 7 is 10,000 sd too large.", 10, 20, .7, true),
	}, append(unevenGroups(), skewedErrors())...)
}

// skewedErrors have exponential noise, which the model has not.
func skewedErrors() regime {
	return regime{
		kind: "anova", name: "exponential noise", about: "10 groups, 30 rows a shard, tau2 and sigma2 .49; the noise is exponential.", replicates: 500,
		columns: cdf.Roles{Groups: []cdf.Group{{Column: "g"}}},
		simulate: func(r *rand.Rand) experiment {
			truth := []simulate.Truth{{Variable: "mu", Value: 5}, {Variable: "tau2", Value: .49}, {Variable: "sigma2", Value: .49}}
			levels := make([]float64, 10)
			for j := range levels {
				levels[j] = 5 + .7*r.NormFloat64()
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("zeta[%d]", j+1), Value: levels[j]})
			}
			t := newTable("g", "y")
			t.Whole = []string{"g"}
			for i := range 30 * shards {
				t.add(float64(i%10+1), levels[i%10]+.7*(r.ExpFloat64()-1))
			}
			return experiment{truth, t.Cut(shards)}
		},
	}
}

// unevenGroups have rows, noise or levels that are not alike.
func unevenGroups() []regime {
	one := func(name, about string, k, rows int, tau2 float64, level func(r *rand.Rand) float64, group func(r *rand.Rand, i int) int, sd func(g int) float64) regime {
		return regime{
			kind: "anova", name: name, about: about, replicates: 500,
			columns: cdf.Roles{Groups: []cdf.Group{{Column: "g"}}},
			simulate: func(r *rand.Rand) experiment {
				truth := []simulate.Truth{{Variable: "mu", Value: 5}, {Variable: "tau2", Value: tau2}, {Variable: "sigma2", Value: .49}}
				levels := make([]float64, k)
				for j := range levels {
					levels[j] = 5 + level(r)
					truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("zeta[%d]", j+1), Value: levels[j]})
				}
				t := newTable("g", "y")
				t.Whole = []string{"g"}
				for i := range rows * shards {
					g := group(r, i)
					t.add(float64(g+1), levels[g]+sd(g)*r.NormFloat64())
				}
				return experiment{truth, t.Cut(shards)}
			},
		}
	}
	normal := func(tau float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return tau * r.NormFloat64() }
	}
	even := func(k int) func(*rand.Rand, int) int { return func(_ *rand.Rand, i int) int { return i % k } }
	same := func(int) float64 { return .7 }
	return []regime{
		one("one large group", "20 groups, tau2 and sigma2 .49, 100 rows a shard: 81 of the first group, one of each other.", 20, 100, .49, normal(.7),
			func(_ *rand.Rand, i int) int { return max(i%100-80, 0) }, same),
		one("groups that come late", "The same, 40 rows a shard; a row is of one of the first 2 t groups, t its shard.", 20, 40, .49, normal(.7),
			func(r *rand.Rand, i int) int { return r.IntN(2 * (i/40 + 1)) }, same),
		one("levels far apart", "20 groups, 100 rows a shard, levels of sd 700.", 20, 100, 490_000, normal(700), even(20), same),
		one("levels with heavy tails", "20 groups, 100 rows a shard, levels t with 3 degrees of freedom: tau2 3.", 20, 100, 3,
			func(r *rand.Rand) float64 { return heavy(r, 3) }, even(20), same),
		one("many levels", "300 groups, 900 rows a shard, levels normal: tau2 .49.", 300, 900, .49, normal(.7), even(300), same),
		one("many levels with heavy tails", "300 groups, 900 rows a shard, levels t with 3 degrees of freedom: tau2 3.", 300, 900, 3,
			func(r *rand.Rand) float64 { return heavy(r, 3) }, even(300), same),
		one("many skewed levels", "300 groups, 900 rows a shard, levels exponential: tau2 .49.", 300, 900, .49,
			func(r *rand.Rand) float64 { return .7 * (r.ExpFloat64() - 1) }, even(300), same),
		one("groups of unequal noise", "20 groups, 100 rows a shard, tau2 .49; the noise has sd .2 in ten groups and .97 in ten, .49 in the mean square.", 20, 100, .49, normal(.7), even(20),
			func(g int) float64 { return map[bool]float64{false: .2, true: .97}[g%2 == 1] }),
	}
}
