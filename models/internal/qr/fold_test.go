package qr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Rows without a response are as if they were not there, of few columns and of more, in one block and in several.
func TestMissing(t *testing.T) {
	var w Work
	r := rand.New(rand.NewPCG(1, 86))
	for _, p := range []int{1, 6, 7, 8, 20, 40} {
		for _, rows := range []int{1, 5, 100, 240, 241, 700, 1400} {
			all := &cdf.Shard{Rows: rows, Cols: p}
			some := &cdf.Shard{Cols: p}
			for i := range rows {
				x, y := make([]float64, p), r.NormFloat64()
				for j := range x {
					x[j] = r.NormFloat64()
				}
				if all.X = append(all.X, x...); i%7 == 3 {
					y = math.NaN()
				} else {
					some.X, some.Y = append(some.X, x...), append(some.Y, y)
				}
				all.Y = append(all.Y, y)
			}
			some.Rows = len(some.Y)
			got, want, block := make([]float64, lin.PackedLen(p+1)), make([]float64, lin.PackedLen(p+1)), make([]float64, BlockLen(p))
			name := fmt.Sprintf("%d columns, %d rows", p, rows)
			for range 2 { // the second time many rows go in by their Gram matrix
				if n := w.Fold(got, p, block, all); n != some.Rows {
					t.Errorf("%s: %d folded in, want %d", name, n, some.Rows)
				}
				if n := w.Fold(want, p, block, some); n != some.Rows {
					t.Errorf("%s: %d folded in, want all %d", name, n, some.Rows)
				}
			}
			if many := rows == 1400 && p == 40; many != (w.byGram(slices.Clone(got), p, block, all) > 0) {
				t.Errorf("%s: by their Gram matrix is not %v", name, many)
			}
			for i, v := range got {
				if math.Float64bits(v) != math.Float64bits(want[i]) {
					t.Fatalf("%s: %v at %d, want %v", name, v, i, want[i])
				}
			}
		}
	}
}

// Projected rows are folded in as rows are.
func TestProject(t *testing.T) {
	const p = 5
	sh := sample(rand.New(rand.NewPCG(1, 123)), 700, p, 1, 1, 1)
	for i := 3; i < len(sh.Y); i += 7 {
		sh.Y[i] = math.NaN()
	}
	got, want, block := make([]float64, lin.PackedLen(p+1)), make([]float64, lin.PackedLen(p+1)), make([]float64, BlockLen(p))
	n := Project(got, p, block, sh, func(x []float64, _ float64) []float64 { return x })
	if rows := new(Work).Fold(want, p, block, sh); n != rows || !slices.Equal(got, want) {
		t.Errorf("%d rows give %v, want %d and %v", n, got, rows, want)
	}
}
