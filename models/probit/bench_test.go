package probit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// newWork returns a model with a full window.
func newWork(t testing.TB, p, limit, rows int) *modeltest.Work {
	m := newTest(t, "corrected", windowOf(limit), dims(p, 500, false))
	r := rand.New(rand.NewPCG(1, 2))
	// The linear predictor has sd 2, as in the paper's experiment.
	sh := newShard(r, limit, normals01(r, p, 1), 2/float64(p), false)
	w := &modeltest.Work{Model: m, Functionals: betas(p), Step: cdf.Step{Shard: sh, Forget: 1, RNG: r, Draws: driver(m).Draws}}
	w.Run(t)
	w.Step.Shard = modeltest.Cut(sh, 0, rows)
	return w
}

func TestAllocates(t *testing.T) { newWork(t, 20, 200, 10).AllocatesNothing(t, 1, 20) }

// One shard with score, update and summary at the paper's sizes (the first
// two) and at the defaults. ms/draw and ns/row-draw count all of it.
func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ p, limit, rows int }{{100, 500, 25}, {500, 3500, 100}, {10, 500, 25}, {47, 1500, 300}} {
		b.Run(fmt.Sprintf("p=%d/window=%d/rows=%d", c.p, c.limit, c.rows), func(b *testing.B) {
			w := newWork(b, c.p, c.limit, c.rows)
			w.Bench(b, 0)
			draws := float64(b.N) * float64(w.Step.Draws.S)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/draws/1e6, "ms/draw")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/draws/float64(c.limit), "ns/row-draw")
		})
	}
}

func BenchmarkParts(b *testing.B) {
	w := newWork(b, 100, 500, 25)
	m, rows := w.Model.(*Model), make([]cdf.Row, 100)
	scratch := m.work()
	_, _ = m.start(scratch)
	modeltest.Part(b, "score", func() { _, _ = m.Score(w.Step.Shard, w.Step.RNG) })
	modeltest.Part(b, "absorb", func() { m.Blocks()[0].Absorb(&w.Step) })
	modeltest.Part(b, "covariance", func() { _ = m.covariance(scratch) })
	modeltest.Part(b, "latent", func() { m.latent(scratch) }) // one sweep of 16 chains
	modeltest.Part(b, "sample", func() { _ = m.sample(&w.Step, scratch) })
	modeltest.Part(b, "summarize", func() { _ = m.Summarize(w.Functionals, rows) })
	var flags []string
	modeltest.Part(b, "flags", func() { flags = m.AppendFlags(flags[:0]) })
}
