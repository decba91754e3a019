package qr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Rows without a response are as if they were not there, of few columns and of more, in one block and in several.
func TestMissing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 86))
	for _, p := range []int{1, 6, 7, 8, 20} {
		for _, rows := range []int{1, 5, 100, 240, 241, 700} {
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
			if n := Fold(got, p, block, all, nil); n != some.Rows {
				t.Errorf("%s: %d folded in, want %d", name, n, some.Rows)
			}
			if n := Fold(want, p, block, some, nil); n != some.Rows {
				t.Errorf("%s: %d folded in, want all %d", name, n, some.Rows)
			}
			for i, v := range got {
				if math.Float64bits(v) != math.Float64bits(want[i]) {
					t.Fatalf("%s: %v at %d, want %v", name, v, i, want[i])
				}
			}
		}
	}
}
