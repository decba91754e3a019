package study

// linear is the regression of section 3.1.1: five predictors uniform on
// (0, 1), noise sd 5, 500 shards of ten rows. The printed intervals are
// averaged over t; the grid is that of every tenth shard, which matters: the
// exact length is .85 at shard 500 and 1.34 over the grid.
func linear() *Experiment {
	const prior = "prior: {beta_variance: 1, sigma2_shape: 1, sigma2_rate: 1}"
	return &Experiment{
		Name: "linear", About: "regression on five predictors, 10 rows a shard (section 3.1.1)",
		Kind: "linear",
		Size: Size{Reps: 20, Shards: 500}, Quick: Size{Reps: 10, Shards: 500},
		Methods: append(methods(prior, 500, "cdf", "cdf-paper", "smcmc"),
			Method{Name: "smcmc[batch]", Settings: prior, Draws: 20_000, Batch: true}),
		Reference: "smcmc[batch]",
		Open:      scenario("linear", 1000),
		Drawn:     []string{"beta[x1]", "beta[x4]", "sigma2"},
		Measure: func(shards int64) Measures {
			end := []int64{shards}
			compared := upTo(shards, 50, 100, 200, 500)
			return Measures{At: compared, Many: compared, All: []Measure{
				following(intervals("beta", 10, end)),
				errorsOf("beta", upTo(shards, 200, 400, 500)),
				accuracies(compared, marginal{param: "beta"}, marginal{param: "sigma2", label: "sigma2", log: true}),
				predictions(end), costs("beta", end),
			}}
		},
	}
}
