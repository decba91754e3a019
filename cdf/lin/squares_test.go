package lin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/internal/isatest"
)

func TestAddTMulSquares(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 82))
		for _, m := range []int{1, 2, 7, 256, 300} {
			for n := 1; n < 14; n++ {
				for _, k := range []int{15, 16, 17, 32} {
					at := fmt.Sprintf("%d rows, %d and %d columns", m, n, k)
					a, b, c, squares := random(r, m*n), random(r, m*k), random(r, n*k), random(r, k)
					wantC, wantSquares := append([]float64(nil), c...), append([]float64(nil), squares...)
					AddTMul(m, n, k, a, b, wantC)
					vec.AddSquares(m, b, k, wantSquares)
					AddTMulSquares(m, n, k, a, b, c, squares)
					identical(t, at, c, wantC)
					identical(t, at+": squares", squares, wantSquares)
				}
			}
		}
	})
}

func BenchmarkAddTMulSquares(b *testing.B) {
	const m, k = 256, 16
	r := rand.New(rand.NewPCG(1, 82))
	for _, n := range []int{5, 10} {
		x, t, c, squares := random(r, m*n), random(r, m*k), make([]float64, n*k), make([]float64, k)
		b.Run(fmt.Sprint(n, " apart"), func(b *testing.B) {
			for b.Loop() {
				AddTMul(m, n, k, x, t, c)
				vec.AddSquares(m, t, k, squares)
			}
		})
		b.Run(fmt.Sprint(n, " together"), func(b *testing.B) {
			for b.Loop() {
				AddTMulSquares(m, n, k, x, t, c, squares)
			}
		})
	}
}
