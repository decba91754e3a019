package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// used returns room whose numbers nobody may look at.
func used(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tol)
	}
}

func TestVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 11 {
		x, y, w := random(r, n), random(r, n), random(r, 3*n)
		dot, axpy := 0.0, slices.Clone(y)
		for i := range x {
			dot += x[i] * y[i]
			axpy[i] += 2 * x[i]
		}
		near(t, "dot", Dot(x, y), dot, 1e-14)
		got := slices.Clone(y)
		Axpy(2, x, got)
		if !slices.Equal(got, axpy) {
			t.Errorf("axpy of %d: %v, want %v", n, got, axpy)
		}
		squares := 0.0
		for k := range 3 {
			s := 0.0
			for i := range x {
				s += w[k*n+i] * x[i]
			}
			squares += s * s
		}
		near(t, "sum of squares", SumSquares(w, x), squares, 1e-13*(1+squares))
	}
	if !Finite(1, -1e308) || Finite(1, math.Inf(1), 2) || Finite(math.NaN()) {
		t.Error("Finite is wrong")
	}
}

// block lays rows x n numbers out as UpdateQR takes them: after the last row anything may stand.
func block(rows, n int, x []float64) []float64 {
	b := make([]float64, BlockLen(rows, n))
	for i := range b {
		b[i] = math.NaN()
	}
	for i := range rows {
		PutRow(b, i, Row(x, n, i)[:n-1], x[(i+1)*n-1])
	}
	return b
}

// gram returns r'r of a packed factor.
func gram(r []float64, n int) []float64 {
	g := make([]float64, n*n)
	for k := range n {
		row := r[PackedRow(n, k):PackedRow(n, k+1)]
		for i := k; i < n; i++ {
			for j := k; j < n; j++ {
				g[i*n+j] += row[i-k] * row[j-k]
			}
		}
	}
	return g
}

func TestUpdateQRKeepsTheGramMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 6, 40} {
		factor, want := make([]float64, PackedLen(n)), make([]float64, n*n)
		total := 0.0
		for _, rows := range []int{1, 0, 2, 7, 100} {
			b := random(r, rows*n)
			for i := range rows {
				x := Row(b, n, i)
				if n > 3 {
					x[2], x[3] = 0, x[1] // a column of zeros and a repeated one
				}
				for i, v := range x {
					Axpy(v, x, Row(want, n, i))
				}
			}
			total += float64(rows)
			UpdateQR(factor, n, block(rows, n, b), rows)
		}
		for i, v := range gram(factor, n) {
			near(t, fmt.Sprintf("order %d, entry %d", n, i), v, want[i], 1e-13*total)
		}
		if n > 3 {
			for i := range 3 {
				if v := factor[PackedRow(n, i)+2-i]; v != 0 {
					t.Errorf("order %d: the zero column holds %v", n, v)
				}
			}
		}
	}
}

func TestUpdateQRIgnoresWhatWouldOverflow(t *testing.T) {
	factor := make([]float64, PackedLen(2))
	UpdateQR(factor, 2, block(2, 2, []float64{1e-156, 1, 0, 2}), 2)
	if !Finite(factor...) {
		t.Errorf("factor %v", factor)
	}
}

func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 3, 17} {
		b := random(r, 2*n*n)
		a, x := make([]float64, n*n), random(r, n)
		for i := range n {
			for j := range n {
				a[i*n+j] = Dot(b[i*2*n:(i+1)*2*n], b[j*2*n:(j+1)*2*n])
			}
		}
		l, y := slices.Clone(a), make([]float64, n)
		for i := range n {
			y[i] = Dot(Row(a, n, i), x)
		}
		if !Cholesky(n, l) {
			t.Fatalf("order %d is positive definite", n)
		}
		SolveLower(n, l, y)
		SolveLowerT(n, l, y)
		for i := range n {
			near(t, "solution", y[i], x[i], 1e-10)
		}
	}
	if Cholesky(2, []float64{1, 0, 2, 1}) || Cholesky(1, []float64{math.NaN()}) || Cholesky(1, []float64{math.Inf(1)}) {
		t.Error("an indefinite matrix has a factor")
	}
}

func TestNothingAllocates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{6, 32, 140} {
		src, b := random(r, n*n), block(20, n, random(r, 20*n))
		a, v, d := make([]float64, n*BidiagonalStride(n)), make([]float64, n*n), make([]float64, 3*n)
		factor, work := make([]float64, PackedLen(n)), make([]float64, max(BidiagonalWork(n), RidgeWork(n)))
		if k := testing.AllocsPerRun(20, func() {
			copy(a, src)
			Bidiagonal(n, a, d[:n], d[n:2*n], d[2*n:], work)
			RightVectors(n, a, d[2*n:], v, work)
			UpdateQR(factor, n, b, 20)
			Ridge(n-1, factor, work)
			InvertPacked(n-1, factor, v)
		}); k != 0 {
			t.Errorf("order %d: %v allocations", n, k)
		}
	}
}
