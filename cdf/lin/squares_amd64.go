//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx512SumsAndSquares(n int, x, t, sum, squares *float64, rows int)

// sumsAndSquares is AddTMulSquares, and reports false where it is not written for the instructions or the sizes.
func sumsAndSquares(m, n, k int, a, b, c, squares []float64) bool {
	const columns, fewest, most = 16, 4, 11
	if with != isa.AVX512 || k != columns || n < fewest || n > most || m == 0 {
		return false
	}
	_, _, _, _ = a[m*n-1], b[m*k-1], c[n*k-1], squares[k-1] // assembly knows no bounds
	for i := 0; i < m; i += stripRows {
		avx512SumsAndSquares(n, &a[i*n], &b[i*k], &c[0], &squares[0], min(stripRows, m-i))
	}
	return true
}
