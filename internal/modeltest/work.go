package modeltest

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Work is what the engine asks of a model per shard.
type Work struct {
	Model       cdf.Model
	Step        cdf.Step
	Functionals []cdf.Functional
	Next        func() // changes the shard before each run, nil: stays
	blocks      []cdf.Block
	rows        []cdf.Row
	sink        float64
}

// Run scores the shard, absorbs it, and summarizes.
func (w *Work) Run(t testing.TB) {
	if w.Next != nil {
		w.Next()
	}
	score, err := w.Model.(cdf.Predictor).Score(w.Step.Shard, w.Step.RNG)
	if err != nil {
		t.Fatal(err)
	}
	w.Update(t)
	if len(w.rows) < len(w.Functionals) {
		w.rows = make([]cdf.Row, len(w.Functionals))
	}
	if err := w.Model.(cdf.Summarizer).Summarize(w.Functionals, w.rows); err != nil {
		t.Fatal(err)
	}
	w.sink += score.LogDensity
	if e, ok := w.Model.(cdf.Evidence); ok {
		w.sink += e.LogEvidence()
	}
}

// Update runs the blocks, after the first of which groups may leave.
func (w *Work) Update(t testing.TB) {
	if w.blocks == nil {
		w.blocks = w.Model.Blocks()
	}
	for i, b := range w.blocks {
		b.Absorb(&w.Step)
		if r, ok := w.Model.(cdf.Retirer); ok && i == 0 {
			r.Retire()
		}
		if err := b.Sample(&w.Step); err != nil {
			t.Fatal(err)
		}
	}
}

// Bench measures Run after some runs.
func (w *Work) Bench(b *testing.B, warm int) {
	for range warm {
		w.Run(b)
	}
	b.ReportAllocs()
	for b.Loop() {
		w.Run(b)
	}
}

// Part measures a part of the work.
func Part(b *testing.B, name string, run func()) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			run()
		}
	})
}

// race says that the race detector is on.
var race bool

// AllocatesNothing fails if Run allocates in the steady state.
func (w *Work) AllocatesNothing(t *testing.T, warm, runs int) {
	t.Helper()
	for range warm {
		w.Run(t)
	}
	NoAllocations(t, runs, func() { w.Run(t) })
}

// NoAllocations fails if run, which is a shard, allocates. The race detector drops at
// random what a pool is given, so that nothing is said then.
func NoAllocations(t *testing.T, runs int, run func()) {
	t.Helper()
	if n := testing.AllocsPerRun(runs, run); n != 0 && !race {
		t.Errorf("%v allocations per shard", n)
	}
}
