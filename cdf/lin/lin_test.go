package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func random(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
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
			if n > 3 {
				clear(b[2*rows : 3*rows])                // a column of zeros
				copy(b[3*rows:4*rows], b[1*rows:2*rows]) // a repeated column
			}
			for i := range n {
				for j := range n {
					want[i*n+j] += Dot(Row(b, rows, i), Row(b, rows, j))
				}
			}
			total += float64(rows)
			UpdateQR(factor, n, b, rows)
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
	UpdateQR(factor, 2, []float64{1e-156, 0, 1, 2}, 2)
	if !Finite(factor...) {
		t.Errorf("factor %v", factor)
	}
}

// checkSVD compares U diag(d) V' with the matrix and both bases with
// orthogonal ones, relative to each column's own size.
func checkSVD(t *testing.T, n int, src []float64, tol float64) {
	t.Helper()
	a, v, d := slices.Clone(src), make([]float64, n*n), make([]float64, n)
	if !SVD(n, a, v, d, make([]float64, SVDWork(n))) {
		t.Fatalf("order %d did not converge", n)
	}
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = 1
			}
			near(t, "V'V", Dot(Row(v, n, i), Row(v, n, j)), want, tol)
			if scale := d[i] * d[j]; scale > 0 {
				near(t, "U'U", Dot(Row(a, n, i), Row(a, n, j))/scale, want, tol)
			}
		}
	}
	top := slices.Max(d)
	for i := range n {
		for j := range n {
			s := 0.0
			for k := range n {
				s += a[k*n+i] * v[k*n+j]
			}
			near(t, "U diag(d) V'", s, src[j*n+i], tol*top)
		}
	}
	var ref mat.SVD
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			m.Set(i, j, src[j*n+i])
		}
	}
	ref.Factorize(m, mat.SVDNone)
	want := ref.Values(nil)
	slices.Sort(d)
	slices.Reverse(d)
	for k := range d {
		near(t, "singular value", d[k], want[k], tol*top)
	}
}

func TestSVD(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 2, 5, 20, JacobiMax, JacobiMax + 1, 50} {
		src := make([]float64, n*n)
		for j := range n {
			for i := range j + 1 {
				src[j*n+i] = r.NormFloat64()
			}
		}
		checkSVD(t, n, src, 1e-13*float64(n))
	}
}

// Columns seven orders apart, a zero column and two equal ones: what wide and
// narrow priors, late columns and collinear ones make.
func TestSVDOfHardMatrices(t *testing.T) {
	n := 4
	checkSVD(t, n, []float64{1e7, 0, 0, 0, 3, 1, 0, 0, 2, 1, 1, 0, 5, 1, 1, 1}, 1e-14)
	checkSVD(t, n, []float64{2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 3, 0, 1, 1, 3, 0}, 1e-14)
	checkSVD(t, n, make([]float64, 16), 0)
	// One row: every column has the same direction.
	checkSVD(t, n, []float64{.3, 0, 0, 0, -1.7, 0, 0, 0, 2.9, 0, 0, 0, .0001, 0, 0, 0}, 1e-14)
	for _, n := range []int{3, JacobiMax + 1} {
		bad := make([]float64, n*n)
		bad[1] = math.NaN()
		if SVD(n, bad, make([]float64, n*n), make([]float64, n), make([]float64, SVDWork(n))) {
			t.Errorf("order %d: a NaN converged", n)
		}
	}
}

// A zero column is not mixed with the others: its direction stays its own.
func TestSVDLeavesAZeroColumnAlone(t *testing.T) {
	a := []float64{2, 0, 0, 0, 0, 0, 1, 0, 3}
	v, d := make([]float64, 9), make([]float64, 3)
	if !SVD(3, a, v, d, nil) || d[1] != 0 || !slices.Equal(v[3:6], []float64{0, 1, 0}) {
		t.Errorf("values %v, directions %v", d, v)
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
	for _, n := range []int{6, 32} {
		src, b := random(r, n*n), random(r, 20*n)
		a, v, d := make([]float64, n*n), make([]float64, n*n), make([]float64, n)
		factor := make([]float64, PackedLen(n))
		if k := testing.AllocsPerRun(20, func() {
			copy(a, src)
			SVD(n, a, v, d, nil)
			UpdateQR(factor, n, b, 20)
		}); k != 0 {
			t.Errorf("order %d: %v allocations", n, k)
		}
	}
}
