package anova

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func newWork(t testing.TB, variant string, rows, groups, draws int) *modeltest.Work {
	w := &modeltest.Work{Model: newVariant(t, variant, weak), Step: cdf.Step{
		Shard: rowsOf(nil), Forget: .99, Draws: drawsFor(draws, groups), RNG: rand.New(rand.NewPCG(1, 2)),
	}}
	sh := w.Step.Shard
	sh.Rows = rows
	for i := range rows {
		sh.Group[0] = append(sh.Group[0], int32(i%groups))
		sh.Y = append(sh.Y, float64(i%groups)+w.Step.RNG.NormFloat64())
	}
	w.Update(t)
	w.Functionals = functionals(w.Model)
	return w
}

func TestAllocates(t *testing.T) {
	for _, variant := range Kind().Variants {
		newWork(t, variant, 100, 10, 100).AllocatesNothing(t, 1, 50)
	}
}

// One shard of 100 rows with score, 500 draws and summary.
func BenchmarkShard(b *testing.B) {
	for _, variant := range Kind().Variants {
		for _, groups := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/groups=%d", variant, groups), func(b *testing.B) {
				newWork(b, variant, max(100, groups), groups, 500).Bench(b, 0)
			})
		}
	}
}

// The quadrature alone.
func BenchmarkQuadrature(b *testing.B) {
	for _, groups := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			m, w := newWork(b, "corrected", groups, groups, 50).Model.(*Model), new(work)
			b.ReportAllocs()
			for b.Loop() {
				w.grid.fill(&m.statistics)
				m.settle(w)
			}
		})
	}
}
