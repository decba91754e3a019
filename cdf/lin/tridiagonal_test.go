package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Determinant and quadratic form of A + shift I against those of Cholesky's
// factor of it, for Gram matrices of full rank and of half of it; a shift
// that leaves A indefinite is refused.
func TestTridiagonal(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{1, 2, 3, 7, 40, 101} {
		for _, k := range []int{2 * n, max(n/2, 1)} {
			what := fmt.Sprintf("order %d of %d rows", n, k)
			b, h := random(r, k*n), random(r, n)
			g := make([]float64, n*n)
			AddGram(k, n, b, b, g)
			a, q := slices.Clone(g), slices.Clone(h)
			d, off := make([]float64, n), make([]float64, n)
			Tridiagonal(n, a, q, d, off, make([]float64, n))
			near(t, what+": length of h", Dot(q, q), Dot(h, h), 1e-13*float64(n)*(1+Dot(h, h)))
			for _, shift := range []float64{.01, 1, 300} {
				l, u, want := slices.Clone(g), slices.Clone(h), 0.
				for i := range n {
					l[i*n+i] += shift
				}
				if !Cholesky(n, l) {
					t.Fatal(what + ": not positive definite")
				}
				SolveLower(n, l, u)
				for i := range n {
					want += 2 * math.Log(l[i*n+i])
				}
				det, quadratic, ok := ShiftedSolve(d, off, q, shift)
				if !ok {
					t.Fatalf("%s, shift %v: refused", what, shift)
				}
				near(t, what+": log determinant", det, want, 1e-11*(1+math.Abs(want)))
				near(t, what+": quadratic form", quadratic, Dot(u, u), 1e-11*(1+Dot(u, u)))
			}
			if _, _, ok := ShiftedSolve(d, off, q, -2*g[0]-1e-9); ok {
				t.Errorf("%s: an indefinite matrix is solved", what)
			}
		}
	}
}

func TestTridiagonalAllocatesNothing(t *testing.T) {
	const n = 20
	a, h := random(rand.New(rand.NewPCG(9, 9)), n*n), make([]float64, n)
	d, off, work := make([]float64, n), make([]float64, n), make([]float64, n)
	if allocs := testing.AllocsPerRun(10, func() { Tridiagonal(n, a, h, d, off, work); ShiftedSolve(d, off, h, 1) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
