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
	Reported   bool
	predicting bool // the experiment is about predictions
}

// nominal is the probability of the intervals that are judged.
const nominal = .95

// judged returns the coverages that the paper judges by: of predictions where
// it is about predictions, else of the parameters. NaN where nothing was
// measured.
func (c *Comparison) judged() [2]float64 {
	if c.predicting {
		return c.Predictive
	}
	return c.Coverage
}

// Verdict says whether something holds, where that has a meaning.
type Verdict string

// The verdicts.
const (
	Yes      Verdict = "yes"
	No       Verdict = "no"
	Reported Verdict = "reported only"
	None     Verdict = "" // nothing was measured
)

// CoversCloser says whether the corrected rule's coverage is at least as close
// to .95 as the paper's.
func (c *Comparison) CoversCloser() Verdict {
	v := c.judged()
	return judge(v, c.Reported, math.Abs(v[0]-nominal) <= math.Abs(v[1]-nominal))
}

// AsAccurate says whether the corrected rule's marginals are at least as close
// to those of exact sampling as the paper's.
func (c *Comparison) AsAccurate() Verdict {
	return judge(c.Accuracy, false, c.Accuracy[0] >= c.Accuracy[1])
}

func judge(v [2]float64, reported, holds bool) Verdict {
	switch {
	case math.IsNaN(v[0]) || math.IsNaN(v[1]):
		return None
	case reported:
		return Reported
	case holds:
		return Yes
	}
	return No
}

// Compare sets `cdf` beside `cdf-paper` in every experiment that ran both, at
// the last shard where both have the figure.
func Compare(results []Result) []Comparison {
	var out []Comparison
	for _, e := range All() {
		mine := ResultsOf(results, e.Name)
		c := Comparison{Experiment: e.Name, Reported: e.Name == "dlm-vague", predicting: e.Kind == "compressed"}
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
