package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// checkEigen compares V'diag(d)V with the matrix, V with an orthogonal one
// and d with LAPACK's eigenvalues.
func checkEigen(t *testing.T, what string, n int, src []float64) {
	t.Helper()
	v, d := slices.Clone(src), make([]float64, n)
	if !Eigen(n, v, d, make([]float64, EigenWork(n))) {
		t.Fatalf("%s did not converge", what)
	}
	top, tol := 0., 1e-14*float64(n)
	for _, x := range d {
		top = max(top, math.Abs(x))
	}
	for i := range n {
		for j := range i + 1 {
			unit, sum := 0., 0.
			if i == j {
				unit = 1
			}
			near(t, what+": VV'", Dot(Row(v, n, i), Row(v, n, j)), unit, tol)
			for k := range n {
				sum += d[k] * v[k*n+i] * v[k*n+j]
			}
			near(t, what+": V'diag(d)V", sum, src[i*n+j], tol*top)
		}
	}
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sym.SetSym(i, j, src[i*n+j])
		}
	}
	var ref mat.EigenSym
	ref.Factorize(sym, false)
	want := ref.Values(nil)
	slices.Sort(d)
	for k := range d {
		near(t, what+": eigenvalue", d[k], want[k], tol*top)
	}
}

func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 2, 3, 4, 7, eigenPasses - 1, eigenPasses, 101} {
		checkEigen(t, fmt.Sprintf("order %d", n), n, random(r, n*n))
		// A Gram matrix of rank n/2 has as many equal eigenvalues, near 0.
		b, k := random(r, n*n), max(n/2, 1)
		g := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				g[i*n+j] = Dot(b[i*n:i*n+k], b[j*n:j*n+k])
			}
		}
		checkEigen(t, fmt.Sprintf("rank %d of %d", k, n), n, g)
		clear(g)
		checkEigen(t, fmt.Sprintf("zero of order %d", n), n, g)
		for i := range n {
			g[i*n+i] = float64(i % 3)
		}
		checkEigen(t, fmt.Sprintf("diagonal of order %d", n), n, g)
		for i := range g {
			g[i] = 1e12
		}
		checkEigen(t, fmt.Sprintf("constant of order %d", n), n, g)
	}
	bad := []float64{1, 0, math.NaN(), 1}
	if Eigen(2, bad, make([]float64, 2), make([]float64, EigenWork(2))) {
		t.Error("a NaN converged")
	}
}

func TestEigenAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const n = 40
	src := random(r, n*n)
	a, d, work := make([]float64, n*n), make([]float64, n), make([]float64, EigenWork(n))
	if k := testing.AllocsPerRun(10, func() {
		copy(a, src)
		Eigen(n, a, d, work)
	}); k != 0 {
		t.Errorf("%v allocations", k)
	}
}

// The order that a sketch of 110 rows and a shard of 100 make.
func BenchmarkEigen(b *testing.B) {
	const n = 211
	r := rand.New(rand.NewPCG(8, 8))
	x, src := random(r, n*500), make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			src[i*n+j] = Dot(Row(x, 500, i), Row(x, 500, j))
		}
	}
	a, d, work := make([]float64, n*n), make([]float64, n), make([]float64, EigenWork(n))
	for b.Loop() {
		copy(a, src)
		Eigen(n, a, d, work)
	}
}

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
