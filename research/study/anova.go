package study

import "github.com/credence-stream/credence/cdf"

// anova is the hierarchy of section 3.2: ten groups with levels from
// N(4, .01), noise sd 10, 500 shards of ten rows per group. The prior of tau2
// is one that lets ten groups inform it: under IG(1, 1) it would be .25.
func anova() *Experiment {
	const prior = "prior: {mu_variance: 0, tau2_shape: .5, tau2_rate: .005, sigma2_shape: 1, sigma2_rate: 1}"
	return &Experiment{
		Name: "anova", About: "ten groups, ten rows of each a shard (section 3.2)",
		Kind: "anova", Columns: cdf.Roles{Groups: []cdf.Group{{Column: "group"}}},
		Size: Size{Reps: 10, Shards: 500}, Quick: Size{Reps: 4, Shards: 500},
		Methods: append(methods(prior, 500, "cdf", "cdf-paper", "smcmc", "smc", "adf"),
			Method{Name: "smcmc[batch]", Settings: prior, Draws: 50_000, Batch: true}),
		Reference: "smcmc[batch]",
		Open:      scenario("anova", 1000),
		Drawn:     []string{"zeta[1]", "zeta[5]", "zeta[10]", "mu", "tau2", "sigma2"},
		Measure: func(shards int64) Measures {
			end, compared := []int64{shards}, upTo(shards, 50, 100, 200, 500)
			return Measures{At: compared, Many: compared, All: []Measure{
				following(intervals("zeta", 1, end)),
				errorsOf("zeta", upTo(shards, 200, 400, 500)),
				accuracies(compared,
					marginal{param: "zeta"}, marginal{param: "mu", label: "mu"},
					marginal{param: "tau2", label: "tau2", log: true}, marginal{param: "sigma2", label: "sigma2", log: true}),
				predictions(end), costs("zeta", end),
			}}
		},
	}
}
