package lin

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A factor such as 1,000 rows of independent columns leave.
func benchFactor(n int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	a := make([]float64, n*n)
	for j := range n {
		for i := range j {
			a[j*n+i] = r.NormFloat64()
		}
		a[j*n+j] = 31.6
	}
	return a
}

// Both algorithms at the sizes about JacobiMax: jacobi against lapack.
func BenchmarkSVD(b *testing.B) {
	for _, n := range []int{6, 12, 20, 26, 32, 40, 50} {
		src := benchFactor(n)
		a, v, d := make([]float64, n*n), make([]float64, n*n), make([]float64, n)
		b.Run(fmt.Sprintf("jacobi/%d", n), func(b *testing.B) {
			for b.Loop() {
				copy(a, src)
				jacobi(n, a, v, d)
			}
		})
		work := make([]float64, lapackWork(n))
		b.Run(fmt.Sprintf("lapack/%d", n), func(b *testing.B) {
			for b.Loop() {
				copy(a, src)
				lapackSVD(n, a, v, d, work)
			}
		})
	}
}

func BenchmarkUpdateQR(b *testing.B) {
	for _, c := range []struct{ n, rows int }{{6, 10}, {6, 100}, {6, 1000}, {51, 100}} {
		b.Run(fmt.Sprintf("n=%d/rows=%d", c.n, c.rows), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			src := make([]float64, c.n*c.rows)
			for i := range src {
				src[i] = r.NormFloat64()
			}
			factor, block := make([]float64, PackedLen(c.n)), make([]float64, len(src))
			for b.Loop() {
				copy(block, src)
				UpdateQR(factor, c.n, block, c.rows)
			}
		})
	}
}

// The two products of a sweep of 16 chains over 64 rows of the window.
func BenchmarkSweep(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, p := range []int{10, 100, 500} {
		w, beta, latent, sum := random(r, 64*p), random(r, 16*p), random(r, 64*16), random(r, 16*p)
		b.Run(fmt.Sprintf("MulT/p=%d", p), func(b *testing.B) {
			for b.Loop() {
				MulT(64, 16, p, w, beta, latent)
			}
		})
		b.Run(fmt.Sprintf("AddTMul/p=%d", p), func(b *testing.B) {
			for b.Loop() {
				AddTMul(64, 16, p, latent, w, sum)
			}
		})
	}
}
