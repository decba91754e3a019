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
	want       string // the verdict that is known of a bad one
	byName     bool   // variables that are listed as dominated by their prior are told, and others are not by that
	other      bool   // the data are other than the model has them, which a first shard cannot tell
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
	return slices.Concat(linear(), []regime{manyLevels("linear")}, badLinear(), anova(), []regime{farAnova()}, badAnova(), dlm(), badDLM(), probit(), []regime{manyLevels("probit")}, badProbit(), compressed(), []regime{farCompressed(), manyLevels("compressed")}, badCompressed(),
		poisson(), []regime{fewCounts()}, badPoisson())
}

// notes say why regimes are off, by title.
var notes = map[string]string{
	"linear: 10 rows a shard, columns of no use":            "Six coefficients leave four of ten rows for sigma2, which is sometimes estimated far too small: those replicates have a flag. Without one intervals of coefficients are wide.",
	"compressed: bad data: shards sent twice":               "As for linear.",
	"compressed: bad data: a coefficient with another sign": "One coefficient of ten that are alike: the errors' mean square rises by less than a half, and rows that are right are too few yet for `drift` to know how much shards vary. Behind 40 shards it is told.",
	"dlm: bad data: every third row left out":               "Without a column of time a row is a step: phi and tau2 are those of three steps. Predictions are calibrated, so no flag is raised. Name the column of time.",
	"dlm: bad data: shards sent twice":                      "As for linear. With a column of time a step that comes twice is refused.",
	"probit: bad data: shards sent twice":                   "As for linear. Twenty classes say little: it takes some repeats until they are no chance.",
	"probit: bad data: a column of 1e6":                     "The slope of x1 is drawn to 0, and `outliers` stays up until other rows outweigh that one.",
	"linear: bad data: shards sent twice":                   "Rows that come twice count twice: sds are .71 of what they should be. `repeated_shards` says so from the first repeat on. Give records the header `credence-shard`.",
	"linear: bad data: rows twice in their shard":           "Rows that come twice count twice, as above. `repeated_rows` says so after some 50 rows, of a twentieth of the rows after some 500; a first shard alone does not tell. Send each row once: look for a join that has rows several times, or an append that was tried again.",
	"linear: t noise":                                       "sigma2 is the variance of a distribution with heavy tails. A few extreme values determine it, and most samples of 20 or 200 rows have none. Coefficients are covered. `heavy_tails` is raised after about 400 rows.",
	"linear: a skewed column":                               "The few large values of the column explain nearly all of y, which the prior of sigma2 does not expect: sigma2 is listed in most replicates, and covered in the others.",
	"anova: one large group":                                "Nineteen groups have one row in the first shard. There the prior of tau2 draws levels together that differ.",
	"poisson: many groups, some far out":                    "Effects that are far below leave hardly a count, and are not told. `odd_levels` is up in nine of ten streams.",
	"anova: many skewed levels":                             "The largest of 300 levels is farther out than normal ones are, and is drawn to mu while it has few rows. `odd_levels` says so.",
	"anova: levels with heavy tails":                        "tau2 is the variance of a distribution with heavy tails, of which there are twenty values; its interval is computed as if they were normal. Levels are covered.",
	"anova: groups of unequal noise":                        "sigma2 is the mean of two variances. `unequal_variances` reports this, most first shards of five rows of a group by themselves.",
	"anova: exponential noise":                              "The variance of a sample of skewed values varies more than that of a normal one, which the interval of sigma2 is of, however many rows there are. `skewed_errors` says so of a third of the streams behind 300 rows, of nearly all behind 600.",
	"dlm: t noise":                                          "As for linear: sigma2 is the variance of a distribution with heavy tails.",
	"dlm: a season":                                         "phi, tau2 and sigma2 are the values with which a level follows the season best. Predictions stay calibrated; `season` is raised behind a few of its periods. Remove the season from the series first.",
	"compressed: 200 columns without effect":                "A priori the columns explain a share of the variance that is Beta(1/2, 1/2), so intervals of coefficients that are 0 are too wide. The flag `worse_than_null` is raised.",
	"poisson: 300 groups of few rows":                       "There are two rows per group after ten shards. Counts here have no effects of rows, whose prior takes a part of what groups differ by: the fit of all rows at once has the same intervals, and with `overdispersion: none` the median is right.",
	"anova: 10 groups, 10 rows a shard":                     "The first shard is flagged. After the tenth tau2 is too small if ten levels happen to be similar, as the prior expects: those replicates have a flag, and the others are covered.",
	"anova: 50 groups, 100 rows a shard":                    "If two rows per group cannot distinguish levels from noise, the prior of tau2 makes the levels too similar.",
	"anova: 50 groups that hardly differ":                   "Rows cannot always distinguish levels from noise; levels are then drawn together too much.",
	"dlm: near a random walk":                               "phi ~ U(-1, 1) has little probability in the last thousandth.",
	"compressed: 200 columns, sparse":                       "Ridge regression has one prior variance for ten coefficients that are large and 190 that are 0: most intervals are too wide, those of the large coefficients too narrow.",
	"compressed: 200 columns, dense":                        "Before there is evidence of a signal, intervals are those of the prior, and too wide.",
	"compressed: 200 columns, 10 rows a shard":              "The same: with half as many rows as columns most of the width comes from the prior.",
	"compressed: 300 columns, the two that matter":          "A sketch of 110 directions draws them to 0 until there are many rows per column; `few_rows_per_column` is up for so long. `linear` has no such limit, and is what `init` drafts for up to 1,000 columns.",
	"poisson: two wild counts":                              "In a first shard of 50 rows two counts of 500 are ten times the sum of all others.",
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

// heavy draws from Student's t with 3 degrees of freedom, scaled to a variance.
func heavy(r *rand.Rand, variance float64) float64 {
	a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	return r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/variance)
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
	return slices.DeleteFunc(truth, func(t simulate.Truth) bool { return t.Variable == name || param(t.Variable) == name })
}
