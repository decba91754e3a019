package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// poisson has counts that the model is for, rare ones, and counts that vary more
// than it says.
func poisson() []regime {
	slopes := []float64{.3, -.2}
	_, list := features(len(slopes))
	one := func(name, about string, intercept float64, count func(r *rand.Rand, i int, mean float64) float64) regime {
		return regime{
			kind: "poisson", name: name, about: about, replicates: 300,
			columns: cdf.Roles{Features: list, Intercept: true, Groups: []cdf.Group{{Column: "g"}}},
			simulate: func(r *rand.Rand) experiment {
				const k = 10
				level := make([]float64, k)
				for j := range level {
					level[j] = .5 * r.NormFloat64()
				}
				t := newTable("x1", "x2", "g", "y")
				t.Whole = []string{"g", "y"}
				for i := range 50 * shards {
					x1, x2 := r.NormFloat64(), r.NormFloat64()
					mean := math.Exp(intercept + slopes[0]*x1 + slopes[1]*x2 + level[i%k])
					t.add(x1, x2, float64(i%k+1), count(r, i, mean))
				}
				// The intercept is the mean of the levels' law: ten levels say little of it.
				return experiment{coefficients(intercept, slopes), t.Cut(shards)}
			},
		}
	}
	plain := func(r *rand.Rand, _ int, mean float64) float64 { return simulate.Count(r, mean) }
	const design = "Slopes .3 and -.2, ten groups of sd .5, 50 rows a shard; "
	return append([]regime{
		one("counts of some 2", design+"intercept .5.", .5, plain),
		one("rare counts", design+"intercept -3: one row in twenty has a count.", -3, plain),
		one("negative binomial of size .5", design+"intercept .5, the mean of a row has a gamma factor of shape .5.", .5,
			func(r *rand.Rand, _ int, mean float64) float64 {
				// A gamma variable of shape 1/2 and mean 1 is the square of a normal one.
				z := r.NormFloat64()
				return simulate.Count(r, mean*z*z)
			}),
		one("two wild counts", design+"intercept .5, and the counts of rows 4 and 30 are 500.", .5,
			func(r *rand.Rand, i int, mean float64) float64 {
				if i == 3 || i == 29 {
					return 500
				}
				return simulate.Count(r, mean)
			}),
		one("counts of thousands", design+"intercept 8.", 8, plain),
		one("a third of the counts are 0", design+"intercept .5, but a count is 0 in one row of three whatever its mean.", .5,
			func(r *rand.Rand, _ int, mean float64) float64 {
				if r.Float64() < 1./3 {
					return 0
				}
				return simulate.Count(r, 1.5*mean)
			}),
	}, append(append(append(poissonEffects(), poissonDesigns()...), poissonLevels()...), poissonCrossed(), poissonSlopes())...)
}

// poissonCrossed has two terms of groups.
func poissonCrossed() regime {
	const stores, days = 40, 7
	return regime{
		kind: "poisson", name: "stores and days", replicates: 200,
		about:   "Slope .3, 40 stores of sd .5 crossed with seven days of sd .3, effects of rows of sd .3, intercept 1; 50 rows a shard.",
		columns: cdf.Roles{Features: []cdf.Feature{{Name: "x1"}}, Intercept: true, Groups: []cdf.Group{{Column: "store"}, {Column: "day"}}},
		simulate: func(r *rand.Rand) experiment {
			var store [stores]float64
			for j := range store {
				store[j] = .5 * r.NormFloat64()
			}
			var day [days]float64
			for j := range day {
				day[j] = .3 * r.NormFloat64()
			}
			t := newTable("x1", "store", "day", "y")
			t.Whole = []string{"store", "day", "y"}
			for range 50 * shards {
				s, d, x := r.IntN(stores), r.IntN(days), r.NormFloat64()
				t.add(x, float64(s+1), float64(d+1), simulate.Count(r, math.Exp(1+.3*x+store[s]+day[d]+.3*r.NormFloat64()-.045)))
			}
			truth := append(coefficients(1, []float64{.3}),
				simulate.Truth{Variable: "sigma2_u[store]", Value: .25}, simulate.Truth{Variable: "sigma2_u[day]", Value: .09})
			return experiment{truth, t.Cut(shards)}
		},
	}
}

// poissonSlopes has slopes by group of a column that is far from 0 in its own unit.
func poissonSlopes() regime {
	const stores = 20
	return regime{
		kind: "poisson", name: "prices by store", replicates: 200,
		about:   "Prices of 20, sd 2. Counts of 2.7 in the mean at a price of 20; an sd of the price is a slope of -.3, and in each of 20 stores another by .3 (sd); stores differ by .5 (sd) at a price of 20; 100 rows a shard.",
		columns: cdf.Roles{Features: []cdf.Feature{{Name: "price"}}, Intercept: true, Groups: []cdf.Group{{Column: "store", Slopes: []string{"price"}}}},
		simulate: func(r *rand.Rand) experiment {
			var level, slope [stores]float64
			for j := range level {
				level[j], slope[j] = .5*r.NormFloat64(), .15*r.NormFloat64()
			}
			t := newTable("price", "store", "y")
			t.Whole = []string{"store", "y"}
			for range 100 * shards {
				s, off := r.IntN(stores), 2*r.NormFloat64()
				t.add(20+off, float64(s+1), simulate.Count(r, math.Exp(1+level[s]+(slope[s]-.15)*off)))
			}
			return experiment{[]simulate.Truth{
				{Variable: "beta[intercept]", Value: 1 + .15*20}, {Variable: "beta[price]", Value: -.15},
				{Variable: "sigma2_u[store]", Value: .25}, {Variable: "sigma2_u[store,price]", Value: .0225},
			}, t.Cut(shards)}
		},
	}
}

