package study

import (
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// Approaches returns, for every kind, an experiment on theorem 1 of the paper
// (section 6): whether what is published comes to be the posterior of all rows
// as shards come in. They are not the paper's, which has none.
func Approaches() []*Experiment {
	const (
		linearPrior = "prior: {beta_variance: 1, sigma2_shape: 1, sigma2_rate: 1}"
		levelsPrior = "prior: {mu_variance: 0, tau2_shape: .5, tau2_rate: .005, sigma2_shape: 1, sigma2_rate: 1}"
		levelPrior  = "prior: {sigma2_shape: 2, sigma2_rate: .01, tau2_shape: 2, tau2_rate: 2, theta0_variance: 10}\n"
		ridge       = "prior: {beta_variance: 1, intercept_variance: 1}"
	)
	return []*Experiment{
		{
			Name: "linear", About: "five predictors, 10 rows a shard", Kind: "linear",
			Size: Size{Reps: 20, Shards: 1024},
			Methods: append(methods(linearPrior, 500, "cdf", "cdf-paper"),
				Method{Name: "smcmc[batch]", Settings: linearPrior, Draws: 20_000, Batch: true}),
			Reference: "smcmc[batch]", Open: scenario("linear", 0), Measure: departing(1, "beta", "sigma2"),
		},
		{
			Name: "anova", About: "ten levels of sd 1, noise of sd 2, a row of each a shard", Kind: "anova",
			Columns: cdf.Roles{Groups: []cdf.Group{{Column: "group"}}},
			Size:    Size{Reps: 20, Shards: 1024},
			Methods: append(methods(levelsPrior, 500, "cdf", "cdf-paper"),
				Method{Name: "smcmc[batch]", Settings: levelsPrior, Draws: 50_000, Batch: true}),
			Reference: "smcmc[batch]", Open: apart, Measure: departing(1, "zeta", "mu", "tau2", "sigma2"),
		},
		{
			Name: "dlm", About: "a level seen with little noise, a row a shard", Kind: "dlm",
			Size: Size{Reps: 8, Shards: 1024},
			Methods: []Method{
				{Name: "credence", Settings: levelPrior + "mode: grid", Draws: 500},
				{Name: "cdf", Settings: levelPrior + "mode: compact\nwindow: 50", Draws: 500},
				{Name: "cdf-paper", Settings: levelPrior + "window: 100", Draws: 50},
				{Name: "ffbs", Settings: levelPrior + "thin: 20", Draws: 10_000, Batch: true},
			},
			Reference: "ffbs", Measure: departing(16, "theta", "phi", "tau2", "sigma2"),
			Open: leveled(simulate.PaperLevel()),
		},
		{
			Name: "probit", About: "20 predictors, 25 rows a shard, a window of 100 rows", Kind: "probit",
			Size: Size{Reps: 4, Shards: 1024},
			Methods: append(methods(ridge+"\nwindow: 100", 500, "cdf", "cdf-paper"),
				Method{Name: "smcmc[batch]", Settings: ridge, Draws: 4000, Batch: true}),
			Reference: "smcmc[batch]", Open: scenario("probit-long", 0), Measure: departing(1, "beta"),
		},
		{
			Name: "compressed", About: "60 coefficients ~ N(0, .04), noise of sd 1, 20 rows a shard; a sketch of rank 20, of rank 60, and exact statistics", Kind: "compressed",
			Size: Size{Reps: 8, Shards: 256},
			Methods: []Method{
				{Name: "credence[rank 20]", Settings: "rank: 20", Draws: 30}, {Name: "credence[rank 60]", Settings: "rank: 60", Draws: 30},
				{Name: "credence[exact]", Settings: "statistics: exact", Draws: 30}, {Name: "cdf-paper", Draws: 30},
				{Name: "credence[batch]", Settings: "statistics: exact", Draws: 30, Batch: true},
			},
			Reference: "credence[batch]", Open: weak, Measure: departing(1, "gamma", "sigma2"),
		},
		{
			Name: "poisson", About: "two predictors and effects of 100 groups, 200 rows a shard", Kind: "poisson",
			Columns: cdf.Roles{
				Intercept: true, Exposure: "exposure",
				Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}}, Groups: []cdf.Group{{Column: "group"}},
			},
			Size:      Size{Reps: 8, Shards: 256},
			Methods:   append(methods("", 500, "cdf", "cdf-paper"), Method{Name: "gva", Draws: 500, Batch: true}),
			Reference: "gva", Open: scenario("poisson", 0), Measure: departing(1, "beta", "u", "sigma2_u"),
		},
	}
}

// weak opens streams of 60 columns whose coefficients are small and all matter.
func weak(Options) (Open, error) {
	return func(seed uint64, _ int64) (*Stream, error) {
		const p, rows = 60, 20
		var names []string
		gamma, r := make([]float64, p), cdf.NewStream(seed, "weak", 0, "coefficients")
		for j := range gamma {
			gamma[j] = .2 * r.NormFloat64()
			names = append(names, fmt.Sprintf("x%d", j+1))
		}
		return &Stream{
			Shard: func(t int64) *cdf.Batch {
				r, columns := cdf.NewStream(seed, "weak", t, "rows"), make([][]float64, p+1)
				for range rows {
					y := r.NormFloat64()
					for j, g := range gamma {
						x := r.NormFloat64()
						columns[j] = append(columns[j], x)
						y += g * x
					}
					columns[p] = append(columns[p], y)
				}
				return batch(simulate.Data{Names: append(slices.Clone(names), "y"), Columns: columns}, t)
			},
			Truth: func(int64) map[string]float64 { return map[string]float64{"sigma2": 1} },
		}, nil
	}, nil
}

// apart opens streams of ten levels, N(0, 1), and rows of each with noise of sd 2.
func apart(Options) (Open, error) {
	return func(seed uint64, _ int64) (*Stream, error) {
		levels := make([]float64, 10)
		r := cdf.NewStream(seed, "apart", 0, "levels")
		truth := map[string]float64{"mu": 0, "tau2": 1, "sigma2": 4}
		for g := range levels {
			levels[g] = r.NormFloat64()
			truth[fmt.Sprintf("zeta[%d]", g+1)] = levels[g]
		}
		return &Stream{
			Shard: func(t int64) *cdf.Batch {
				r, group, y := cdf.NewStream(seed, "apart", t, "rows"), make([]float64, len(levels)), make([]float64, len(levels))
				for g := range levels {
					group[g], y[g] = float64(g+1), levels[g]+2*r.NormFloat64()
				}
				return batch(simulate.Data{Names: []string{"group", "y"}, Columns: [][]float64{group, y}, Whole: []string{"group"}}, t)
			},
			Truth: func(int64) map[string]float64 { return truth },
		}, nil
	}, nil
}

// departing reports shift and sd_ratio, as departure has them, of the parameters
// after the first of the shards, four times as many, and so on.
func departing(first int64, params ...string) func(shards int64) Measures {
	return func(shards int64) Measures {
		var at []int64
		for t := first; t <= shards; t *= 4 {
			at = append(at, t)
		}
		return Measures{At: at, All: []Measure{when(at, func(l *Look) ([]Figure, error) {
			if l.Other == nil {
				return nil, nil
			}
			var out []Figure
			for _, param := range params {
				_, shift, ratio := l.departure(param)
				out = append(out, Figure{l.T, named("shift", param), shift}, Figure{l.T, named("sd_ratio", param), ratio})
			}
			return out, nil
		})}}
	}
}
