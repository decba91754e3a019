package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/research/figure"
	"github.com/credence-stream/credence/research/study"
)

const runHelp = `Run an experiment, or all of them, and show the paper's figures beside ours.

Every replication has its own data and random streams, a function of the seed,
the experiment and its number: figures except seconds do not depend on the
number of cores. A figure that the paper prints for C-DF is shown with cdf, the
corrected algorithm, and with cdf-paper, the paper's own; credence is the
product's default where that is another rule. A method called NAME[batch] took
all rows at once: a long run of the exact sampler, the reference for accuracy,
bias_sd and sd_ratio.

Coverage and length are those of 95 % intervals: averaged over all shards up to
t in anova and dlm, over every tenth in linear, elsewhere those of shard t.
accuracy is 1 - 1/2 integral |p - q| of marginal densities, averaged over the
main parameter; a name in brackets is another parameter's. bias_sd is the root
mean square error of the means in sds of the reference, seconds the time of all
updates on this machine, state_bytes the length of the snapshot.

With --out DIR it also draws posterior densities, accuracy over time, what a
window costs (adult) and the errors of a long stream (probit-long), as
DIR/EXPERIMENT-WHAT.png and .svg.

Experiments: `

// runFlags are the flags of `paper run`.
type runFlags struct {
	options study.Options
	json    bool
	out     string // directory of the figures, "" for none
	resume  string // file of earlier results, "" for none
}

func (p *program) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run EXPERIMENT|all",
		Short:   "Run an experiment and show the paper's figures beside ours",
		Long:    runHelp + strings.Join(study.Names(), ", ") + ".",
		Example: "  paper run linear\n  paper run all --quick --json\n  paper run dlm --out figures",
		RunE: func(cmd *cobra.Command, args []string) error {
			experiments, err := f.check(cmd, args)
			if err != nil {
				return cli.Usage(err)
			}
			return p.experiments(cmd, &f, experiments)
		},
	}
	flags, o := cmd.Flags(), &f.options
	flags.SortFlags = false
	flags.IntVar(&o.Reps, "reps", 0, "repeat `R` times (default: see paper list)")
	flags.Uint64Var(&o.Seed, "seed", 1, "`SEED` of data and random streams")
	flags.Int64Var(&o.Shards, "shards", 0, "end after `T` shards (default: see paper list)")
	flags.StringSliceVar(&o.Methods, "methods", nil, "run methods `A,B` only")
	flags.BoolVar(&o.Quick, "quick", false, "run fewer replications, and say which are left out")
	flags.BoolVar(&f.json, "json", false, "one JSON object per figure and line")
	flags.StringVar(&o.Data, "data", "", "`FILE` of the Adult data, for experiment adult")
	flags.StringVar(&f.out, "out", "", "draw figures into `DIR`")
	flags.StringVar(&f.resume, "resume", "", "leave out experiments that `FILE`, of an earlier run with --json, has whole")
	return cmd
}

// check returns the experiments that are meant.
func (f *runFlags) check(cmd *cobra.Command, args []string) ([]*study.Experiment, error) {
	known := "one of " + strings.Join(study.Names(), ", ") + ", or all"
	switch {
	case len(args) == 0:
		return nil, fmt.Errorf("no experiment, want %s", known)
	case len(args) > 1:
		return nil, fmt.Errorf("unexpected argument %q", args[1])
	}
	if o := f.options; cmd.Flags().Changed("reps") && o.Reps < 1 {
		return nil, fmt.Errorf("--reps %d: want at least 1", o.Reps)
	} else if cmd.Flags().Changed("shards") && o.Shards < 1 {
		return nil, fmt.Errorf("--shards %d: want at least 1", o.Shards)
	}
	list := study.All()
	if args[0] != "all" {
		e, ok := study.Lookup(args[0])
		if !ok {
			return nil, fmt.Errorf("unknown experiment %q, want %s", args[0], known)
		}
		list = []*study.Experiment{e}
	}
	var have []string
	for _, e := range list {
		for i := range e.Methods {
			if name := e.Methods[i].Name; !slices.Contains(have, name) {
				have = append(have, name)
			}
		}
	}
	for _, name := range f.options.Methods {
		if !slices.Contains(have, name) {
			return nil, fmt.Errorf("--methods: %s has no method %q, only %s", args[0], name, strings.Join(have, ", "))
		}
	}
	return list, nil
}

// experiments prepares all experiments, then runs them.
func (p *program) experiments(cmd *cobra.Command, f *runFlags, list []*study.Experiment) error {
	if f.out != "" {
		if err := figure.Check(f.out); err != nil {
			return fmt.Errorf("--out %s: %w", f.out, err)
		}
	}
	done, err := f.done()
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	var jobs []*study.Job
	var work int64
	for _, e := range list {
		o := f.options
		o.Keep = f.out != ""
		if o.Methods = e.Among(o.Methods); len(o.Methods) == 0 && len(f.options.Methods) > 0 {
			continue
		}
		job, err := e.Prepare(o)
		if len(list) > 1 && errors.Is(err, study.ErrNoData) {
			p.Say("left out: %v", err)
			continue
		} else if errors.Is(err, study.ErrNoData) {
			return cli.Usage(err)
		} else if err != nil {
			return err
		}
		if job.DoneIn(done) {
			p.Say("left out: %s is in %s", e.Name, f.resume)
			continue
		}
		jobs = append(jobs, job)
		work += job.Work()
	}
	if f.options.Quick {
		for _, j := range jobs {
			if s := j.Experiment.Reduced(); s != "" {
				p.Say("quick: %s", s)
			}
		}
	}
	tick, say, end := p.progress(work)
	defer end()
	show := p.table
	if f.json {
		show = p.lines
	}
	var all []study.Result
	err = study.Run(cmd.Context(), jobs, tick, func(j *study.Job, results []study.Result) error {
		all = append(all, results...)
		if !j.Compared() && j.Experiment.Reference != "" {
			say("%s: no accuracy without its reference %s among the methods", j.Experiment.Name, j.Experiment.Reference)
		}
		if err := show(j, results); err != nil || f.out == "" {
			return err
		}
		return draw(f.out, j, results, say)
	})
	if err != nil || f.json {
		return err
	}
	return p.comparison(study.Compare(all))
}

// done returns the results of the earlier run, none where its file does not exist.
func (f *runFlags) done() ([]study.Result, error) {
	if f.resume == "" {
		return nil, nil
	}
	file, err := os.Open(f.resume)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	results, err := readResults(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.resume, err)
	}
	return results, nil
}

// draw writes the figures of an experiment and says which there are not.
func draw(dir string, j *study.Job, results []study.Result, say func(string, ...any)) error {
	ceiling, _, _ := j.Floor()
	_, missing, err := figure.Write(dir, &figure.Data{
		Experiment: j.Experiment.Name, Size: j.Size, Results: results, Drawn: j.Drawn(), Ceiling: ceiling,
	})
	for _, m := range missing {
		say("%s", m)
	}
	return err
}

// progress shows a bar where stderr is a terminal. The functions returned may
// be called from any goroutine.
func (p *program) progress(work int64) (tick func(int64), say func(string, ...any), end func()) {
	if !term.IsTerminal(p.Stderr) {
		return func(int64) {}, p.Say, func() {}
	}
	var one sync.Mutex
	bar := term.Progress(p.Stderr, "shards", work)
	locked := func(f func()) {
		one.Lock()
		defer one.Unlock()
		f()
	}
	return func(n int64) { locked(func() { bar.Add(n) }) },
		func(format string, args ...any) { locked(func() { bar.Printf(format, args...) }) },
		func() { locked(bar.Done) }
}
