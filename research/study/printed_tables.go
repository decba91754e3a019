package study

import (
	"fmt"
	"math"
	"slices"
)

// printedTables are the tables of arXiv:1401.3632v3, numbered in its order.
func printedTables() []table {
	// The paper's one series stands beside both priors: it does not give its own.
	// Its second binary design stands beside both sds of the predictors.
	all := slices.Concat(printedMeans(), printedLevel("dlm"), printedLevel("dlm-vague"), printedBinary(), printedAdult())
	return append(all, printedCompressed()...)
}

// none is a cell, or a standard error, that is not printed.
var none = math.NaN()

func printedMeans() []table {
	columns := []column{{500, "coverage"}, {500, "length"}, {500, Seconds}, {200, "mse"}, {400, "mse"}, {500, "mse"}}
	return []table{
		{"linear", "table 1, section 3.1.1", columns, []tableRow{
			{method: "C-DF", values: []float64{1, .60, 95, .27, .15, .06}, errors: []float64{none, .01, 4.12, .001, .001, .001}},
			{method: "S-MCMC", values: []float64{1, .60, 119.4, .12, .08, .04}, errors: []float64{none, .01, 4.64, .001, .001, .001}},
		}},
		{"anova", "table 2, section 3.2", columns, []tableRow{
			{method: "C-DF", values: []float64{.87, .53, 85, .77, .29, .26}, errors: []float64{.09, .005, 5.25, .22, .11, .15}},
			{method: "S-MCMC", values: []float64{.92, .52, 119.4, .41, .22, .20}, errors: []float64{.10, .002, 8.43, .05, .14, .16}},
			{method: "SMC-CH", values: []float64{.70, .21, 243.06, .93, .18, .10}, errors: []float64{.26, .06, 4.80, .30, .09, .04}},
			{method: "ADF", values: []float64{.36, .08, .88, .42, .28, .27}, errors: []float64{.23, .02, .01, .18, .12, .11}},
		}},
	}
}

func printedLevel(experiment string) []table {
	return []table{
		{experiment, "table 3, section 3.3.1", []column{{3000, "coverage"}, {3000, "length"}, {3000, Seconds}, {3000, "mse"}}, []tableRow{
			{method: "C-DF", values: []float64{.78, .33, 1138.60, .011}, errors: []float64{.10, .11, .10, .001}},
			{method: "PL", values: []float64{1, 3.36, 1750.58, .096}, errors: []float64{0, .46, .10, .027}},
		}},
		{experiment, "table 4, section 3.3.1", []column{{3000, "state_bytes"}}, []tableRow{
			{method: "C-DF", values: []float64{128}}, {method: "PL", values: []float64{3330}},
		}},
	}
}

func printedBinary() []table {
	columns := []column{{100, "coverage"}, {100, "length"}, {100, Seconds}, {100, "mse10"}, {100, "mse"}}
	out := []table{
		{"probit-1", "table 5, section 3.3.2", columns, []tableRow{
			{method: "C-DF", values: []float64{.77, .42, 28.9, .025, .04}, errors: []float64{.08, none, 2.5, .01, .01}},
			{method: "S-MCMC", values: []float64{.96, .65, 152.5, .018, .02}, errors: []float64{.01, none, 10.3, .01, .01}},
			{method: "SMC-CH", values: []float64{.28, .34, 19.9, 1.02, .40}, errors: []float64{.05, none, 1.8, .38, .13}},
			{method: "S-VB", values: []float64{.68, .39, 11, .342, .06}, errors: []float64{.05, none, .3, .06, .01}},
		}},
	}
	two := []tableRow{
		{method: "C-DF", values: []float64{.70, .23, 461.5, .20, .016}, errors: []float64{.03, none, 29.6, .05, .003}},
		{method: "S-MCMC", values: []float64{.92, .33, 2196.3, .05, .010}, errors: []float64{.02, none, 170.5, .01, .001}},
		{method: "S-VB", values: []float64{.55, .20, 116, .026, .017}, errors: []float64{.02, none, 6.7, .01, 0}},
	}
	smc := tableRow{method: "SMC-CH", values: []float64{.10, .12, 650.8, 1.75, .730}, errors: []float64{.02, none, 9.6, .23, .08}}
	sizes := []tableRow{{method: "C-DF", values: []float64{20e6}}, {method: "S-MCMC", values: []float64{46e6}}}
	for _, name := range []string{"probit-2", "probit-2-sd20"} {
		rows := two
		if name == "probit-2" {
			rows = append(slices.Clone(two), smc)
		}
		out = append(out, table{name, "table 5, section 3.3.2", columns, rows},
			table{name, "table 6, section 3.3.2", []column{{100, "state_bytes"}}, sizes})
	}
	return out
}

// printedAdult are the shares of rows by class and predicted class, the sum of
// the two where they differ, and the run times in the text.
func printedAdult() []table {
	shares := func(method string, v ...float64) tableRow {
		wrong := math.Round(100*(v[1]+v[2])) / 100
		return tableRow{method: method, values: append(v, wrong)}
	}
	columns := []column{{100, "share00"}, {100, "share01"}, {100, "share10"}, {100, "share11"}, {100, "misclassification"}}
	return []table{
		{"adult", "table 12, section 5", columns, []tableRow{
			shares("C-DF[.05]", .69, .05, .18, .08), shares("C-DF", .70, .05, .16, .09),
			shares("C-DF[.20]", .70, .05, .17, .08), shares("S-MCMC", .70, .05, .15, .10),
		}},
		{"adult", "section 5", []column{{100, Seconds}}, []tableRow{
			{method: "C-DF", values: []float64{65}}, {method: "S-MCMC", values: []float64{1214}},
		}},
	}
}

