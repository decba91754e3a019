package study

import (
	"fmt"
	"math"
)

// notes marks figures that are taken from this project's notes of the paper
// rather than from a copy of it.
const notes = ", from our notes"

// printedTables are the tables of arXiv:1401.3632v3.
func printedTables() []table {
	nan := math.NaN()
	means := func(last int64) []column {
		return []column{{last, "coverage"}, {last, "length"}, {200, "mse"}, {400, "mse"}, {last, "mse"}}
	}
	classes := []column{{100, "coverage"}, {100, "length"}, {100, "mse10"}, {100, "mse"}, {100, "state_bytes"}}
	steps := []column{{3000, "coverage"}, {3000, "length"}, {3000, "mse"}}
	// The paper's one series stands beside both priors: it does not give its own.
	level := []tableRow{{"C-DF", []float64{.78, .33, .011}}, {"PL", []float64{1, 3.36, .096}}}
	all := []table{
		{"linear", "section 3.1.1" + notes, means(500), []tableRow{
			{"C-DF", []float64{1, .60, .27, .15, .06}},
			{"S-MCMC", []float64{1, .60, .12, .08, .04}},
		}},
		{"anova", "section 3.2" + notes, means(500), []tableRow{
			{"C-DF", []float64{.87, .53, .77, .29, .26}},
			{"S-MCMC", []float64{.92, .52, .41, .22, .20}},
			{"SMC-CH", []float64{.70, .21, .93, .18, .10}},
			{"ADF", []float64{.36, .08, .42, .28, .27}},
		}},
		{"dlm", "section 3.3.1" + notes, steps, level},
		{"dlm-vague", "section 3.3.1" + notes, steps, level},
		{"probit-1", "probit, case 1" + notes, classes, []tableRow{
			{"C-DF", []float64{.77, .42, .025, .04, nan}},
			{"S-MCMC", []float64{.96, .65, .018, .02, nan}},
			{"S-VB", []float64{.68, .39, .342, .06, nan}},
			{"SMC-CH", []float64{.28, .34, 1.02, .40, nan}},
		}},
		{"probit-2", "probit, case 2" + notes, classes, []tableRow{
			{"C-DF", []float64{.70, .23, .20, .016, 20e6}},
			{"S-MCMC", []float64{.92, .33, .05, .010, 46e6}},
			{"S-VB", []float64{.55, .20, .026, .017, nan}},
		}},
		{"adult", "Adult, tables of classes" + notes, []column{{100, "misclassification"}}, []tableRow{
			{"S-MCMC", []float64{.20}},
		}},
	}
	return append(all, printedCompressed()...)
}

// printedCompressed are relative errors (table 9), prediction errors (table 8)
// and coverage of predictions (table 10), of which the shard is not said and
// taken to be the last, draws until the prediction error is 5, 30 a
// shard, and memory (table 11).
func printedCompressed() []table {
	var out []table
	for i, v := range []struct{ cdf, smcmc, vb []float64 }{
		{[]float64{.010, .004, 3.49, .98, 68}, []float64{.014, .006, 3.56, .96, 98}, []float64{.009, .004, 3.43, .82}},
		{[]float64{.033, .011, 4.38, .98, 87}, []float64{.032, .015, 4.40, .93, 133}, []float64{.019, .008, 4.20, .83}},
		{[]float64{.029, .011, 3.62, .98, 57}, []float64{.024, .010, 3.58, .95, 94}, []float64{.018, .005, 3.49, .82}},
		{[]float64{.074, .027, 4.40, .98, 121}, []float64{.034, .017, 4.43, .93, 147}, []float64{.024, .008, 4.23, .83}},
		{[]float64{.013, .003, 3.81, .97, 175}, []float64{.004, .002, 3.68, .96, 148}, []float64{.002, .001, 3.52, .81}},
		{[]float64{.042, .020, 3.64, .99, 7}, []float64{.063, .036, 3.70, .95, 35}, []float64{.70, .73, 8.79, .83}},
	} {
		const draws = 30 // a shard
		name := fmt.Sprintf("compressed-%d", i+1)
		v.cdf[4] *= draws
		v.smcmc[4] *= draws
		out = append(out, table{
			name, "tables 8 to 11" + notes,
			[]column{{100, "relative_mse"}, {200, "relative_mse"}, {500, "mspe"}, {500, "predictive_coverage"}, {500, "draws_to_mspe5"}},
			[]tableRow{{"C-DF", v.cdf}, {"S-MCMC", v.smcmc}, {"VB-GDP", v.vb}},
		})
		memory := []tableRow{{"C-DF", []float64{.68e6}}, {"S-MCMC", []float64{2e6}}}
		if i == 1 || i == 3 {
			memory = []tableRow{{"C-DF", []float64{1.34e6}}, {"S-MCMC", []float64{8.10e6}}}
		}
		out = append(out, table{name, "memory" + notes, []column{{500, "state_bytes"}}, memory})
	}
	return out
}
