package lin

import (
	"fmt"
	"gonum.org/v1/gonum/mat"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// bidiagonal runs Bidiagonal and RightVectors on a copy of src.
func bidiagonal(n int, src []float64) (diag, off, v []float64) {
	stride := BidiagonalStride(n)
	a, work, tau := make([]float64, n*stride), make([]float64, BidiagonalWork(n)), make([]float64, n)
	for i := range a {
		a[i] = math.NaN() // between rows anything may stand
	}
	for i := range n {
		copy(a[i*stride:], src[i*(n+1):(i+1)*(n+1)])
	}
	diag, off, v = make([]float64, n), make([]float64, n), make([]float64, n*n)
	Bidiagonal(n, a, diag, off, tau, work)
	RightVectors(n, a, tau, v, work)
	return diag, off, v
}

// checkBidiagonal compares A'A with what B and V say of it, V'V with the
// identity, and the singular values of B, without its first column, with those
// of A without its own.
func checkBidiagonal(t *testing.T, name string, n int, src []float64) {
	t.Helper()
	diag, off, v := bidiagonal(n, src)
	a := mat.NewDense(n, n+1, src)
	b, vv := mat.NewDense(n, n+1, nil), mat.NewDense(n+1, n+1, nil)
	vv.Set(0, 0, 1)
	for i := range n {
		b.Set(i, i, off[i])
		b.Set(i, i+1, diag[i])
		for j := range n {
			vv.Set(i+1, j+1, v[i*n+j])
		}
	}
	tol := 4e-15 * float64(n)
	var one, left, right, w mat.Dense
	one.Mul(vv.T(), vv)
	w.Mul(b, vv.T())
	left.Mul(a.T(), a)
	right.Mul(w.T(), &w)
	top := mat.Norm(&left, 2)
	for i := range n + 1 {
		for j := range n + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			near(t, name+": V'V", one.At(i, j), want, tol)
			near(t, name+": A'A", right.At(i, j), left.At(i, j), tol*top)
		}
	}
	values := func(m *mat.Dense) []float64 {
		var s mat.SVD
		if !s.Factorize(m.Slice(0, n, 1, n+1), mat.SVDNone) {
			t.Fatal(name)
		}
		return s.Values(nil)
	}
	got, want := values(b), values(a)
	for i := range got {
		near(t, name+": singular value", got[i], want[i], tol*math.Sqrt(top))
	}
}

func TestBidiagonal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 9, 20, 24, 25, 50, 140} {
		src := random(r, n*(n+1))
		checkBidiagonal(t, fmt.Sprintf("order %d", n), n, src)
		for i := range n { // as a factor is
			clear(src[i*(n+1)+1 : i*(n+1)+1+i])
		}
		checkBidiagonal(t, fmt.Sprintf("triangular of order %d", n), n, src)
		for i := range n { // condition 1e8, a column of zeros, two equal ones, fewer rows than columns
			row := src[i*(n+1) : (i+1)*(n+1)]
			row[1] *= 1e8
			row[1+n/2] = 0
			row[n] = row[1+n/3]
			if i > n/2 {
				clear(row)
			}
		}
		checkBidiagonal(t, fmt.Sprintf("hard of order %d", n), n, src)
		checkBidiagonal(t, fmt.Sprintf("zeros of order %d", n), n, make([]float64, n*(n+1)))
	}
}

// textbook makes a bidiagonal by a pass over the matrix for every product and
// every reflection.
func textbook(n int, a []float64) (diag, off []float64) {
	diag, off = make([]float64, n), make([]float64, n)
	at := func(i, j int) *float64 { return &a[i*(n+1)+j] }
	for i := range n {
		v := make([]float64, n)
		below := 0.0
		for r := i; r < n; r++ {
			if v[r] = *at(r, i); r > i {
				below += v[r] * v[r]
			}
		}
		c := 0.0
		off[i], c = householder(v[i:], below)
		for j := i + 1; j <= n; j++ {
			sum := 0.0
			for r := i; r < n; r++ {
				sum += v[r] * *at(r, j)
			}
			for r := i; r < n; r++ {
				*at(r, j) -= c * sum * v[r]
			}
		}
		row := a[i*(n+1)+i+1 : (i+1)*(n+1)]
		diag[i], c = householder(row, Dot(row[1:], row[1:]))
		for r := i + 1; r < n; r++ {
			Axpy(-c*Dot(row, a[r*(n+1)+i+1:]), row, a[r*(n+1)+i+1:])
		}
	}
	return diag, off
}

