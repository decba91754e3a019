package study

import "github.com/credence-stream/credence/cdf"

// poisson is the mixed model for counts of appendix D, which prints no
// figures: 100 groups, 100 shards of 200 rows. The reference is the Gaussian
// variational approximation to all rows.
func poisson() *Experiment {
	return &Experiment{
		Name: "poisson", About: "counts with effects of 100 groups, 200 rows a shard (appendix D); the paper prints no figures",
		Kind: "poisson", Columns: cdf.Roles{
			Intercept: true, Exposure: "exposure",
			Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}}, Groups: []cdf.Group{{Column: "group"}},
		},
		Size: Size{Reps: 4, Shards: 100}, Quick: Size{Reps: 1, Shards: 100},
		Methods:   append(methods("overdispersion: none", 500, "cdf", "cdf-paper"), Method{Name: "gva", Settings: "overdispersion: none", Draws: 500, Batch: true}),
		Reference: "gva",
		Open:      scenario("poisson", 0),
		Drawn:     []string{"beta[intercept]", "beta[x1]", "beta[x2]", "u[1]", "u[100]", "sigma2_u"},
		Measure: func(shards int64) Measures {
			at := upTo(shards, 50, 100)
			return Measures{At: at, Shown: at, All: []Measure{
				intervals("beta", 0, at), errorsOf("beta", at),
				normalAccuracies("beta", at), costs("beta", []int64{shards}),
			}}
		},
	}
}
