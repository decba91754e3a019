package lin

import "math"

// rotateRows applies the rotations of the rows (m-1, m), ..., (lo, lo+1) of z, n
// columns, in this order:
//
//	z[i+1], t = fma(s_i, z[i], c_i t), fma(c_i, z[i], -s_i t),  t = z[m] at first and z[lo] at last
//
// Vectors lie across columns, so that all sets of instructions give the same
// bits. It replaces rotateEach, their twin; in turns on one core of an EPYC
// (Zen 5), all rows of an n x n matrix, in us:
//
//	n      loops  AVX-512        AVX2
//	50     2.0    0.28 (7.2 x)   0.44
//	211    34     3.6 (9.4 x)    6.7
//
// BenchmarkRotateRows measures it.
func rotateRows(n, lo, m int, z, c, s []float64) {
	if lo < m {
		rotate(n, lo, m, z, c, s)
	}
}

// rotateEach is rotateRows by loops, four columns at a time, so that what one
// rotation passes to the next stays in registers.
func rotateEach(n, lo, m int, z, c, s []float64) {
	j := 0
	for ; j+4 <= n; j += 4 {
		t := z[m*n+j : m*n+j+4 : m*n+j+4]
		t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
		for i := m - 1; i >= lo; i-- {
			x, y := z[i*n+j:i*n+j+4:i*n+j+4], z[(i+1)*n+j:(i+1)*n+j+4:(i+1)*n+j+4]
			cos, sin := c[i], s[i]
			x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
			y[0], y[1] = math.FMA(sin, x0, float64(cos*t0)), math.FMA(sin, x1, float64(cos*t1))
			y[2], y[3] = math.FMA(sin, x2, float64(cos*t2)), math.FMA(sin, x3, float64(cos*t3))
			t0, t1 = math.FMA(cos, x0, -float64(sin*t0)), math.FMA(cos, x1, -float64(sin*t1))
			t2, t3 = math.FMA(cos, x2, -float64(sin*t2)), math.FMA(cos, x3, -float64(sin*t3))
		}
		x := z[lo*n+j : lo*n+j+4 : lo*n+j+4]
		x[0], x[1], x[2], x[3] = t0, t1, t2, t3
	}
	for ; j < n; j++ {
		t := z[m*n+j]
		for i := m - 1; i >= lo; i-- {
			x := z[i*n+j]
			z[(i+1)*n+j] = math.FMA(s[i], x, float64(c[i]*t))
			t = math.FMA(c[i], x, -float64(s[i]*t))
		}
		z[lo*n+j] = t
	}
}
