package main

import (
	"encoding/json"
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/credence-stream/credence/research/study"
)

// table prints the results of one experiment for people.
func (p *program) table(j *study.Job, results []study.Result) error {
	fmt.Fprintf(p.Stdout, "%s: %s, %d replications of %d shards\n", j.Experiment.Name, j.Experiment.About, j.Size.Reps, j.Size.Shards)
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "method\tt\tmetric\tours\tse\treps\tpaper\twhere")
	var whys doubts
	for _, r := range results {
		printed, where := "", ""
		if r.Paper != nil {
			printed, where = fmt.Sprintf("%.4g", r.Paper.Value), r.Paper.Where+whys.mark(r.Paper)
		}
		se := "-"
		if !math.IsNaN(r.SE) {
			se = fmt.Sprintf("%.2g", r.SE)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%.4g\t%s\t%d\t%s\t%s\n", r.Method, r.T, r.Metric, r.Mean, se, r.Reps, printed, where)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if floor, draws, reference := j.Floor(); draws > 0 {
		fmt.Fprintf(p.Stdout, "accuracy of an exact sampler, %d draws of it against %d: %.3f\n", draws, reference, floor)
	}
	for i, why := range whys {
		fmt.Fprintf(p.Stdout, "[%d] %s\n", i+1, why)
	}
	_, err := fmt.Fprintln(p.Stdout)
	return err
}

// comparison prints the corrected rule beside the paper's over all experiments.
func (p *program) comparison(list []study.Comparison) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(p.Stdout, "the corrected rule (cdf) beside the paper's (cdf-paper)")
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "experiment\tt\tcoverage\t\tof predictions\t\tcovers closer to .95\taccuracy\t\tat least as accurate")
	pair := func(v [2]float64) {
		for _, x := range v {
			if math.IsNaN(x) {
				fmt.Fprint(w, "\t-")
			} else {
				fmt.Fprintf(w, "\t%.3f", x)
			}
		}
	}
	for _, c := range list {
		fmt.Fprintf(w, "%s\t%d", c.Experiment, c.T)
		pair(c.Coverage)
		pair(c.Predictive)
		fmt.Fprintf(w, "\t%s", c.CoversCloser())
		pair(c.Accuracy)
		fmt.Fprintf(w, "\t%s\n", c.AsAccurate())
	}
	return w.Flush()
}

// line is one result as --json has it. Numbers that do not exist are null.
type line struct {
	Experiment string   `json:"experiment"`
	Method     string   `json:"method"`
	T          int64    `json:"t"`
	Metric     string   `json:"metric"`
	Mean       float64  `json:"mean"`
	SE         *float64 `json:"se"`
	Reps       int      `json:"reps"`
	Paper      *float64 `json:"paper"`
}

// lines prints the results of one experiment, one JSON object per line.
func (p *program) lines(_ *study.Job, results []study.Result) error {
	enc := json.NewEncoder(p.Stdout)
	for _, r := range results {
		l := line{r.Experiment, r.Method, r.T, r.Metric, r.Mean, nil, r.Reps, nil}
		if !math.IsNaN(r.SE) {
			l.SE = &r.SE
		}
		if r.Paper != nil {
			l.Paper = &r.Paper.Value
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// result is the line as a result, with the paper's figure as this build has it.
func (l *line) result() study.Result {
	r := study.Result{Experiment: l.Experiment, Method: l.Method, T: l.T, Metric: l.Metric, Mean: l.Mean, SE: math.NaN(), Reps: l.Reps}
	if l.SE != nil {
		r.SE = *l.SE
	}
	r.Paper = study.PrintedFor(l.Experiment, l.Method, l.T, l.Metric)
	return r
}
