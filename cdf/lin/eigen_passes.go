package lin

import "math"

// eigenPasses is the order from which Eigen reduces a matrix by the passes of panel.go.
const eigenPasses = 32

// tridiagonalPasses is tridiagonal for larger matrices. Both triangles are kept, so
// that a reflection is two passes over rows: what the one before adds is
// taken off while the product with the next one is found.
//
// It replaces the loops over the lower triangle: with it Eigen is 1.8 times as fast at order
// 211, on one core of an EPYC (Zen 5) in AVX-512 (BenchmarkEigen).
func tridiagonalPasses(n int, a, d, off, q, y, rest []float64) {
	Mirror(n, a)
	clear(q)
	last := q // of the reflection before, which is none at first
	for i := n - 1; i > 0; i-- {
		row := a[i*n:][:i+1]
		Axpy(-last[i], q[:i+1], row)
		Axpy(-q[i], last[:i+1], row)
		v := row[:i]
		tau := 0.0
		d[i], off[i-1] = row[i], v[i-1]
		if head := Dot(v[:i-1], v[:i-1]); head >= reflectMin {
			beta := -math.Copysign(math.Sqrt(head+float64(v[i-1]*v[i-1])), v[i-1])
			off[i-1] = beta
			v[i-1] -= beta
			tau = 2 / Dot(v, v)
		}
		row[i] = tau // takes the place of the diagonal
		for r, m := 0, 0; r < i; r += m {
			m = min(max(passNear/i, 8), i-r)
			subDot(m, i, n, a[r*n:], last[r:], q, v, rest)
			subDot(m, i, n, a[r*n:], q[r:], last, v, y[r:])
		}
		k := float64(tau/2) * Dot(v, y)
		for r, e := range v {
			q[r] = float64(tau * (y[r] - float64(k*e)))
		}
		last = v
	}
	d[0] = a[0]
	a[0] = 1
	// Q' grows by a row and a column with every reflection, from the first. Each is
	// taken off while the product with the next one is found.
	x, u := q, rest
	x[0], u[0] = 0, 0
	for i := 1; i < n; i++ {
		v, tau := a[i*n:][:i], a[i*n+i]
		subDot(i, i, n, a, x, u, v, y)
		for r, e := range v {
			x[r], u[r], a[r*n+i] = float64(tau*y[r]), e, 0
		}
		x[i], u[i] = 0, 0
		clear(v)
		a[i*n+i] = 1
	}
	subDot(n, n, n, a, x, u, u, y)
}
