package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// All numbers of columns to 140, against the definition. Rows that are not rotated
// stay.
func TestRotateRows(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 33))
		for n := 1; n <= 140; n++ {
			for _, rows := range []struct{ lo, m int }{{0, 6}, {2, 3}, {1, 5}, {4, 4}} {
				const all = 7
				got, c, s := random(r, all*n), make([]float64, all), make([]float64, all)
				for i := range c {
					s[i], c[i] = math.Sincos(r.NormFloat64())
				}
				want := append([]float64(nil), got...)
				for i := rows.m - 1; i >= rows.lo; i-- {
					for j := range n {
						x, y := want[i*n+j], want[(i+1)*n+j]
						want[(i+1)*n+j] = math.FMA(s[i], x, float64(c[i]*y))
						want[i*n+j] = math.FMA(c[i], x, -float64(s[i]*y))
					}
				}
				rotateRows(n, rows.lo, rows.m, got, c, s)
				identical(t, fmt.Sprintf("%d columns, rows %d to %d", n, rows.lo, rows.m), got, want)
			}
		}
	})
}

func BenchmarkRotateRows(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 34))
	for _, n := range []int{6, 50, 211} {
		z, c, s := random(r, n*n), make([]float64, n), make([]float64, n)
		for i := range c {
			s[i], c[i] = math.Sincos(r.NormFloat64())
		}
		for set := range isa.AVX512 + 1 {
			b.Run(fmt.Sprintf("n=%d/%s", n, set), func(b *testing.B) {
				isatest.Use(b, &with, set)
				for b.Loop() {
					rotateRows(n, 0, n-1, z, c, s)
				}
			})
		}
	}
}
