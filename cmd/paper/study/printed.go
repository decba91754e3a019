package study

import "slices"

// Printed is a figure that the paper prints.
type Printed struct {
	Experiment string
	Method     string // as the paper calls it: C-DF, S-MCMC, ...
	T          int64
	Metric     string
	Value      float64
	Where      string // in the paper
}

// Figures returns every figure that the paper prints about the experiments.
func Figures() []Printed { return slices.Concat(printedLinear()) }

// printedAs is what the paper calls our methods. Both C-DF rules stand beside
// its C-DF: the one is what it describes, the other what it means to be.
var printedAs = map[string]string{
	"cdf": "C-DF", "cdf-paper": "C-DF", "smcmc": "S-MCMC", "adf": "ADF", "smc": "SMC-CH",
	"pl": "PL", "svb": "S-VB", "vb-gdp": "VB-GDP",
}

// printedFor returns the paper's figure for one of ours, nil where it prints
// none.
func printedFor(experiment, method string, t int64, metric string) *Printed {
	all := Figures()
	i := slices.IndexFunc(all, func(p Printed) bool {
		return p.Experiment == experiment && p.Method == printedAs[method] && p.T == t && p.Metric == metric
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

func printedLinear() []Printed {
	const e, where = "linear", "Table 1"
	return []Printed{
		{e, "C-DF", 500, "coverage", 1, where}, {e, "C-DF", 500, "length", .60, where},
		{e, "C-DF", 200, "mse", .27, where}, {e, "C-DF", 400, "mse", .15, where}, {e, "C-DF", 500, "mse", .06, where},
		{e, "S-MCMC", 500, "coverage", 1, where}, {e, "S-MCMC", 500, "length", .60, where},
		{e, "S-MCMC", 200, "mse", .12, where}, {e, "S-MCMC", 400, "mse", .08, where}, {e, "S-MCMC", 500, "mse", .04, where},
	}
}
