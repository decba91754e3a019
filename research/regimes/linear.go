package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// linear has few rows, few rows for its columns, columns that explain nothing or
// nearly all, noise that is not normal, and one wild value.
func linear() []regime {
	one := func(name, about string, rows int, slopes []float64, noise func(r *rand.Rand, x []float64) float64, wild func(i int, x []float64, y float64) float64) regime {
		_, list := features(len(slopes))
		return regime{
			kind: "linear", name: name, about: about, replicates: 1000,
			columns: cdf.Roles{Features: list, Intercept: true},
			simulate: func(r *rand.Rand) experiment {
				truth := append(coefficients(3, slopes), simulate.Truth{Variable: "sigma2", Value: 1})
				return experiment{truth, regression(r, rows*shards, 3, slopes, func(i int, x []float64, eta float64) float64 {
					y := eta + noise(r, x)
					if wild != nil {
						y = wild(i, x, y)
					}
					return y
				})}
			},
		}
	}
	slopes := []float64{2, -1, .5, 0, .1}
	normal := func(r *rand.Rand, _ []float64) float64 { return r.NormFloat64() }
	const design = "Intercept 3, five slopes from 0 to 2, x ~ N(0, 1), noise N(0, 1); "
	return append([]regime{
		one("10 rows a shard", design+"10 rows a shard.", 10, slopes, normal, nil),
		one("10 rows a shard, columns of no use", "The same, but all slopes 0.", 10, make([]float64, 5), normal, nil),
		one("10 rows a shard, hardly any noise", "The same, but slopes from 0 to 20: .2 % of the variance is noise.", 10,
			[]float64{20, -10, 5, 0, 1}, normal, nil),
		one("10 rows a shard, 30 columns", "The same, but 30 slopes of .1.", 10, slices.Repeat([]float64{.1}, 30), normal, nil),
		one("1,000 rows a shard", design+"1,000 rows a shard.", 1000, slopes, normal, nil),
		one("a wild response", design+"20 rows a shard, the response of row 7 is 10,000 too large.", 20, slopes, normal,
			func(i int, _ []float64, y float64) float64 {
				if i == 6 {
					y += 1e4
				}
				return y
			}),
		one("a wild feature", design+"20 rows a shard, x1 of row 7 is 10,000 too large when the response has been made.", 20, slopes, normal,
			func(i int, x []float64, y float64) float64 {
				if i == 6 {
					x[0] += 1e4
				}
				return y
			}),
		one("noise grows with x", design+"but the sd of the noise is |1 + x1|; 100 rows a shard. sigma2 is then 2 on average, which is not followed.", 100, slopes,
			func(r *rand.Rand, x []float64) float64 { return (1 + x[0]) * r.NormFloat64() }, nil).without("sigma2"),
		one("noise varies somewhat with x", design+"but the variance of the noise is .7 + .3 x1^2; 100 rows a shard.", 100, slopes,
			func(r *rand.Rand, x []float64) float64 { return math.Sqrt(.7+.3*x[0]*x[0]) * r.NormFloat64() }, nil),
	}, linearDesigns()...)
}

// linearDesigns have columns that are not independent normal ones.
func linearDesigns() []regime {
	one := func(name, about string, rows int, slopes []float64, sigma2 float64, row func(r *rand.Rand, i int, x []float64) (noise float64)) regime {
		names, list := features(len(slopes))
		return regime{
			kind: "linear", name: name, about: about, replicates: 1000,
			columns: cdf.Roles{Features: list, Intercept: true},
			simulate: func(r *rand.Rand) experiment {
				t, x := newTable(append(names, "y")...), make([]float64, len(slopes))
				for i := range rows * shards {
					y := 3 + row(r, i, x)
					for j, b := range slopes {
						y += b * x[j]
					}
					t.add(append(slices.Clone(x), y)...)
				}
				return experiment{append(coefficients(3, slopes), simulate.Truth{Variable: "sigma2", Value: sigma2}), t.Cut(shards)}
			},
		}
	}
	return []regime{
		one("t noise", "Two slopes, 1 and -1, x ~ N(0, 1), noise t with 3 degrees of freedom, whose variance is 3; 20 rows a shard.", 20, []float64{1, -1}, 3,
			func(r *rand.Rand, _ int, x []float64) float64 {
				x[0], x[1] = r.NormFloat64(), r.NormFloat64()
				return heavy(r, 3)
			}),
		one("two columns nearly equal", "Slopes 1 and 1, x1 ~ N(0, 1), x2 = x1 + N(0, .01), noise N(0, 1); 20 rows a shard.", 20, []float64{1, 1}, 1,
			func(r *rand.Rand, _ int, x []float64) float64 {
				x[0] = r.NormFloat64()
				x[1] = x[0] + .1*r.NormFloat64()
				return r.NormFloat64()
			}),
		one("a trend", "Slope .1 of the row number, noise N(0, 1); 20 rows a shard.", 20, []float64{.1}, 1,
			func(r *rand.Rand, i int, x []float64) float64 {
				x[0] = float64(i)
				return r.NormFloat64()
			}),
		one("a rare indicator", "Slope 3 of a column that is 1 in one row of fifty, else 0, slope 1 of x ~ N(0, 1), noise N(0, 1); 20 rows a shard.", 20, []float64{3, 1}, 1,
			func(r *rand.Rand, _ int, x []float64) float64 {
				x[0], x[1] = 0, r.NormFloat64()
				if r.Float64() < .02 {
					x[0] = 1
				}
				return r.NormFloat64()
			}),
		one("a skewed column", "Slope 1 of x = exp(N(0, 1.5^2)), noise N(0, 1); 20 rows a shard.", 20, []float64{1}, 1,
			func(r *rand.Rand, _ int, x []float64) float64 {
				x[0] = math.Exp(1.5 * r.NormFloat64())
				return r.NormFloat64()
			}),
		one("times as columns", "Slope .001 of a time in seconds since 1970, a minute apart; noise N(0, 1); 20 rows a shard.", 20, []float64{.001}, 1,
			func(r *rand.Rand, i int, x []float64) float64 {
				x[0] = 1.7e9 + 60*float64(i)
				return r.NormFloat64()
			}),
	}
}
