// Command approach measures, kind by kind, whether what is published comes to
// be the posterior of all rows as shards come in, and writes docs/theory.md
// around the figures.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/template"

	"github.com/credence-stream/credence/research/study"
)

//go:embed theory.md.tmpl
var page string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "approach:", err)
		os.Exit(1)
	}
}

// seed is that of data and random streams.
const seed = 1

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("approach", flag.ExitOnError)
	o := study.Options{Seed: seed}
	flags.IntVar(&o.Reps, "reps", 0, "replications of every experiment, 0: as many as each names")
	flags.Int64Var(&o.Shards, "shards", 0, "end after so many shards, 0: as many as each names")
	out := flags.String("out", "", "file that the page is written to instead of the standard output")
	_ = flags.Parse(args) // exits
	tables := map[string]string{}
	tmpl, err := template.New("theory").Funcs(template.FuncMap{
		"table": func(name string) (string, error) {
			t, ok := tables[name]
			if !ok {
				return "", fmt.Errorf("no experiment %s", name)
			}
			return t, nil
		},
	}).Parse(page)
	if err != nil {
		return err
	}
	var jobs []*study.Job
	for _, e := range study.Approaches() {
		job, err := e.Prepare(o)
		if err != nil {
			return err
		}
		jobs = append(jobs, job)
	}
	err = study.Run(ctx, jobs, func(int64) {}, func(j *study.Job, results []study.Result) error {
		tables[j.Experiment.Name] = table(j, results)
		return nil
	})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, nil); err != nil {
		return err
	}
	if *out == "" {
		_, err := stdout.Write(text.Bytes())
		return err
	}
	return os.WriteFile(*out, text.Bytes(), 0o644)
}

// table sets the parameters of an experiment against the shards: in a cell the
// shift of the means and the ratio of the sds, with standard errors.
func table(j *study.Job, results []study.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %d replications of %d shards.\n\n", j.Experiment.About, j.Size.Reps, j.Size.Shards)
	type row struct{ method, param string }
	var rows []row
	var at []int64
	cells := map[row]map[int64][2]study.Result{}
	for _, r := range results {
		metric, param, _ := strings.Cut(strings.TrimSuffix(r.Metric, "]"), "[")
		key := row{r.Method, param}
		if cells[key] == nil {
			cells[key] = map[int64][2]study.Result{}
			rows = append(rows, key)
		}
		c := cells[key][r.T]
		if metric == "shift" {
			c[0] = r
		} else {
			c[1] = r
		}
		cells[key][r.T] = c
		if !slices.Contains(at, r.T) {
			at = append(at, r.T)
		}
	}
	slices.Sort(at)
	b.WriteString("| method | variables |")
	for _, t := range at {
		fmt.Fprintf(&b, " t = %d |", t)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(at)) + "\n")
	for _, key := range rows {
		fmt.Fprintf(&b, "| `%s` | `%s` |", key.method, key.param)
		for _, t := range at {
			c := cells[key][t]
			fmt.Fprintf(&b, " %.2f (%.2f), %.2f (%.2f) |", c[0].Mean, c[0].SE, c[1].Mean, c[1].SE)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
