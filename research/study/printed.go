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
	SE         float64 // as printed, NaN without one
	Lo, Hi     float64 // a printed 95 % interval over replications, NaN without one
	Where      string  // in the paper
}

// Seconds is the metric of run times. The paper's are those of another machine
// and language, so only their ratios are compared.
const Seconds = "seconds"

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

// Ours returns our name of a competitor of the paper, "" for another name.
func Ours(printed string) string {
	for ours, name := range printedAs {
		if name == printed && name != "C-DF" {
			return ours
		}
	}
	return ""
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

// Agrees reports whether a figure of ours is the printed one within a tenth,
// or within two of the standard errors, combined, that are known.
func (p *Printed) Agrees(mean, se float64) bool {
	known := 0.0
	for _, e := range []float64{se, p.SE} {
		if !math.IsNaN(e) {
			known = math.Hypot(known, e)
		}
	}
	return math.Abs(mean-p.Value) <= max(2*known, math.Abs(p.Value)/10)
}

// Missing returns the printed figures of an experiment that the results have
// of no method.
func Missing(experiment string, results []Result) []Printed {
	return slices.DeleteFunc(Figures(), func(p Printed) bool {
		return p.Experiment != experiment || slices.ContainsFunc(results, func(r Result) bool {
			return r.Paper != nil && r.Paper.is(&p)
		})
	})
}

// is reports whether both are the same figure of the paper.
func (p *Printed) is(q *Printed) bool {
	return p.Experiment == q.Experiment && p.Method == q.Method && p.T == q.T && p.Metric == q.Metric
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
	errors []float64    // standard errors of the first values, NaN for none
	ranges [][2]float64 // 95 % intervals of the first values
}

func (t *table) figures() []Printed {
	var out []Printed
	for _, r := range t.rows {
		for j, v := range r.values {
			if !math.IsNaN(v) {
				c := t.columns[j]
				p := Printed{t.experiment, r.method, c.t, c.metric, v, math.NaN(), math.NaN(), math.NaN(), t.where}
				if j < len(r.errors) {
					p.SE = r.errors[j]
				}
				if j < len(r.ranges) {
					p.Lo, p.Hi = r.ranges[j][0], r.ranges[j][1]
				}
				out = append(out, p)
			}
		}
	}
	return out
}
