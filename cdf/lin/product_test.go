package lin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A product without rows needs no room, however wide it is, and one without depth is 0.
func TestProductsOfNothing(t *testing.T) {
	for _, n := range []int{1, stripCols, stripCols + 1, 200} {
		b, c := make([]float64, 3*n), []float64{1, 2}
		Mul(0, n, 3, nil, b, nil)
		MulT(0, n, 3, nil, b, nil)
		AddTMul(3, 0, n, nil, b, nil)
		Mul(2, 1, 0, nil, nil, c)
		if c[0] != 0 || c[1] != 0 {
			t.Errorf("a product of no depth is %v", c)
		}
	}
}

// Every remainder of the tiles, against gonum's own products.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, m := range []int{0, 1, 3, 4, 5, 9, 70, 131} {
		for _, n := range []int{1, 2, 3, 7, 200} {
			for _, k := range []int{1, 2, 5, 8} {
				at := fmt.Sprintf("%d x %d x %d", m, n, k)
				a, b, c := random(r, m*k+1), random(r, n*k), random(r, m*n+1)
				guard := c[m*n]
				MulT(m, n, k, a[:m*k], b, c)
				if c[m*n] != guard {
					t.Errorf("%s: AB' writes beyond its end", at)
				}
				var want mat.Dense
				if m > 0 {
					want.Mul(mat.NewDense(m, k, a[:m*k]), mat.NewDense(n, k, b).T())
				}
				for i := range m * n {
					near(t, at+": AB'", c[i], want.At(i/n, i%n), 1e-13)
				}

				a, b, c = random(r, m*n+1), random(r, m*k+1), random(r, n*k)
				start := append([]float64(nil), c...)
				AddTMul(m, n, k, a[:m*n], b[:m*k], c)
				rows := append([]float64(nil), start[:k]...)
				AddRows(m, k, b[:m*k], rows)
				for j, got := range rows {
					want := start[j]
					for l := range m {
						want += b[l*k+j]
					}
					if got != want {
						t.Errorf("%s: rows add up to %v in column %d, want %v", at, got, j, want)
					}
				}
				for i := range n * k {
					sum := start[i]
					for l := range m {
						sum += a[l*n+i/k] * b[l*k+i%k]
					}
					near(t, at+": A'B", c[i], sum, 1e-12)
				}
			}
		}
		for _, k := range []int{1, 2, 3, 6, 11} {
			a, w, c := random(r, m*k+1), random(r, m), random(r, k*k)
			b, start := make([]float64, m*k), append([]float64(nil), c...)
			for i := range b {
				b[i] = a[i] * w[i/k]
			}
			AddGram(m, k, b, a[:m*k], c)
			for i := range k {
				for j := range i + 1 {
					sum := start[i*k+j]
					for l := range m {
						sum += w[l] * a[l*k+i] * a[l*k+j]
					}
					near(t, "A'WA", c[i*k+j], sum, 1e-12)
				}
			}
		}
	}
}

func TestInvertLower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, n := range []int{1, 2, 5, 12} {
		l, inverse := random(r, n*n), random(r, n*n)
		for i := range n {
			l[i*n+i] += 3 // well conditioned; what is above the diagonal is not read
		}
		InvertLower(n, l, inverse)
		for i := range n {
			for j := range n {
				sum, want := 0.0, 0.0
				for k := range i + 1 {
					sum += l[i*n+k] * inverse[k*n+j]
				}
				if i == j {
					want = 1
				}
				near(t, "L L^-1", sum, want, 1e-12)
				if j > i && inverse[i*n+j] != 0 {
					t.Errorf("entry %d, %d above the diagonal is %v", i, j, inverse[i*n+j])
				}
			}
		}
		Mirror(n, l)
		for i := range n {
			for j := range i {
				if l[i*n+j] != l[j*n+i] {
					t.Errorf("%d, %d is not mirrored", i, j)
				}
			}
		}
	}
}

// Nothing of this allocates, however large.
func TestProductsDoNotAllocate(t *testing.T) {
	a, b, c := make([]float64, 300*20), make([]float64, 300*20), make([]float64, 300*300)
	if n := testing.AllocsPerRun(10, func() {
		MulT(300, 300, 20, a, b, c)
		AddTMul(300, 20, 20, a, b, c)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMirror(t *testing.T) {
	for _, n := range []int{0, 1, 2, 23, 24, 25, 26, 47, 48, 53, 100} {
		a := make([]float64, n*n)
		for i := range a {
			a[i] = float64(i)
		}
		Mirror(n, a)
		for i := range n {
			for j := range n {
				if want := float64(max(i, j)*n + min(i, j)); a[i*n+j] != want {
					t.Fatalf("%d x %d: entry %d, %d is %v, want %v", n, n, i, j, a[i*n+j], want)
				}
			}
		}
	}
}
