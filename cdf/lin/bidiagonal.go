package lin

import "math"

// BidiagonalWork returns the length of the work slice that Bidiagonal and
// RightVectors need for order n.
func BidiagonalWork(n int) int { return 3*vectorsCols*n + 4*n + 2*BidiagonalStride(n) }

// BidiagonalStride returns how many entries lie from row to row of the matrix that
// Bidiagonal takes: n+1, but beyond few columns whole vectors, so that rows begin
// where lines of a cache do. Those of 512 bytes would meet in few places of it.
func BidiagonalStride(n int) int {
	if n < wholeVectors {
		return n + 1
	}
	stride := (n + 8) / 8 * 8
	if stride%64 == 0 {
		stride += 8
	}
	return stride
}

// wholeVectors is the order from which Bidiagonal works on whole vectors.
const wholeVectors = 16

// Bidiagonal factors the n x (n+1) matrix A = U B V', where B has off on its
// diagonal, diag above it and nothing elsewhere, and V is 1 in the first entry:
// the first column of A is off[0] times that of U. So, for A = [z X],
// U'z = off[0] e_1 and U'X V is lower bidiagonal, with diag on the diagonal and
// off[1:] below. a holds A row-major, its rows BidiagonalStride(n) apart, and
// leaves the reflections of V, tau their factors; work has BidiagonalWork(n)
// entries.
//
// Householder reflections from both sides; Golub and Van Loan, Matrix
// Computations, section 5.4.8. It takes 8/3 n^3 operations and is in the place
// of singular values with their vectors, by Jacobi's rotations at orders 6 and
// 20, by LAPACK at 50: 8, 25 and 13 times as fast. Sums of functions of
// X'X + shift cost O(n) each from here.
//
// A step reads and writes the matrix once: a few rows at a time, their product
// with the reflection from the right, then what they add to the product with
// the next one from the left, of which only the first entry is not known yet
// and is made good for afterwards. Against a pass over memory for each product,
// without vectors, 1.2, 2.1 and 2.8 times as fast at orders 21, 51 and 501
// (BenchmarkReductions).
func Bidiagonal(n int, a, diag, off, tau, work []float64) {
	if n == 0 {
		return
	}
	stride := BidiagonalStride(n)
	align, end := 7, stride
	if n < wholeVectors {
		align, end = 0, n+1
	}
	// w and y have an entry for each column of a. Passes may begin with columns that
	// are done with: there the row is 0, and nobody looks at the others.
	w, y, v, x := work[:end], work[end:2*end], work[2*end:2*end+n], work[2*end+n:2*end+2*n]
	clear(x)
	clear(w)
	clear(y)
	below := 0.0
	for r := range n {
		v[r] = a[r*stride]
		if r > 0 {
			below += float64(v[r] * v[r])
		}
		clear(a[r*stride+n+1 : r*stride+end])
	}
	from := 1 &^ align
	subSum(n, end-from, stride, a[from:], x, w[from:], v, y[from:])
	for i := range n {
		first := v[i]
		beta, c := householder(v[i:], below)
		off[i] = beta
		// y holds the sums of a with the column that v was. They differ in the
		// first row, by first - v_i.
		from, rest := (i+1)&^align, a[i*stride:][:end]
		clear(rest[from : i+1])
		row := rest[i+1 : n+1]
		first -= v[i]
		for k, e := range row {
			w[i+1+k] = float64(c * (y[i+1+k] - float64(first*e)))
		}
		Axpy(-v[i], w[i+1:n+1], row)
		diag[i], tau[i] = householder(row, Dot(row[1:], row[1:]))
		if i+1 == n {
			break
		}
		next := (i + 2) &^ align
		clear(y[next:])
		below = 0
		for r, m := i+1, 0; r < n; r += m {
			m = min(max(passNear/(n-i), 8), n-r)
			rows := a[r*stride:]
			subDot(m, end-from, stride, rows[from:], v[r:], w[from:], rest[from:], x[r:])
			for k := r; k < r+m; k++ {
				x[k] *= tau[i]
				e := a[k*stride+i+1] - float64(x[k]*row[0])
				v[k] = e
				if k > i+1 {
					below += float64(e * e)
				}
			}
			subSum(m, end-next, stride, rows[next:], x[r:], rest[next:], v[r:], y[next:])
		}
	}
}

// householder replaces x by the v of the reflection I - c v v' that sends x to
// beta e_1. below is the squared length of x without its first entry. Where
// there is nothing to do c is 0.
func householder(x []float64, below float64) (beta, c float64) {
	alpha := x[0]
	square := float64(alpha*alpha) + below
	if below == 0 || square < reflectMin {
		return alpha, 0
	}
	// beta takes the sign that avoids cancellation in alpha-beta.
	beta = -math.Copysign(math.Sqrt(square), alpha)
	x[0] = alpha - beta
	return beta, -1 / (beta * x[0])
}
