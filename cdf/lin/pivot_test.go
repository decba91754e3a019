package lin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// All numbers of rows to 17 and matrices to 18, against the twin. What lies beyond
// stays.
func TestPivotSquares(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 30))
		for _, n := range []int{1, 2, 7, 33} {
			for m := range 18 {
				for k := 1; k <= 18; k++ {
					c, l, g := random(r, m*n), random(r, n*k), random(r, n*k)
					got := random(r, m*k+8)
					want := append([]float64(nil), got...)
					PivotSquares(m, n, k, c, l, g, got)
					pivotSquares(m, n, k, c, l, g, want)
					identical(t, fmt.Sprintf("%d rows of %d, %d matrices", m, n, k), got, want)
				}
			}
		}
	})
}

// The twin against the quadratic form by its definition, W u = c.
func TestPivotSquaresAreSolutions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 31))
	const n, k = 6, 3
	c, l, g, got := random(r, n), random(r, n*k), random(r, n*k), make([]float64, k)
	pivotSquares(1, n, k, c, l, g, got)
	for i := range k {
		want, u := 0.0, make([]float64, n+1)
		for j := n - 1; j >= 0; j-- {
			u[j] = c[j] - l[j*k+i]*u[j+1]
			want += g[j*k+i] * u[j] * u[j]
		}
		near(t, "form", got[i], want, 1e-12)
	}
}

func BenchmarkPivotSquares(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 32))
	const m, k = 16, 41
	for _, n := range []int{6, 50, 500} {
		c, l, g, sum, u := random(r, m*n), random(r, n*k), random(r, n*k), make([]float64, m*k), make([]float64, k)
		for set := range isa.AVX512 + 1 {
			b.Run(fmt.Sprintf("n=%d/%s", n, set), func(b *testing.B) {
				isatest.Use(b, &with, set)
				for b.Loop() {
					PivotSquares(m, n, k, c, l, g, sum)
				}
			})
		}
		b.Run(fmt.Sprintf("n=%d/loop", n), func(b *testing.B) {
			for b.Loop() {
				for i := range m {
					row, v := Row(c, n, i), Row(sum, k, i)
					clear(u)
					for j := n - 1; j >= 0; j-- {
						l, g := Row(l, k, j), Row(g, k, j)
						for i, ui := range u {
							ui = row[j] - l[i]*ui
							u[i] = ui
							v[i] += ui * ui * g[i]
						}
					}
				}
			}
		})
	}
}