// poissonEffects have rows that vary by much and no groups, so that the intercept is as sure as their number makes it.
func poissonEffects() []regime {
	_, list := features(1)
	one := func(name, about string, vary func(r *rand.Rand) float64) regime {
		return regime{
			kind: "poisson", name: name, about: about + " Intercept 1.5, slope .3, no groups, 50 rows a shard.", replicates: 300,
			columns: cdf.Roles{Features: list, Intercept: true},
			simulate: func(r *rand.Rand) experiment {
				slopes := []float64{.3}
				return experiment{coefficients(1.5, slopes), regression(r, 50*shards, 1.5, slopes, func(_ int, _ []float64, eta float64) float64 {
					return simulate.Count(r, math.Exp(eta)*vary(r))
				})}
			},
		}
	}
	return []regime{
		one("negative binomial, without groups", "The mean of a row has a gamma factor of shape .5.", func(r *rand.Rand) float64 {
			z := r.NormFloat64()
			return z * z
		}),
		one("lognormal rates, without groups", "The mean of a row has a lognormal factor of sd 1.", func(r *rand.Rand) float64 {
			return math.Exp(r.NormFloat64() - .5)
		}),
	}
}

// poissonDesigns have exposures of all sizes, many groups of few rows, and a skewed
// column.
func poissonDesigns() []regime {
	one := func(name, about string, rows, k int, intercept float64, row func(r *rand.Rand) (x, exposure float64)) regime {
		return regime{
			kind: "poisson", name: name, about: about, replicates: 200,
			columns: cdf.Roles{Features: []cdf.Feature{{Name: "x1"}}, Intercept: true, Exposure: "e", Groups: []cdf.Group{{Column: "g"}}},
			simulate: func(r *rand.Rand) experiment {
				level := make([]float64, k)
				for j := range level {
					level[j] = .5 * r.NormFloat64()
				}
				t := newTable("x1", "e", "g", "y")
				t.Whole = []string{"g", "y"}
				for range rows * shards {
					g := r.IntN(k)
					x, e := row(r)
					t.add(x, e, float64(g+1), simulate.Count(r, e*math.Exp(intercept+.3*x+level[g])))
				}
				truth := append(coefficients(intercept, []float64{.3}), simulate.Truth{Variable: "sigma2_u", Value: .25})
				return experiment{truth, t.Cut(shards)}
			},
		}
	}
	return []regime{
		one("exposures of all sizes", "Slope .3, ten groups of sd .5, intercept 0, log exposure N(0, 4); 50 rows a shard.", 50, 10, 0,
			func(r *rand.Rand) (x, e float64) { return r.NormFloat64(), math.Exp(2 * r.NormFloat64()) }),
		one("300 groups of few rows", "Slope .3, 300 groups of sd .5, intercept 0; 60 rows a shard.", 60, 300, 0,
			func(r *rand.Rand) (x, e float64) { return r.NormFloat64(), 1 }),
		one("a skewed column", "Slope .3 of x = exp(N(0, 1)), ten groups of sd .5, intercept 0; 50 rows a shard.", 50, 10, 0,
			func(r *rand.Rand) (x, e float64) { return math.Exp(r.NormFloat64()), 1 }),
		one("three groups", "Slope .3, three groups of sd .5, intercept 0; 30 rows a shard.", 30, 3, 0,
			func(r *rand.Rand) (x, e float64) { return r.NormFloat64(), 1 }),
	}
}

// poissonLevels have effects of many groups that are not normal.
func poissonLevels() []regime {
	one := func(name, about string, level func(r *rand.Rand) float64) regime {
		return regime{
			kind: "poisson", name: name, about: about, replicates: 200,
			columns: cdf.Roles{Features: []cdf.Feature{{Name: "x1"}}, Intercept: true, Groups: []cdf.Group{{Column: "g"}}},
			simulate: func(r *rand.Rand) experiment {
				truth := append(coefficients(1, []float64{.3}), simulate.Truth{Variable: "sigma2_u", Value: .25})
				levels := make([]float64, 300)
				for j := range levels {
					levels[j] = .5 * level(r)
					truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("u[%d]", j+1), Value: levels[j]})
				}
				t := newTable("x1", "g", "y")
				t.Whole = []string{"g", "y"}
				for i := range 900 * shards {
					x, g := r.NormFloat64(), i%300
					t.add(x, float64(g+1), simulate.Count(r, math.Exp(1+.3*x+levels[g])))
				}
				return experiment{truth, t.Cut(shards)}
			},
		}
	}
	return []regime{
		one("many groups", "Intercept 1, slope .3, 300 groups of sd .5; 900 rows a shard.", (*rand.Rand).NormFloat64),
		one("many groups with skewed effects", "The same; effects are exponential.", func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }),
		one("many groups, some far out", "The same; effects are t with 3 degrees of freedom.", func(r *rand.Rand) float64 { return heavy(r, 3) / math.Sqrt(3) }),
	}
}
