package anova

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// shardWork is what the engine asks of the model per shard.
type shardWork struct {
	m    cdf.Model
	step cdf.Step
	f    []cdf.Functional
	rows []cdf.Row
}

func newShardWork(t testing.TB, variant string, rows, groups, draws int) *shardWork {
	w := &shardWork{m: newVariant(t, variant, weak)}
	w.step = cdf.Step{
		Shard: rowsOf(nil), Forget: .99, Draws: drawsFor(draws, groups), RNG: rand.New(rand.NewPCG(1, 2)),
	}
	w.step.Shard.Rows = rows
	for i := range rows {
		w.step.Shard.Group[0] = append(w.step.Shard.Group[0], int32(i%groups))
		w.step.Shard.Y = append(w.step.Shard.Y, float64(i%groups)+w.step.RNG.NormFloat64())
	}
	for _, b := range w.m.Blocks() {
		b.Absorb(&w.step)
		if err := b.Sample(&w.step); err != nil {
			t.Fatal(err)
		}
	}
	w.f = functionals(w.m)
	w.rows = make([]cdf.Row, len(w.f))
	return w
}

func (w *shardWork) run(t testing.TB) {
	if _, err := w.m.(cdf.Predictor).Score(w.step.Shard, nil); err != nil {
		t.Fatal(err)
	}
	for i, b := range w.m.Blocks() {
		b.Absorb(&w.step)
		if i == 0 {
			w.m.(cdf.Retirer).Retire()
		}
		if err := b.Sample(&w.step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.m.(cdf.Summarizer).Summarize(w.f, w.rows); err != nil {
		t.Fatal(err)
	}
}

// One shard of 100 rows with score, 500 sweeps and summary.
func BenchmarkShard(b *testing.B) {
	for _, variant := range []string{"corrected", "paper"} {
		for _, groups := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/groups=%d", variant, groups), func(b *testing.B) {
				w := newShardWork(b, variant, max(100, groups), groups, 500)
				b.ReportAllocs()
				for b.Loop() {
					w.run(b)
				}
			})
		}
	}
}

// The sweeps without the Monte Carlo errors of the means.
func BenchmarkSweeps(b *testing.B) {
	w := newShardWork(b, "corrected", 100, 10, 500)
	m, work := w.m.(*Model), new(work)
	b.ReportAllocs()
	for b.Loop() {
		m.run(&w.step, work)
	}
}
