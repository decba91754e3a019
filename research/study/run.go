package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/research/measure"
)

// Result is a figure of a method over all replications, beside the paper's.
type Result struct {
	Experiment, Method string
	T                  int64
	Metric             string
	Mean, SE           float64 // SE is NaN with one replication
	Reps               int     // that have the figure
	Paper              *Printed
}

// ResultsOf returns those of the results that are of one experiment.
func ResultsOf(results []Result, experiment string) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Experiment != experiment })
}

// Job is one experiment that is about to run.
type Job struct {
	Experiment *Experiment
	Size       Size
	methods    []*Method
	open       Open
	seed       uint64
	keep       bool
	drawn      []Drawn
}

// Prepare checks what is asked of an experiment and reads its data. Nothing
// has run when it fails.
func (e *Experiment) Prepare(o Options) (*Job, error) {
	methods := e.choose(o.Methods)
	for _, m := range methods {
		if _, err := e.spec(m, o.Seed); err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
	}
	open, err := e.Open(o)
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
	}
	return &Job{Experiment: e, Size: e.size(o), methods: methods, open: open, seed: o.Seed, keep: o.Keep}, nil
}

// Work returns the number of shards that the job takes in, for a progress bar.
func (j *Job) Work() int64 { return int64(j.Size.Reps) * int64(len(j.methods)) * j.Size.Shards }

// DoneIn reports whether results of an earlier run are all that the job would find:
// every method's at its last shard, over as many replications.
func (j *Job) DoneIn(results []Result) bool {
	for _, m := range j.methods {
		if !slices.ContainsFunc(results, func(r Result) bool {
			return r.Experiment == j.Experiment.Name && r.Method == m.Name && r.T == j.Size.Shards && r.Reps == j.Size.Reps
		}) {
			return false
		}
	}
	return true
}

// Compared reports whether the job has a reference to measure accuracy by.
func (j *Job) Compared() bool {
	return slices.ContainsFunc(j.methods, func(m *Method) bool { return m.Name == j.Experiment.Reference })
}

// Floor returns the accuracy that an exact sampler has where marginals are
// compared by draws, with its number of draws and the reference's; 0 draws
// where they are not.
func (j *Job) Floor() (accuracy float64, draws, reference int) {
	if len(j.Experiment.Measure(j.Size.Shards).Many) == 0 || !j.Compared() {
		return 1, 0, 0
	}
	reference = max(manyDraws, j.methods[0].Draws) // the reference is first
	return measure.Floor(manyDraws, reference), manyDraws, reference
}

// Run runs the jobs' replications on all cores and calls done with the results
// of each job, in the order of the jobs, as soon as it and those before it
// have ended. All figures but seconds are the same however many cores there
// are. tick is called, from any goroutine, with the shards taken in.
func Run(ctx context.Context, jobs []*Job, tick func(shards int64), done func(*Job, []Result) error) error {
	all, ended := make([]outcome, len(jobs)), make([]chan struct{}, len(jobs))
	for i, j := range jobs {
		all[i], ended[i] = make(outcome, j.Size.Reps), make(chan struct{})
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		workers, ctx := errgroup.WithContext(ctx)
		workers.SetLimit(runtime.GOMAXPROCS(0))
		for i, j := range jobs {
			var left atomic.Int64
			left.Store(int64(j.Size.Reps))
			for rep := range all[i] {
				workers.Go(func() (err error) {
					if all[i][rep], err = j.replicate(ctx, rep, tick); err == nil && left.Add(-1) == 0 {
						close(ended[i])
					}
					return err
				})
			}
		}
		return workers.Wait()
	})
	g.Go(func() error {
		for i, j := range jobs {
			select {
			case <-ended[i]:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := done(j, j.results(all[i])); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// outcome is the figures of a job: by replication, then by method.
type outcome [][][]Figure

func (j *Job) replicate(ctx context.Context, rep int, tick func(int64)) ([][]Figure, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	figures, err := j.Experiment.replicate(ctx, j.open, j.methods, seedOf(j.seed, j.Experiment.Name, rep), j.Size.Shards, j.keeper(rep), tick)
	if err != nil {
		return nil, fmt.Errorf("experiment %s, replication %d: %w", j.Experiment.Name, rep+1, err)
	}
	return figures, nil
}

// results averages figures[rep][method] over the replications, methods in the
// order of the experiment, figures by shard and then as they were taken.
func (j *Job) results(figures outcome) []Result {
	var out []Result
	for i := range j.Experiment.Methods {
		m := &j.Experiment.Methods[i]
		at := slices.Index(j.methods, m)
		if at < 0 {
			continue
		}
		type place struct {
			t      int64
			metric string
		}
		var order []place
		values := map[place][]float64{}
		for _, rep := range figures {
			for _, f := range rep[at] {
				p := place{f.T, f.Metric}
				if values[p] == nil {
					order = append(order, p)
				}
				values[p] = append(values[p], f.Value)
			}
		}
		slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(a.t, b.t) })
		for _, p := range order {
			mean, se := measure.MeanSE(values[p])
			if math.IsNaN(mean) {
				continue
			}
			out = append(out, Result{
				Experiment: j.Experiment.Name, Method: m.Name, T: p.t, Metric: p.metric,
				Mean: mean, SE: se, Reps: len(values[p]), Paper: PrintedFor(j.Experiment.Name, m.Name, p.t, p.metric),
			})
		}
	}
	return out
}
