package study

import (
	"math"
	"slices"
)

// Comparison is how the corrected C-DF and the paper's own rule do in one
// experiment: the coverage of their 95 % intervals, and how close their
// marginals are to those of exact sampling. What was not measured is NaN.
type Comparison struct {
	Experiment string
	T          int64
	Coverage   [2]float64 // corrected, paper
	Predictive [2]float64 // coverage of rows that were not absorbed
	Accuracy   [2]float64
	// Reported says that coverage is no merit here: exact inference itself
	// does not cover .95.
	Reported bool
}

// nominal is the probability of the intervals that are judged.
const nominal = .95

// Closer reports for a pair of coverages whether the corrected rule is at
// least as close to .95; true where there is no pair.
func Closer(coverage [2]float64) bool {
	return math.IsNaN(coverage[0]) || math.IsNaN(coverage[1]) ||
		math.Abs(coverage[0]-nominal) <= math.Abs(coverage[1]-nominal)
}

// Holds reports whether the corrected rule is the better one by every figure
// that counts.
func (c *Comparison) Holds() bool {
	worse := c.Accuracy[0] < c.Accuracy[1]
	return !worse && (c.Reported || Closer(c.Coverage) && Closer(c.Predictive))
}

// Compare sets `cdf` beside `cdf-paper` in every experiment that ran both, at
// the last shard where both have the figure.
func Compare(results []Result) []Comparison {
	var out []Comparison
	for _, e := range All() {
		mine := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Experiment != e.Name })
		c := Comparison{Experiment: e.Name, Reported: e.Name == "dlm-vague"}
		for _, f := range []struct {
			metric string
			pair   *[2]float64
		}{{"coverage", &c.Coverage}, {"predictive_coverage", &c.Predictive}, {"accuracy", &c.Accuracy}} {
			var t int64
			*f.pair, t = pairOf(mine, f.metric)
			c.T = max(c.T, t)
		}
		if c.T > 0 {
			out = append(out, c)
		}
	}
	return out
}

// pairOf returns a metric of both rules at the last shard that both have, and
// that shard, 0 without one.
func pairOf(results []Result, metric string) (pair [2]float64, t int64) {
	at := func(method string, t int64) int {
		return slices.IndexFunc(results, func(r Result) bool { return r.Method == method && r.Metric == metric && r.T == t })
	}
	pair = [2]float64{math.NaN(), math.NaN()}
	for _, r := range results {
		if r.Method != "cdf" || r.Metric != metric || r.T < t {
			continue
		}
		if i := at("cdf-paper", r.T); i >= 0 {
			pair, t = [2]float64{r.Mean, results[i].Mean}, r.T
		}
	}
	return pair, t
}
