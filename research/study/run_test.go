package study

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// figures runs an experiment and returns its results but for timing.
func figures(t *testing.T, name string, o Options) []Result {
	t.Helper()
	e, ok := Lookup(name)
	if !ok {
		t.Fatalf("no experiment %s", name)
	}
	j, err := e.Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	return ran(t, j)
}

// ran runs a job and returns its results but for timing.
func ran(t *testing.T, j *Job) []Result {
	t.Helper()
	var out []Result
	err := Run(t.Context(), []*Job{j}, func(int64) {}, func(_ *Job, r []Result) error {
		for _, v := range r {
			if v.Paper = nil; v.Metric != "seconds" {
				out = append(out, v)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(a, b []Result) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Replications have data and streams of their own: which core takes which, and
// in which order, does not matter. Both methods draw.
func TestFiguresDoNotDependOnCores(t *testing.T) {
	o := Options{Seed: 3, Reps: 6, Shards: 8, Methods: []string{"cdf", "cdf-paper"}}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one := figures(t, "anova", o)
	runtime.GOMAXPROCS(2)
	if two := figures(t, "anova", o); !same(one, two) {
		t.Errorf("on one core\n%v\non two\n%v", one, two)
	}
	o.Seed++
	if other := figures(t, "anova", o); same(one, other) {
		t.Error("the seed does not matter")
	}
}

func TestRunEndsWhenToldTo(t *testing.T) {
	e, _ := Lookup("linear")
	j, err := e.Prepare(Options{Seed: 1, Methods: []string{"cdf"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	err = Run(ctx, []*Job{j, j}, func(int64) { stop() }, func(*Job, []Result) error {
		t.Error("a job that was stopped is done")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped with %v", err)
	}
}

// A failing experiment ends the others and is named.
func TestRunNamesWhatFails(t *testing.T) {
	broken := *linear()
	broken.Name = "broken"
	broken.Open = func(Options) (Open, error) {
		return func(uint64, int64) (*Stream, error) { return nil, errors.New("no data") }, nil
	}
	j, err := broken.Prepare(Options{Seed: 1, Methods: []string{"cdf"}})
	if err != nil {
		t.Fatal(err)
	}
	good, err := linear().Prepare(Options{Seed: 1, Methods: []string{"cdf"}})
	if err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), []*Job{j, good}, func(int64) {}, func(*Job, []Result) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "experiment broken, replication") {
		t.Errorf("failed with %v", err)
	}
}

// What reports results may fail too, as a closed pipe does.
func TestRunEndsWhenReportingFails(t *testing.T) {
	j, err := linear().Prepare(Options{Seed: 1, Reps: 1, Shards: 10, Methods: []string{"cdf"}})
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	if err := Run(t.Context(), []*Job{j}, func(int64) {}, func(*Job, []Result) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("ended with %v", err)
	}
}
