package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// identical fails unless the bits are the same.
func identical(t testing.TB, what string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		if math.Float64bits(got[i]) != math.Float64bits(v) {
			t.Fatalf("%s: entry %d is %v, want %v", what, i, got[i], v)
		}
	}
}

// chain adds AB to c by its definition: one fused multiply-add after the other.
func chain(m, n, k int, a factor, b []float64, bs int, c []float64, cs int) {
	for i := range m {
		for j := range n {
			for l := range k {
				c[i*cs+j] = math.FMA(a.x[i*a.row+l*a.deep], b[l*bs+j], c[i*cs+j])
			}
		}
	}
}

// hard returns numbers whose sums round, some of them 0, -0, tiny or large.
func hard(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		switch x[i] = r.NormFloat64(); r.IntN(40) {
		case 0:
			x[i] = 0
		case 1:
			x[i] = math.Copysign(0, -1)
		case 2:
			x[i] *= 1e-310
		case 3:
			x[i] *= 1e150
		}
	}
	return x
}

// All shapes to 70 x 24, both orders of a, rows with a gap between them, all places
// in a cache line. What lies around c stays.
func TestStrips(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 10))
		a, b, c := hard(r, 80*80), hard(r, 80*40), hard(r, 80*40)
		got, want := make([]float64, len(c)), make([]float64, len(c))
		for rows := 1; rows <= 70; rows++ {
			for cols := 1; cols <= stripCols; cols++ {
				for _, deep := range []int{1, 2, 3, 8, 33} {
					f := factorOf(a[r.IntN(8):], deep+r.IntN(9), 1)
					if r.IntN(2) == 0 {
						f.row, f.deep = 1, rows+r.IntN(9)
					}
					b, bs := b[r.IntN(8):], cols+r.IntN(9)
					at, cs := 8+r.IntN(8), cols+r.IntN(9)
					copy(got, c)
					copy(want, c)
					if f.sets = r.IntN(2) == 0; f.sets {
						for i := range rows {
							for j := range cols {
								got[at+i*cs+j], want[at+i*cs+j] = math.NaN(), 0
							}
						}
					}
					strip(rows, cols, deep, f, b, bs, got[at:], cs)
					chain(rows, cols, deep, f, b, bs, want[at:], cs)
					identical(t, fmt.Sprintf("%d x %d, depth %d", rows, cols, deep), got, want)
				}
			}
		}
	})
}

// The products across the edges of their blocks, and where rows are a power of
// two apart: each entry is the same chain.
func TestProductsAreChains(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 11))
		for _, m := range []int{1, 5, 24, 25, 51, 70, stripRows + 3} {
			for _, n := range []int{1, 8, 25, 31, 64, 70} {
				for _, k := range []int{0, 1, 63, 65, stripDeep, stripDeep + 1} {
					at := fmt.Sprintf("%d x %d, depth %d", m, n, k)
					a, b, bT, start := hard(r, m*k), hard(r, k*n), make([]float64, n*k), hard(r, m*n)
					for i := range bT {
						bT[i] = b[i%k*n+i/k]
					}
					aT := make([]float64, k*m)
					for i := range aT {
						aT[i] = a[i%m*k+i/m]
					}
					got, want := append([]float64(nil), start...), make([]float64, m*n)
					chain(m, n, k, factorOf(a, k, 1), b, n, want, n)
					Mul(m, n, k, a, b, got)
					identical(t, "AB "+at, got, want)
					lower, factors := random(r, m*m), random(r, m*n)
					for i := range m {
						clear(lower[i*m+i+1:][:m-i-1])
					}
					MulLower(m, n, lower, factors, got)
					Mul(m, n, m, lower, factors, want)
					identical(t, "LB "+at, got, want)
					clear(want)
					chain(m, n, k, factorOf(a, k, 1), b, n, want, n)
					copy(got, start)
					MulT(m, n, k, a, bT, got)
					identical(t, "AB' "+at, got, want)
					copy(got, start)
					copy(want, start)
					chain(m, n, k, factorOf(a, k, 1), b, n, want, n)
					AddTMul(k, m, n, aT, b, got)
					identical(t, "A'B "+at, got, want)
				}
			}
		}
		for _, n := range []int{1, 2, 7, 8, 9, 24, 25, 47, 64, 70, 130, 320} {
			for _, m := range []int{1, 9, stripDeep + 1} {
				a, b, start := hard(r, m*n), hard(r, m*n), hard(r, n*n)
				got, want := append([]float64(nil), start...), append([]float64(nil), start...)
				AddGram(m, n, a, b, got)
				chain(n, n, m, factorOf(a, 1, n), b, n, want, n)
				for i := range n {
					identical(t, fmt.Sprintf("A'A of %d x %d, row %d", m, n, i), got[i*n:][:i+1], want[i*n:][:i+1])
				}
				GramT(n, m, a, got)
				MulT(n, n, m, a, a, want)
				for i := range n {
					identical(t, fmt.Sprintf("AA' of %d x %d, row %d", n, m, i), got[i*n:][:i+1], want[i*n:][:i+1])
				}
			}
		}
	})
}

// What lies above the diagonal does not depend on the instructions either.
func TestGramIsTheSameEverywhere(t *testing.T) {
	var want []float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 12))
		var got []float64
		for n := 1; n <= 70; n++ {
			a, c := hard(r, 30*n), hard(r, n*n)
			AddGram(30, n, a, a, c)
			got = append(got, c...)
		}
		if want == nil {
			want = got
		}
		identical(t, "all orders", got, want)
	})
}
