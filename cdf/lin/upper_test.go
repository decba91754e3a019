package lin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// upper returns an upper triangular matrix of random numbers.
func upper(r *rand.Rand, n int) []float64 {
	a := random(r, n*n)
	for i := range n {
		clear(a[i*n : i*n+i])
	}
	return a
}

// Against sums; all instructions give the same bits.
func TestUpper(t *testing.T) {
	var first [][]float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(69, 1))
		for k, n := range []int{1, 2, 5, 24, 25, 47, 48, 49, 71, 96, 128, 131, 192} {
			m, b, c := upper(r, n), upper(r, n), random(r, n*n)
			product, outer := slices.Clone(m), random(r, n*n)
			OuterUpper(n, m, outer)
			GramUpper(n, m, c)
			MulUpper(n, product, b)
			for i := range n {
				clear(c[i*n : i*n+i])
				for j := range n {
					gram, mul, square := 0.0, 0.0, 0.0
					for l := range n {
						gram += m[l*n+i] * m[l*n+j]
						mul += m[i*n+l] * b[l*n+j]
						square += m[i*n+l] * m[j*n+l]
					}
					if j >= i {
						near(t, fmt.Sprintf("order %d: M'M %d, %d", n, i, j), c[i*n+j], gram, 1e-13*float64(n))
					}
					if j <= i {
						near(t, fmt.Sprintf("order %d: MM' %d, %d", n, i, j), outer[i*n+j], square, 1e-13*float64(n))
					} else {
						outer[i*n+j] = 0
					}
					near(t, fmt.Sprintf("order %d: AB %d, %d", n, i, j), product[i*n+j], mul, 1e-13*float64(n))
				}
			}
			for _, rows := range []int{1, 7, 24, 50} {
				a := random(r, rows*n)
				got, want := random(r, rows*n), random(r, rows*n)
				RowsUpper(rows, n, a, b, got)
				Mul(rows, n, n, a, b, want)
				identical(t, fmt.Sprintf("order %d, %d rows", n, rows), got, want)
				RowsUpperT(rows, n, a, b, got)
				MulT(rows, n, n, a, b, want)
				identical(t, fmt.Sprintf("order %d, %d rows, transposed", n, rows), got, want)
			}
			all := append(append(c, product...), outer...)
			if k == len(first) {
				first = append(first, all)
			}
			identical(t, fmt.Sprintf("order %d, other instructions", n), all, first[k])
		}
	})
}

// Of n^3 / 3 operations each, by the products of whole matrices too.
func BenchmarkUpper(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 21))
	for _, n := range []int{50, 500} {
		m, x, c := upper(r, n), upper(r, n), make([]float64, n*n)
		for i := range x {
			x[i] /= float64(n)
		}
		rates(b, fmt.Sprintf("GramUpper/%d", n), n*n*n/3, func() { GramUpper(n, m, c) }, func() { AddGram(n, n, m, m, c) })
		rates(b, fmt.Sprintf("OuterUpper/%d", n), n*n*n/3, func() { OuterUpper(n, m, c) }, func() { GramT(n, n, m, c) })
		rates(b, fmt.Sprintf("RowsUpper/%d", n), 32*n*n, func() { RowsUpper(32, n, x, m, c) }, func() { Mul(32, n, n, x, m, c) })
		rates(b, fmt.Sprintf("RowsUpperT/%d", n), 32*n*n, func() { RowsUpperT(32, n, x, m, c) }, func() { MulT(32, n, n, x, m, c) })
		rates(b, fmt.Sprintf("MulUpper/%d", n), n*n*n/3, func() { copy(c, m); MulUpper(n, c, x) }, func() { Mul(n, n, n, m, x, c) })
	}
}
