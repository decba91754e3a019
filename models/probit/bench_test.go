package probit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// workload is what the engine asks of the model per shard, with a full
// window.
type workload struct {
	m    *Model
	step cdf.Step
	f    []cdf.Functional
	rows []cdf.Row
}

func newWorkload(t testing.TB, p, limit, rows int) *workload {
	m := newTest(t, "corrected", windowOf(limit), dims(p, 500, false))
	r := rand.New(rand.NewPCG(1, 2))
	// The linear predictor has sd 2, as in the paper's experiment.
	beta := normals01(r, p, 1)
	w := &workload{m: m, f: betas(p), rows: make([]cdf.Row, p)}
	draws := &cdf.Draws{S: m.s, Chains: m.chains, Data: make([]float64, m.s*p)}
	w.step = cdf.Step{Shard: newShard(r, limit, beta, 2/float64(p), false), Forget: 1, RNG: r, Draws: draws}
	w.run(t)
	w.step.Shard = modeltest.Cut(w.step.Shard, 0, rows)
	return w
}

func (w *workload) run(t testing.TB) {
	if _, err := w.m.Score(w.step.Shard, w.step.RNG); err != nil {
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
}

// One shard with score, update and summary at the paper's sizes (the first
// two) and at the defaults. ms/draw and ns/row-draw count all of it.
func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ p, limit, rows int }{{100, 500, 25}, {500, 3500, 100}, {10, 500, 25}, {47, 1500, 300}} {
		b.Run(fmt.Sprintf("p=%d/window=%d/rows=%d", c.p, c.limit, c.rows), func(b *testing.B) {
			w := newWorkload(b, c.p, c.limit, c.rows)
			b.ReportAllocs()
			for b.Loop() {
				w.run(b)
			}
			draws := float64(b.N) * float64(w.m.s)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/draws/1e6, "ms/draw")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/draws/float64(c.limit), "ns/row-draw")
		})
	}
}

func BenchmarkParts(b *testing.B) {
	w := newWorkload(b, 100, 500, 25)
	scratch := w.m.work()
	for _, part := range []struct {
		name string
		run  func()
	}{
		{"score", func() { _, _ = w.m.Score(w.step.Shard, w.step.RNG) }},
		{"absorb", func() { w.m.Blocks()[0].Absorb(&w.step) }},
		{"covariance", func() { _ = w.m.covariance(scratch) }},
		{"latent", func() { w.m.latent(scratch) }}, // one sweep of 16 chains
		{"sample", func() { _ = w.m.sample(&w.step, scratch) }},
		{"summarize", func() { _ = w.m.Summarize(w.f, w.rows) }},
	} {
		b.Run(part.name, func(b *testing.B) {
			w.m.start(scratch)
			for b.Loop() {
				part.run()
			}
		})
	}
}
