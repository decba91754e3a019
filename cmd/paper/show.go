package main

import (
	"encoding/json"
	"fmt"
	"math"
	"text/tabwriter"

	"github.com/credence-stream/credence/cmd/paper/study"
)

// table prints the results of one experiment for people.
func (p *program) table(j *study.Job, results []study.Result) error {
	fmt.Fprintf(p.stdout, "%s: %s, %d replications of %d shards\n", j.Experiment.Name, j.Experiment.About, j.Size.Reps, j.Size.Shards)
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "method\tt\tmetric\tours\tse\treps\tpaper\twhere")
	for _, r := range results {
		printed, where := "", ""
		if r.Paper != nil {
			printed, where = fmt.Sprintf("%.4g", r.Paper.Value), r.Paper.Where
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
		fmt.Fprintf(p.stdout, "accuracy of an exact sampler, %d draws of it against %d: %.3f\n", draws, reference, floor)
	}
	_, err := fmt.Fprintln(p.stdout)
	return err
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
	enc := json.NewEncoder(p.stdout)
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
