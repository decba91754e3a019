package main

import (
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// probit has first shards of few and many rows, rare events and a level without
// any.
func probit() []regime {
	slopes := []float64{1, -.5, .25, 0}
	_, list := features(len(slopes))
	one := func(name, about string, rows int, intercept float64) regime {
		return regime{
			kind: "probit", name: name, about: about, replicates: 200,
			columns: cdf.Roles{Features: list, Intercept: true},
			simulate: func(r *rand.Rand) experiment {
				return experiment{coefficients(intercept, slopes), regression(r, rows*shards, intercept, slopes,
					func(_ int, _ []float64, eta float64) float64 {
						if eta+r.NormFloat64() > 0 {
							return 1
						}
						return 0
					})}
			},
		}
	}
	const design = "Four slopes from -.5 to 1, x ~ N(0, 1); "
	return append([]regime{
		one("30 rows a shard", design+"half of the responses are 1; 30 rows a shard.", 30, 0),
		one("500 rows a shard", design+"half of the responses are 1; 500 rows a shard.", 500, 0),
		one("1 % events", design+"1 % of the responses are 1; 500 rows a shard.", 500, -3.52),
	}, probitDesigns()...)
}

// probitDesigns have columns that are alike, rare or nearly decide the class,
// errors that are not normal, a curve that no column has, and classes that are wrong.
func probitDesigns() []regime {
	one := func(name, about string, rows int, slopes []float64, row func(r *rand.Rand, x []float64) (noise float64)) regime {
		names, list := features(len(slopes))
		return regime{
			kind: "probit", name: name, about: about, replicates: 200,
			columns: cdf.Roles{Features: list, Intercept: true},
			simulate: func(r *rand.Rand) experiment {
				t, x := newTable(append(names, "y")...), make([]float64, len(slopes))
				for range rows * shards {
					eta, y := row(r, x), 0.
					for j, b := range slopes {
						eta += b * x[j]
					}
					if eta > 0 {
						y = 1
					}
					t.add(append(slices.Clone(x), y)...)
				}
				return experiment{coefficients(0, slopes), t.Cut(shards)}
			},
		}
	}
	return []regime{
		one("two columns nearly equal", "Slopes .5 and .5, x1 ~ N(0, 1), x2 = x1 + N(0, .04); 100 rows a shard.", 100, []float64{.5, .5},
			func(r *rand.Rand, x []float64) float64 {
				x[0] = r.NormFloat64()
				x[1] = x[0] + .2*r.NormFloat64()
				return r.NormFloat64()
			}),
		one("a rare indicator", "Slope 1.5 of a column that is 1 in one row of fifty, else 0, slope .5 of x ~ N(0, 1); 100 rows a shard.", 100, []float64{1.5, .5},
			func(r *rand.Rand, x []float64) float64 {
				x[0], x[1] = 0, r.NormFloat64()
				if r.Float64() < .02 {
					x[0] = 1
				}
				return r.NormFloat64()
			}),
		one("columns that nearly decide", "Slopes 6 and -3, x ~ N(0, 1); 100 rows a shard.", 100, []float64{6, -3},
			func(r *rand.Rand, x []float64) float64 {
				x[0], x[1] = r.NormFloat64(), r.NormFloat64()
				return r.NormFloat64()
			}),
		one("a curve that is left out", "Slope .5 of x ~ N(0, 1), and .5 (x² - 1) that no column has; 100 rows a shard.", 100, []float64{.5},
			func(r *rand.Rand, x []float64) float64 {
				x[0] = r.NormFloat64()
				return .5*(x[0]*x[0]-1) + r.NormFloat64()
			}).without("beta"),
		one("wrong classes", "Slope 2 of x ~ N(0, 1); 3 % of the responses are the other class; 500 rows a shard.", 500, []float64{2},
			func(r *rand.Rand, x []float64) float64 {
				x[0] = r.NormFloat64()
				noise := r.NormFloat64()
				if r.Float64() < .03 {
					return -4*x[0] - noise
				}
				return noise
			}).without("beta"),
		one("2,000 rows a shard", "Slopes 1 and -.5, x ~ N(0, 1); 2,000 rows a shard, more than the window.", 2000, []float64{1, -.5},
			func(r *rand.Rand, x []float64) float64 {
				x[0], x[1] = r.NormFloat64(), r.NormFloat64()
				return r.NormFloat64()
			}),
	}
}
