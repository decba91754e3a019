package compressed

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// work is what the engine asks of the model per shard.
type work struct {
	m    cdf.Model
	step cdf.Step
	f    []cdf.Functional
	rows []cdf.Row
}

func newWork(t testing.TB, variant, settings string, rows, p int) *work {
	w := &work{m: newTest(t, variant, settings, modeltest.Columns(p)), f: modeltest.Coefficients(p), rows: make([]cdf.Row, p+1)}
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(1, 2)), rows, p, false)
	w.step = cdf.Step{Shard: sh, Forget: 1, RNG: rand.New(rand.NewPCG(1, 3))}
	return w
}

func (w *work) run(t testing.TB) {
	if _, err := w.m.(cdf.Predictor).Score(w.step.Shard, nil); err != nil {
		t.Fatal(err)
	}
	for _, b := range w.m.Blocks() {
		b.Absorb(&w.step)
		if err := b.Sample(&w.step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.m.(cdf.Summarizer).Summarize(w.f, w.rows); err != nil {
		t.Fatal(err)
	}
}

// One shard of 100 rows with score, update and summary.
func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ name, variant, settings string }{
		{"sketch", "", "{}"}, {"sketch r=55", "", "rank: 55"}, {"packed", "", "statistics: packed"},
		{"lean", "", "statistics: lean"}, {"fixed", "", "projection: fixed"},
	} {
		for _, p := range []int{50, 500, 1000} {
			b.Run(fmt.Sprintf("%s/p=%d", c.name, p), func(b *testing.B) {
				w := newWork(b, c.variant, c.settings, 100, p)
				for range 5 {
					w.run(b)
				}
				b.ReportAllocs()
				for b.Loop() {
					w.run(b)
				}
			})
		}
	}
}