// wideRow is what the paper prints of a method in one of the six designs of
// compressed regression. Draws are until the prediction error is 5.
type wideRow struct {
	mspe, mspeSE float64
	relative, se [2]float64 // at shards 100 and 200
	covers       float64
	between      [2]float64
	draws, bytes float64
}

// printedCompressed are tables 8 to 11. Table 8 does not say after which shard
// its errors were taken, nor table 10 its coverages: they stand beside ours at
// the end. Draws come in multiples of 30, a shard's.
func printedCompressed() []table {
	var out []table
	for i, v := range []struct{ vb, cdf, smcmc wideRow }{
		{
			wideRow{3.43, .005, [2]float64{.009, .004}, [2]float64{.001, .001}, .82, [2]float64{.81, .84}, none, none},
			wideRow{3.49, .010, [2]float64{.010, .004}, [2]float64{.001, .001}, .98, [2]float64{.98, .99}, 2040, .68e6},
			wideRow{3.56, .020, [2]float64{.014, .006}, [2]float64{.003, .001}, .96, [2]float64{.95, .96}, 2940, 2e6},
		},
		{
			wideRow{4.20, .006, [2]float64{.019, .008}, [2]float64{.001, .001}, .83, [2]float64{.76, .87}, none, none},
			wideRow{4.38, .010, [2]float64{.033, .011}, [2]float64{.003, .002}, .98, [2]float64{.97, .99}, 2610, 1.34e6},
			wideRow{4.40, .020, [2]float64{.032, .015}, [2]float64{.004, .002}, .93, [2]float64{.91, .96}, 3990, 8.1e6},
		},
		{
			wideRow{3.49, .005, [2]float64{.018, .005}, [2]float64{.002, .001}, .82, [2]float64{.81, .85}, none, none},
			wideRow{3.62, .007, [2]float64{.029, .011}, [2]float64{.004, .002}, .98, [2]float64{.98, .99}, 1710, .68e6},
			wideRow{3.58, .020, [2]float64{.024, .010}, [2]float64{.003, .002}, .95, [2]float64{.95, .96}, 2820, 2e6},
		},
		{
			wideRow{4.23, .006, [2]float64{.024, .008}, [2]float64{.002, .001}, .83, [2]float64{.75, .87}, none, none},
			wideRow{4.40, .020, [2]float64{.074, .027}, [2]float64{.001, .001}, .98, [2]float64{.97, .98}, 3630, 1.34e6},
			wideRow{4.43, .020, [2]float64{.034, .017}, [2]float64{.009, .004}, .93, [2]float64{.90, .96}, 4410, 8.1e6},
		},
		{
			wideRow{3.52, .007, [2]float64{.002, .001}, [2]float64{.001, .001}, .81, [2]float64{.76, .86}, none, none},
			wideRow{3.81, .006, [2]float64{.013, .003}, [2]float64{.001, .001}, .97, [2]float64{.97, 1}, 5250, .68e6},
			wideRow{3.68, .020, [2]float64{.004, .002}, [2]float64{.001, 0}, .96, [2]float64{.96, .96}, 4440, 2e6},
		},
		{
			wideRow{8.79, .010, [2]float64{.70, .73}, [2]float64{.06, .06}, .83, [2]float64{.80, .85}, none, none},
			wideRow{3.64, .020, [2]float64{.042, .020}, [2]float64{.003, 0}, .99, [2]float64{.99, 1}, 210, .68e6},
			wideRow{3.70, .020, [2]float64{.063, .036}, [2]float64{.006, .002}, .95, [2]float64{.93, .97}, 1050, 2e6},
		},
	} {
		name := fmt.Sprintf("compressed-%d", i+1)
		mspe := table{name, "table 8, section 4.2", []column{{500, "mspe"}}, nil}
		relative := table{name, "table 9, section 4.2", []column{{100, "relative_mse"}, {200, "relative_mse"}}, nil}
		covers := table{name, "table 10, section 4.2", []column{{500, "predictive_coverage"}}, nil}
		draws := table{name, "table 11, section 4.2", []column{{500, "draws_to_mspe5"}, {500, "state_bytes"}}, nil}
		for _, m := range []struct {
			name string
			row  wideRow
		}{{"VB-GDP", v.vb}, {"C-DF", v.cdf}, {"S-MCMC", v.smcmc}} {
			r := m.row
			mspe.rows = append(mspe.rows, tableRow{method: m.name, values: []float64{r.mspe}, errors: []float64{r.mspeSE}})
			relative.rows = append(relative.rows, tableRow{method: m.name, values: r.relative[:], errors: r.se[:]})
			covers.rows = append(covers.rows, tableRow{method: m.name, values: []float64{r.covers}, ranges: [][2]float64{r.between}})
			draws.rows = append(draws.rows, tableRow{method: m.name, values: []float64{r.draws, r.bytes}})
		}
		out = append(out, mspe, relative, covers, draws)
	}
	return out
}
