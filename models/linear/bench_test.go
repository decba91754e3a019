package linear

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func newWork(t testing.TB, rows, p int) *modeltest.Work {
	m, err := New(Defaults(), cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(1, 2)), rows, p, true)
	return &modeltest.Work{Model: m, Step: cdf.Step{Shard: sh, Forget: 1}, Functionals: modeltest.Coefficients(p)}
}

func TestAllocates(t *testing.T) { newWork(t, 100, 5).AllocatesNothing(t, 1, 200) }

// One shard with score, update, summary of p+1 variables and evidence.
func BenchmarkLarge(b *testing.B) {
	for _, rows := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("p=500/rows=%d", rows), func(b *testing.B) {
			w := newWork(b, 1000, 500)
			for range 3 {
				w.Run(b)
			}
			w.Step.Shard = modeltest.RegressionShard(rand.New(rand.NewPCG(1, 2)), rows, 500, true)
			if rows < 1000 {
				w.Step.Forget = 0.999
			}
			w.Bench(b, 0)
		})
	}
}

func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ p, rows int }{{5, 10}, {5, 100}, {5, 1000}, {20, 100}, {50, 10}, {50, 100}, {50, 1000}} {
		b.Run(fmt.Sprintf("p=%d/rows=%d", c.p, c.rows), func(b *testing.B) { newWork(b, c.rows, c.p).Bench(b, 60) })
	}
}

// Shards of a key that stays at so many rows, which are too few for the closed form.
func BenchmarkFew(b *testing.B) {
	for _, c := range []struct{ p, n, rows int }{{100, 900, 10}, {200, 1500, 10}, {500, 1000, 10}, {500, 4000, 10}, {500, 4000, 200}} {
		b.Run(fmt.Sprintf("p=%d/n=%d/rows=%d", c.p, c.n, c.rows), func(b *testing.B) {
			w := newWork(b, c.n, c.p)
			w.Run(b)
			w.Step.Shard = modeltest.RegressionShard(rand.New(rand.NewPCG(1, 2)), c.rows, c.p, true)
			w.Step.Forget = 1 - float64(c.rows)/float64(c.n)
			w.Bench(b, 0)
		})
	}
}

// The same while the rows are too few for the closed form: the factor is
// discounted so that it stays there.
func BenchmarkEarlyShard(b *testing.B) {
	w := newWork(b, 10, 5)
	w.Step.Forget = 0.5
	w.Bench(b, 60)
}

func BenchmarkParts(b *testing.B) {
	w, rows, sink := newWork(b, 100, 5), make([]cdf.Row, 6), 0.0
	for range 60 {
		w.Run(b)
	}
	m := w.Model.(*Model)
	block := m.Blocks()[0]
	modeltest.Part(b, "score", func() { _, _ = m.Score(w.Step.Shard, nil) })
	modeltest.Part(b, "absorb", func() { block.Absorb(&w.Step) })
	modeltest.Part(b, "sample", func() { _ = block.Sample(&w.Step) })
	modeltest.Part(b, "summarize", func() { m.post.law.Shape = 0; _ = m.Summarize(w.Functionals, rows) })
	modeltest.Part(b, "evidence", func() { m.post.known = false; sink += m.LogEvidence() })
}
