package lin

import "math"

// Tridiagonal reduces the symmetric n x n matrix A to T = Q'AQ, and h to Q'h: d
// becomes the diagonal of T and off[i] its entry (i, i+1), off[n-1] 0. a holds A
// row-major, of which the lower triangle is read and destroyed. work has n
// entries. It takes 4/3 n^3 operations: much less than Eigen, which goes on from
// here, where shifted determinants and solutions are wanted, and no vectors.
func Tridiagonal(n int, a, h, d, off, work []float64) {
	for i := n - 1; i > 0; i-- {
		if tau := reflect(n, i, a, d, off, work); tau > 0 {
			v := a[i*n : i*n+i]
			Axpy(float64(-tau*Dot(v, h[:i])), v, h[:i])
		}
	}
	if n > 0 {
		d[0], off[n-1] = a[0], 0
	}
}

// ShiftedSolve returns the logarithm of the determinant of T + shift I and
// h'(T + shift I)^{-1}h for the T of Tridiagonal; ok is false where the
// matrix is not positive definite.
func ShiftedSolve(d, off, h []float64, shift float64) (logDet, quadratic float64, ok bool) {
	// Pivots e_i = d_i + shift - off_{i-1}^2/e_{i-1} of LDL'; u = L^{-1}h.
	e, u, product := 1., 0., 1.
	for i, v := range d {
		l := 0.
		if i > 0 {
			l = off[i-1] / e
			v -= float64(l * off[i-1])
		}
		e = v + shift
		if !(e > 0) || math.IsInf(e, 1) {
			return 0, 0, false
		}
		u = h[i] - float64(l*u)
		quadratic += float64(u * u / e)
		if product *= e; product < 1e-100 || product > 1e100 {
			logDet += math.Log(product)
			product = 1
		}
	}
	return logDet + math.Log(product), quadratic, true
}
