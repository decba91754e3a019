package linear

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// shardWork is what the engine asks of the model per shard.
type shardWork struct {
	m    *Model
	step cdf.Step
	f    []cdf.Functional
	rows []cdf.Row
	sink float64
}

func newShardWork(t testing.TB, rows, p int) *shardWork {
	m, err := New(Defaults(), cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	w := &shardWork{m: m, f: modeltest.Coefficients(p), rows: make([]cdf.Row, p+1)}
	w.step = cdf.Step{Shard: modeltest.RegressionShard(r, rows, p, true), Forget: 1}
	return w
}

func (w *shardWork) run(t testing.TB) {
	score, err := w.m.Score(w.step.Shard, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range w.m.Blocks() {
		b.Absorb(&w.step)
		if err := b.Sample(&w.step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.m.Summarize(w.f, w.rows); err != nil {
		t.Fatal(err)
	}
	w.sink += score.LogDensity + w.m.LogEvidence()
}

// One shard with score, update, summary of p+1 variables and evidence.
func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ p, rows int }{{5, 10}, {5, 100}, {5, 1000}, {20, 100}, {50, 100}, {50, 1000}} {
		b.Run(fmt.Sprintf("p=%d/rows=%d", c.p, c.rows), func(b *testing.B) {
			w := newShardWork(b, c.rows, c.p)
			for range 60 {
				w.run(b)
			}
			b.ReportAllocs()
			for b.Loop() {
				w.run(b)
			}
		})
	}
}

// The same while the rows are too few for the closed form: the factor is
// discounted so that it stays there.
func BenchmarkEarlyShard(b *testing.B) {
	w := newShardWork(b, 10, 5)
	w.step.Forget = 0.5
	for range 60 {
		w.run(b)
	}
	b.ReportAllocs()
	for b.Loop() {
		w.run(b)
	}
}

func BenchmarkParts(b *testing.B) {
	w := newShardWork(b, 100, 5)
	for range 60 {
		w.run(b)
	}
	block := w.m.Blocks()[0]
	parts := []struct {
		name string
		run  func()
	}{
		{"score", func() { _, _ = w.m.Score(w.step.Shard, nil) }},
		{"absorb", func() { block.Absorb(&w.step) }},
		{"sample", func() { _ = block.Sample(&w.step) }},
		{"summarize", func() { w.m.post.law.Shape = 0; _ = w.m.Summarize(w.f, w.rows) }},
		{"evidence", func() { w.m.post.known = false; w.sink += w.m.LogEvidence() }},
	}
	for _, p := range parts {
		b.Run(p.name, func(b *testing.B) {
			w.run(b)
			b.ReportAllocs()
			for b.Loop() {
				p.run()
			}
		})
	}
}
