package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// countWork is what the engine asks of the model per shard: score, update, and
// a summary of the coefficients, the variance and the groups touched.
type countWork struct {
	m    *Model
	step cdf.Step
	f    []cdf.Functional
	rows []cdf.Row
}

// newCountWork returns a model of p columns that knows all groups, and a shard
// of the given rows.
func newCountWork(t testing.TB, groups, rows, p int) *countWork {
	columns := append([]string{"intercept"}, modeltest.Columns(p-1)...)
	m := newTest(t, Defaults(), columns, "group")
	r := rand.New(rand.NewPCG(5, 6))
	u := make([]float64, groups)
	for g := range u {
		u[g] = 0.5 * r.NormFloat64()
	}
	shard := func(rows int, group func(i int) int) *cdf.Shard {
		sh := &cdf.Shard{Rows: rows, Cols: p, X: make([]float64, rows*p), Y: make([]float64, rows), Group: [][]int32{make([]int32, rows)}}
		for i := range rows {
			g, eta := group(i), 0.5
			sh.X[i*p] = 1
			for j := 1; j < p; j++ {
				sh.X[i*p+j] = r.NormFloat64()
				eta += 0.2 * sh.X[i*p+j] / math.Sqrt(float64(p))
			}
			sh.Group[0][i] = int32(g)
			sh.Y[i] = simulate.Count(r, math.Exp(eta+u[g]))
		}
		return sh
	}
	d := modeltest.Stepper{Model: m}
	for lo := 0; lo < groups; lo += 2000 {
		d.Must(t, shard(min(2000, groups-lo), func(i int) int { return lo + i }), 1)
	}
	w := &countWork{m: m}
	w.step = cdf.Step{Shard: shard(rows, func(int) int { return r.IntN(groups) }), Forget: 1, RNG: r}
	for j := range p {
		w.f = append(w.f, effect(j))
	}
	touched := map[int32]bool{}
	for _, g := range w.step.Shard.Group[0] {
		if !touched[g] {
			touched[g] = true
			w.f = append(w.f, effect(p+int(g)))
		}
	}
	w.f = append(w.f, effect(p+groups))
	w.rows = make([]cdf.Row, len(w.f))
	return w
}

func (w *countWork) run(t testing.TB) {
	if _, err := w.m.Score(w.step.Shard, w.step.RNG); err != nil {
		t.Fatal(err)
	}
	w.update(t)
	if err := w.m.Summarize(w.f, w.rows); err != nil {
		t.Fatal(err)
	}
}

func (w *countWork) update(t testing.TB) {
	for _, b := range w.m.Blocks() {
		b.Absorb(&w.step)
		if err := b.Sample(&w.step); err != nil {
			t.Fatal(err)
		}
	}
}

// One shard with score, update and a summary of what it touched.
func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ groups, rows, p int }{
		{100, 10, 3}, {100, 200, 3}, {100, 200, 20}, {1000, 200, 3}, {10_000, 200, 3}, {100_000, 200, 3},
	} {
		b.Run(fmt.Sprintf("groups=%d/rows=%d/p=%d", c.groups, c.rows, c.p), func(b *testing.B) {
			w := newCountWork(b, c.groups, c.rows, c.p)
			w.run(b)
			b.ReportAllocs()
			for b.Loop() {
				w.run(b)
			}
		})
	}
}

func BenchmarkParts(b *testing.B) {
	for _, groups := range []int{100, 100_000} {
		w := newCountWork(b, groups, 200, 3)
		var state []byte
		for _, p := range []struct {
			name string
			run  func()
		}{
			{"score", func() { _, _ = w.m.Score(w.step.Shard, w.step.RNG) }},
			{"update", func() { w.update(b) }},
			{"summarize", func() { _ = w.m.Summarize(w.f, w.rows) }},
			{"snapshot", func() { state, _ = w.m.AppendBinary(state[:0]) }},
		} {
			b.Run(fmt.Sprintf("groups=%d/%s", groups, p.name), func(b *testing.B) {
				w.run(b)
				b.ReportAllocs()
				for b.Loop() {
					p.run()
				}
			})
		}
	}
}
