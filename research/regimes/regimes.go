package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// regime is one way in which data come, and one section of the page.
type regime struct {
	kind, name string
	about      string // the data in words
	replicates int
	settings   string // of the kind, in YAML, besides the defaults
	columns    cdf.Roles
	// simulate makes ten shards and the truth behind them.
	simulate func(r *rand.Rand) experiment
}

// experiment is the data of one replicate.
type experiment struct {
	truth  []simulate.Truth // in the units of the data
	shards []*cdf.Batch
}

// title is unique among the regimes and the heading of the section.
func (g *regime) title() string { return g.kind + ": " + g.name }

// shards is how many each replicate has.
const shards = 10

// regimes lists all in the order of the page.
func regimes() []regime {
	return slices.Concat(linear(), anova(), dlm(), probit(), compressed(), poisson())
}

// notes say why regimes are off, by title.
var notes = map[string]string{
	"linear: 10 rows a shard, columns of no use": "Six coefficients leave four of ten rows to sigma2: now and then it is taken for far too small. The prior is where the truth is, so that it is no cause to raise a flag.",
	"anova: 10 groups, 10 rows a shard":          "The first shard is flagged. After the tenth tau2 is too small where ten levels happen to be alike: the prior expects that, and is rarely strong enough for a flag.",
	"anova: 50 groups, 100 rows a shard":         "Where two rows a group do not tell levels from noise the prior of tau2 takes them for alike. That third of the first shards is flagged.",
	"anova: 50 groups that hardly differ":        "The first shard is flagged. After the tenth 50 groups do not always tell levels from noise, and levels are then drawn together too far: a third of the replicates have a flag.",
	"dlm: near a random walk":                    "phi ~ U(-1, 1) gives little to the last thousandth.",
	"compressed: 200 columns, sparse":            "Ridge regression has one prior variance for ten coefficients that are large and 190 that are 0: most intervals are too wide, the large ones' too narrow.",
	"compressed: 200 columns, dense":             "Before there is evidence of any signal intervals are those of the prior: too wide.",
	"compressed: 200 columns, 10 rows a shard":   "The same: with half as many rows as columns most of the width is the prior's.",
	"poisson: two wild counts":                   "In a first shard of 50 rows two counts of 500 are ten times all others together.",
}

// table builds the columns of a replicate, row by row.
type table struct{ simulate.Data }

func newTable(names ...string) *table {
	return &table{simulate.Data{Names: names, Columns: make([][]float64, len(names))}}
}

func (t *table) add(values ...float64) {
	for j, v := range values {
		t.Columns[j] = append(t.Columns[j], v)
	}
}

// features are named x1, x2, ...
func features(p int) (names []string, list []cdf.Feature) {
	for j := range p {
		names = append(names, fmt.Sprintf("x%d", j+1))
		list = append(list, cdf.Feature{Name: names[j]})
	}
	return names, list
}

// coefficients are the truth of a regression's slopes, behind that of the
// intercept.
func coefficients(intercept float64, slopes []float64) []simulate.Truth {
	truth := []simulate.Truth{{Variable: "beta[intercept]", Value: intercept}}
	for j, v := range slopes {
		truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("beta[x%d]", j+1), Value: v})
	}
	return truth
}

// regression makes rows of normal features; response turns the linear predictor of
// row i into a response.
func regression(r *rand.Rand, rows int, intercept float64, slopes []float64, response func(i int, x []float64, eta float64) float64) []*cdf.Batch {
	names, _ := features(len(slopes))
	t := newTable(append(names, "y")...)
	x := make([]float64, len(slopes))
	for i := range rows {
		eta := intercept
		for j := range x {
			x[j] = r.NormFloat64()
			eta += slopes[j] * x[j]
		}
		y := response(i, x, eta)
		t.add(append(slices.Clone(x), y)...)
	}
	return t.Cut(shards)
}

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
	return []regime{
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
	}
}

// without leaves a parameter out of what is followed.
func (g regime) without(name string) regime {
	simulate := g.simulate
	g.simulate = func(r *rand.Rand) experiment {
		e := simulate(r)
		return experiment{drop(e.truth, name), e.shards}
	}
	return g
}

func drop(truth []simulate.Truth, name string) []simulate.Truth {
	return slices.DeleteFunc(truth, func(t simulate.Truth) bool { return param(t.Variable) == name })
}

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
	return []regime{
		one("5 groups, 10 rows a shard", "mu 5, tau2 and sigma2 .49; levels are drawn anew in every replicate.", 5, 10, .7, false),
		one("10 groups, 10 rows a shard", "The same: a row of each group.", 10, 10, .7, false),
		one("50 groups, 100 rows a shard", "The same.", 50, 100, .7, false),
		one("5 groups that hardly differ", "10 rows a shard; tau2 .01.", 5, 10, .1, false),
		one("50 groups that hardly differ", "100 rows a shard; tau2 .01.", 50, 100, .1, false),
		one("a wild response", "10 groups, 20 rows a shard, tau2 .49; row 7 is 10,000 sd too large.", 10, 20, .7, true),
	}
}

// dlm has a level that returns, one that hardly does, and one wild response.
func dlm() []regime {
	one := func(name, about string, steps, replicates int, phi float64, wild bool) regime {
		return regime{
			kind: "dlm", name: name, about: about, replicates: replicates,
			simulate: func(r *rand.Rand) experiment {
				const mu, tau, sigma = 3., .5, 1.
				theta := tau / math.Sqrt(1-phi*phi) * r.NormFloat64()
				t := newTable("y")
				for i := range steps * shards {
					theta = phi*theta + tau*r.NormFloat64()
					y := mu + theta + sigma*r.NormFloat64()
					if wild && i == 6 {
						y += 1e3
					}
					t.add(y)
				}
				return experiment{[]simulate.Truth{
					{Variable: "phi", Value: phi}, {Variable: "tau2", Value: tau * tau}, {Variable: "sigma2", Value: sigma * sigma},
					{Variable: "mu", Value: mu},
				}, t.Cut(shards)}
			},
		}
	}
	return []regime{
		one("a level that returns", "mu 3, phi .9, tau .5, sigma 1; 20 steps a shard.", 20, 300, .9, false),
		one("a level that returns, 500 steps a shard", "The same.", 500, 100, .9, false),
		one("near a random walk", "phi .999, else the same; 20 steps a shard.", 20, 300, .999, false),
		one("a wild response", "phi .9, 20 steps a shard, and the seventh response is 1,000 sd too large.", 20, 300, .9, true),
	}
}

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
	return []regime{
		one("30 rows a shard", design+"half of the responses are 1; 30 rows a shard.", 30, 0),
		one("500 rows a shard", design+"half of the responses are 1; 500 rows a shard.", 500, 0),
		one("1 % events", design+"1 % of the responses are 1; 500 rows a shard.", 500, -3.52),
	}
}

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
		one("200 columns, sparse", "10 coefficients ~ U(-3, 3), the others 0, noise of sd 2; 100 rows a shard.", "", 200, 100, sparse(200)),
		one("200 columns, dense", "All coefficients .1, noise of sd 2; 100 rows a shard.", "", 200, 100, dense(200)),
		one("200 columns, 10 rows a shard", "All coefficients .1, noise of sd 2; 10 rows a shard.", "", 200, 10, dense(200)),
	}
}

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
	return []regime{
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
	}
}
