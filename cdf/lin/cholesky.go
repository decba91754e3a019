package lin

import "math"

// Cholesky overwrites the lower triangle of the n x n matrix a with L,
// LL' = A; the upper triangle is neither read nor written. It reports whether
// A is positive definite; if not, a is left half done.
//
// Beyond order 24 it goes by strips. In turns with row after row, on one core of
// an EPYC (Zen 4), in us:
//
//	n      rows    AVX-512        AVX2
//	50     14.4    13.3 (1.1 x)   13.5
//	100    84.4    36.8 (2.3 x)   38.9
//	200    578     139 (4.2 x)    147
//	500    8,710   1,270 (6.9 x)  1,430
//
// BenchmarkCholesky measures both, and gonum.
func Cholesky(n int, a []float64) bool {
	if n <= stripCols {
		return choleskyRows(n, a)
	}
	var inverse [stripCols * stripCols]float64
	return factorLower(n, a, inverse[:], 0, stripCols)
}

// choleskyRows is Cholesky, row after row.
func choleskyRows(n int, a []float64) bool {
	for i := range n {
		ri := a[i*n : i*n+i+1]
		for j := range i {
			rj := a[j*n : j*n+j+1]
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