// The same against the textbook's, entry by entry, within 1e-10 of the largest. All instructions
// give the same bits, of the vectors and of what follows in a regression too.
func TestReductionsAreTheSameEverywhere(t *testing.T) {
	var want []float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 24))
		var all []float64
		for _, n := range []int{1, 2, 5, 8, 9, 16, 23, 40, 66, 127, 128, 150} {
			src := random(r, n*(n+1))
			diag, off, v := bidiagonal(n, src)
			d, o := textbook(n, slices.Clone(src))
			top := math.Sqrt(Dot(src, src))
			for i := range n {
				near(t, fmt.Sprintf("order %d: diagonal %d", n, i), diag[i], d[i], 1e-10*top)
				near(t, fmt.Sprintf("order %d: below %d", n, i), off[i], o[i], 1e-10*top)
			}
			factor, inverse := random(r, PackedLen(n+1)), make([]float64, n*n)
			Ridge(n, factor, make([]float64, RidgeWork(n)))
			InvertPacked(n, factor, inverse)
			dot, square := make([]float64, 9), make([]float64, 9)
			Spread(9, n, random(r, 9*n), inverse, random(r, n), dot, square)
			all = slices.Concat(all, diag, off, v, factor, inverse, dot, square)
		}
		if want == nil {
			want = all
		}
		identical(t, "all orders", all, want)
	})
}

// What is too small to be squared is left alone.
func TestBidiagonalDoesNotOverflow(t *testing.T) {
	diag, off, v := bidiagonal(2, []float64{1e-160, 1, 2, 1e-160, 1, 2.5})
	if !Finite(diag...) || !Finite(off...) || !Finite(v...) {
		t.Errorf("%v, %v, %v", diag, off, v)
	}
}

// Ridge against the same by one reflection after the other, and the inverse that follows from it.
func TestRidge(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 2, 3, 5, 6, 8, 9, 24, 25, 30, 48, 128, 140} {
		for _, scale := range []float64{0, 1, 1e8} {
			factor := random(r, PackedLen(n+1))
			for i := range n {
				factor[PackedRow(n+1, i)] *= 1e-3
				for j := range n + 1 - i {
					if k := PackedRow(n+1, i) + j; i+j == n/2 {
						factor[k] *= scale
					}
				}
			}
			want, last := slices.Clone(factor), factor[len(factor)-1]
			one := make([]float64, n*(n+1))
			for i := range n {
				one[i*(n+1)+i] = 1
			}
			reflectEach(want, n+1, one, n)
			Ridge(n, factor, used(RidgeWork(n)))
			if factor[len(factor)-1] != last {
				t.Errorf("order %d: the last row is %v, was %v", n, factor[len(factor)-1], last)
			}
			for i := range n {
				got, w := factor[PackedRow(n+1, i):PackedRow(n+1, i+1)], want[PackedRow(n+1, i):PackedRow(n+1, i+1)]
				for j := range got {
					unit := 0.0 // of the column
					for k := range i + j + 1 {
						unit = math.Hypot(unit, want[PackedRow(n+1, k)+i+j-k])
					}
					near(t, fmt.Sprintf("order %d, row %d, entry %d", n, i, j), got[j], w[j], 1e-12*unit)
				}
			}
			inverse, upper := used(n*n), make([]float64, n*n)
			InvertPacked(n, factor, inverse)
			for i := range n {
				copy(upper[i*n+i:(i+1)*n], factor[PackedRow(n+1, i):])
			}
			for i := range n {
				for j := range n {
					product, unit, one := 0.0, 1e-300, 0.0
					for k := range n {
						product += upper[i*n+k] * inverse[k*n+j]
						unit += math.Abs(upper[i*n+k] * inverse[k*n+j])
					}
					if i == j {
						one = 1
					}
					near(t, fmt.Sprintf("order %d: inverse %d, %d", n, i, j), product, one, 1e-14*unit)
				}
			}
		}
	}
}

// Against sums; all instructions give the same bits.
func TestSpread(t *testing.T) {
	var first [][]float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		at := 0
		for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 21, 23, 24, 25, 30, 31, 50, 128, 129, 140, 504, 505} {
			for _, m := range []int{0, 1, 3, 4, 5, 8, 11, 24, 40, 63, 64, 65, 72} {
				if n > 500 && m > 11 && m < 65 {
					continue
				}
				x, w, b := random(r, m*n), random(r, n*n), random(r, n)
				for i := range n {
					clear(w[i*n : i*n+i])
				}
				both := make([]float64, 2*m, 2*m+8)
				dot, square := both[:m], both[m:]
				Spread(m, n, x, w, b, dot, square)
				if slices.ContainsFunc(both[2*m:2*m+8], func(v float64) bool { return v != 0 }) {
					t.Fatalf("%d x %d: more than the rows has changed", m, n)
				}
				for i := range m {
					row, d, q := Row(x, n, i), 0.0, 0.0
					for k := range n {
						s := 0.0
						for j := range k + 1 {
							s += w[j*n+k] * row[j]
						}
						d += b[k] * row[k]
						q += s * s
					}
					near(t, fmt.Sprintf("%d x %d: dot %d", m, n, i), dot[i], d, 1e-13*float64(n))
					near(t, fmt.Sprintf("%d x %d: square %d", m, n, i), square[i], q, 1e-13*(1+q))
				}
				if at == len(first) {
					first = append(first, both)
				}
				identical(t, fmt.Sprintf("%d x %d, other instructions", m, n), both, first[at])
				at++
			}
		}
	})
}
