package study

import (
	"math"
	"slices"
	"strings"
)

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
func Figures() []Printed {
	var out []Printed
	for _, t := range printedTables() {
		out = append(out, t.figures()...)
	}
	return out
}

// printedAs is what the paper calls our methods. Both C-DF rules stand beside
// its C-DF: the one is what it describes, the other what it means to be.
var printedAs = map[string]string{
	"cdf": "C-DF", "cdf-paper": "C-DF", "smcmc": "S-MCMC", "adf": "ADF", "smc": "SMC-CH",
	"pl": "PL", "svb": "S-VB", "vb-gdp": "VB-GDP",
}

// PrintedFor returns the paper's figure for one of ours, nil where it prints
// none.
func PrintedFor(experiment, method string, t int64, metric string) *Printed {
	all := Figures()
	base, under, _ := strings.Cut(method, "[")
	name := printedAs[base]
	if under != "" {
		name += "[" + under
	}
	i := slices.IndexFunc(all, func(p Printed) bool {
		return p.Experiment == experiment && p.Method == name && p.T == t && p.Metric == metric
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// table is a table of the paper: a row per method, a column per figure. NaN is
// an empty cell.
type table struct {
	experiment, where string
	columns           []column
	rows              []tableRow
}

type column struct {
	t      int64
	metric string
}

type tableRow struct {
	method string
	values []float64
}

func (t *table) figures() []Printed {
	var out []Printed
	for _, r := range t.rows {
		for j, v := range r.values {
			if !math.IsNaN(v) {
				c := t.columns[j]
				out = append(out, Printed{t.experiment, r.method, c.t, c.metric, v, t.where})
			}
		}
	}
	return out
}
