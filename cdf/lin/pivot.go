package lin

import "math"

// PivotSquares adds c_r'W_i'^{-1} G_i W_i^{-1}c_r to sum, m x k, for each of the m
// rows c_r of c, n entries each, and of the k upper bidiagonal W_i with 1 on the
// diagonal: l, n x k, holds what stands right of it, g, n x k, the diagonals of
// the G_i. The last row of l is not used but for being finite.
//
//	u_j = c_j - l_ji u_{j+1},  sum += g_ji u_j^2,  j = n-1, ..., 0
//
// Vectors lie along the k, of which each is a chain of its own: all sets of
// instructions give the same bits. gen writes the assembly; pivotSquares is its
// twin. It replaces that loop for one row after the other; in turns on one
// core of an EPYC (Zen 4), k = 41, 16 rows, in us:
//
//	n      loop   AVX-512       AVX2
//	6      9.0    0.52 (17 x)   0.77
//	50     75     4.0 (19 x)    4.5
//	500    742    39.6 (19 x)   48.4
//
// BenchmarkPivotSquares measures it.
func PivotSquares(m, n, k int, c, l, g, sum []float64) {
	const rows = 64 // a call takes less than 100 us: assembly is not preempted
	for i := 0; i < m && n > 0; i += rows {
		pivotRows(min(rows, m-i), n, k, c[i*n:], l, g, sum[i*k:])
	}
}

// pivotSquares is PivotSquares by its definition, but for what l has in its last
// row.
func pivotSquares(m, n, k int, c, l, g, sum []float64) {
	for r := range m {
		row, s := c[r*n:][:n], sum[r*k:][:k]
		for i := range s {
			u, q := 0.0, s[i]
			for j := n - 1; j >= 0; j-- {
				u = math.FMA(-l[j*k+i], u, row[j])
				q = math.FMA(float64(u*u), g[j*k+i], q)
			}
			s[i] = q
		}
	}
}
