package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

func TestAffine(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 83))
		for n := range 40 {
			x := random(r, n+2)
			if n > 5 {
				x[1], x[2], x[3], x[4] = math.Copysign(0, -1), math.NaN(), math.Inf(1), 5e-324
			}
			for _, c := range [][2]float64{{0, 1}, {.3, -2.7}, {1e-300, 3e-8}} {
				got, want := make([]float64, n), make([]float64, n)
				for i := range n {
					want[i] = c[0] + float64(c[1]*x[i])
				}
				Affine(got, x, c[0], c[1])
				identical(t, "affine", got, want)
			}
		}
	})
}

// 500 draws of each of many rows, most of them beyond the caches.
func BenchmarkAffine(b *testing.B) {
	const n, rows = 500, 50_000
	all, dst := make([]float64, n*rows), make([]float64, n)
	each := func(b *testing.B, do func(row []float64)) {
		i := 0
		for b.Loop() {
			do(all[i*n:][:n])
			i = (i + 1) % rows
		}
	}
	b.Run("loop", func(b *testing.B) {
		each(b, func(row []float64) {
			for i, v := range row {
				dst[i] = .3 + float64(1.7*v)
			}
		})
	})
	b.Run("vectors", func(b *testing.B) { each(b, func(row []float64) { Affine(dst, row, .3, 1.7) }) })
}
