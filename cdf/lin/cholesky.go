package lin

import "math"

// Cholesky overwrites the lower triangle of the n x n matrix a with L,
// LL' = A; the upper triangle is neither read nor written. It reports whether
// A is positive definite; if not, a is left half done.
func Cholesky(n int, a []float64) bool { return cholesky(n, a, n) }

// cholesky does so where as entries lie between the rows of a.
func cholesky(n int, a []float64, as int) bool {
	for i := range n {
		ri := a[i*as : i*as+i+1]
		for j := range i {
			rj := a[j*as : j*as+j+1]
			ri[j] = (ri[j] - Dot(ri[:j], rj)) / rj[j]
		}
		pivot := ri[i] - Dot(ri[:i], ri)
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		ri[i] = math.Sqrt(pivot)
	}
	return true
}

// SolveLower overwrites x with the solution of L x = b, where b is x on
// entry and l holds L in its lower triangle.
func SolveLower(n int, l, x []float64) {
	for i := range n {
		x[i] = (x[i] - Dot(l[i*n:i*n+i], x)) / l[i*n+i]
	}
}

// SolveLowerT overwrites x with the solution of L'x = b, where b is x on
// entry and l holds L in its lower triangle.
func SolveLowerT(n int, l, x []float64) {
	for i := n - 1; i >= 0; i-- {
		x[i] /= l[i*n+i]
		Axpy(-x[i], l[i*n:i*n+i], x)
	}
}
