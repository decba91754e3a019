package lin

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// JacobiMax is the largest order whose singular values are found by Jacobi
// rotations, which are accurate relative to each column's own size. They cost
// half of LAPACK's at order 6, as much at 12 and half as much again at 32.
const JacobiMax = 32

// sweeps bounds the passes over all pairs of columns; 5 to 8 are usual.
const sweeps = 60

// SVDWork returns the length of the work slice that SVD needs for order n.
func SVDWork(n int) int {
	if n <= JacobiMax {
		return 0
	}
	return lapackWork(n)
}

func lapackWork(n int) int {
	var w [1]float64
	m := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	lapack64.Gesvd(lapack.SVDAll, lapack.SVDAll, m, m, m, nil, w[:], -1)
	return int(w[0]) + 2*n*n
}

// SVD factors the n x n matrix A = U diag(d) V'. a holds A column-major and
// leaves as U diag(d), a column of it per singular value; v leaves as V,
// column-major; d as the singular values in no promised order. work has
// SVDWork(n) entries. It reports whether the iteration converged, which
// finite matrices of ordinary size do.
func SVD(n int, a, v, d, work []float64) bool {
	if n > JacobiMax {
		return lapackSVD(n, a, v, d, work)
	}
	return jacobi(n, a, v, d)
}

// jacobi makes the columns of a orthogonal by rotating pairs of them
// (Hestenes), carrying the rotations along in v.
func jacobi(n int, a, v, d []float64) bool {
	clear(v[:n*n])
	for i := range n {
		v[i*n+i] = 1
	}
	for range sweeps {
		for j := range n {
			col := Row(a, n, j)
			d[j] = Dot(col, col)
		}
		if !sweep(n, a, v, d) {
			for j := range n {
				d[j] = math.Sqrt(d[j])
			}
			return Finite(d[:n]...)
		}
	}
	return false
}

// sweep rotates every pair of columns of a that is not orthogonal to working
// precision, and reports whether there was one. d holds their squared lengths.
func sweep(n int, a, v, d []float64) bool {
	tol := float64(n) * 0x1p-53
	rotated := false
	for i := 0; i < n-1; i++ {
		ai, vi := Row(a, n, i), Row(v, n, i)
		for j := i + 1; j < n; j++ {
			if d[i] == 0 || d[j] == 0 {
				// What rounding leaves of a dependent column shrinks in every
				// sweep and ends here, where no rotation could change it.
				continue
			}
			aj := Row(a, n, j)
			c := Dot(ai, aj)
			if !(math.Abs(c) > tol*math.Sqrt(d[i])*math.Sqrt(d[j])) {
				continue
			}
			rotated = true
			zeta := (d[j] - d[i]) / (2 * c)
			t := 0.5 / zeta
			if math.Abs(zeta) < 1e8 {
				t = math.Copysign(1, zeta) / (math.Abs(zeta) + math.Sqrt(1+float64(zeta*zeta)))
			}
			cos := 1 / math.Sqrt(1+float64(t*t))
			sin := cos * t
			rotate(cos, sin, ai, aj)
			rotate(cos, sin, vi, Row(v, n, j))
			shift := float64(t * c)
			d[i] = shorter(d[i], -shift, ai)
			d[j] = shorter(d[j], shift, aj)
		}
	}
	return rotated
}

// rotate replaces (x, y) by (cos x - sin y, sin x + cos y).
func rotate(cos, sin float64, x, y []float64) {
	y = y[:len(x)]
	for k, p := range x {
		q := y[k]
		x[k] = float64(cos*p) - float64(sin*q)
		y[k] = float64(sin*p) + float64(cos*q)
	}
}

// shorter returns the squared length of x, known to have been d before it
// changed by shift; where most of it cancelled it is computed anew.
func shorter(d, shift float64, x []float64) float64 {
	if n := d + shift; n > 0.01*d {
		return n
	}
	return Dot(x, x)
}

// lapackSVD reads the column-major a as the row-major A', whose left singular
// vectors are V and whose right ones U.
func lapackSVD(n int, a, v, d, work []float64) bool {
	if !Finite(a[:n*n]...) {
		return false
	}
	square := func(x []float64) blas64.General {
		return blas64.General{Rows: n, Cols: n, Stride: n, Data: x[:n*n]}
	}
	left, right, rest := work[:n*n], work[n*n:2*n*n], work[2*n*n:]
	if !lapack64.Gesvd(lapack.SVDAll, lapack.SVDAll, square(a), square(left), square(right), d[:n], rest, len(rest)) {
		return false
	}
	for j := range n {
		for i := range n {
			v[j*n+i] = left[i*n+j]
			a[j*n+i] = right[j*n+i] * d[j]
		}
	}
	return Finite(d[:n]...)
}
