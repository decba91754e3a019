package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// definite returns a symmetric positive definite matrix.
func definite(r *rand.Rand, n int) []float64 {
	x, a := random(r, 2*n*n), make([]float64, n*n)
	AddGram(2*n, n, x, x, a)
	for i := range n {
		a[i*n+i]++
	}
	return a
}

// All orders to 75 and beyond the depth of a strip, against Cholesky and
// InvertLower: the same bits in one strip, 1e-10 beyond.
func TestFactorInverse(t *testing.T) {
	orders := []int{stripDeep + stripCols, stripDeep + stripCols + 1, 200, 256}
	for n := range 76 {
		orders = append(orders, n)
	}
	var first [][]float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 13))
		for i, n := range orders {
			at, a := fmt.Sprint("order ", n), definite(r, n)
			l, want := append([]float64(nil), a...), make([]float64, n*n)
			if !choleskyRows(n, l) {
				t.Fatal(at)
			}
			InvertLower(n, l, want)
			got := random(r, n*n)
			if !FactorInverse(n, a, got) {
				t.Fatalf("%s: not positive definite", at)
			}
			most := 0.0
			for i := range n {
				most = max(most, want[i*n+i])
				for j := range i + 1 {
					near(t, at+": L", a[i*n+j], l[i*n+j], 1e-10*l[i*n+i])
				}
			}
			for i, v := range want {
				near(t, at+": inverse", got[i], v, 1e-10*most)
			}
			if n <= stripCols {
				identical(t, at, got, want)
			}
			if len(first) <= i {
				first = append(first, got)
			}
			identical(t, at+" with other instructions", got, first[i])
		}
	})
}

// All orders to 75 and beyond the depth of a strip, against row after row: the same
// bits to 24, 1e-10 beyond, and nothing above the diagonal is touched.
func TestCholeskyByStrips(t *testing.T) {
	orders := []int{stripDeep + stripCols, stripDeep + stripCols + 1, 200, 256}
	for n := range 76 {
		orders = append(orders, n)
	}
	var first [][]float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 18))
		for i, n := range orders {
			at, a := fmt.Sprint("order ", n), definite(r, n)
			for i := range n {
				for j := i + 1; j < n; j++ {
					a[i*n+j] = math.NaN()
				}
			}
			want := append([]float64(nil), a...)
			if !Cholesky(n, a) || !choleskyRows(n, want) {
				t.Fatal(at)
			}
			for i := range n {
				for j := range i + 1 {
					near(t, at, a[i*n+j], want[i*n+j], 1e-10*want[i*n+i])
				}
				for j := i + 1; j < n; j++ {
					if !math.IsNaN(a[i*n+j]) {
						t.Fatalf("%s: %d, %d was written", at, i, j)
					}
				}
			}
			if n <= stripCols {
				identical(t, at, a, want)
			}
			if len(first) <= i {
				first = append(first, a)
			}
			identical(t, at+" with other instructions", a, first[i])
		}
	})
}

// Indefinite matrices are found wherever their first wrong pivot is.
func TestFactorInverseRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 14))
	const n = 60
	for _, pivot := range []int{0, 23, 24, 47, 48, 59} {
		for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
			a := definite(r, n)
			a[pivot*n+pivot] = v
			if Cholesky(n, append([]float64(nil), a...)) || FactorInverse(n, a, make([]float64, n*n)) {
				t.Errorf("pivot %d is %v, and nothing is said", pivot, v)
			}
		}
	}
}

func TestFactorInverseDoesNotAllocate(t *testing.T) {
	a, dst := definite(rand.New(rand.NewPCG(1, 15)), 100), make([]float64, 100*100)
	work := make([]float64, len(a))
	if n := testing.AllocsPerRun(10, func() {
		copy(work, a)
		FactorInverse(100, work, dst)
		copy(work, a)
		Cholesky(100, work)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
