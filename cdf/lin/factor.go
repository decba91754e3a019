package lin

import "github.com/credence-stream/credence/cdf/vec"

// FactorInverse overwrites the lower triangle of a, n x n, with L, LL' = A, and
// dst, n x n, with the inverse of L, which is 0 above the diagonal. It reports whether
// A is positive definite; if not, both are left half done. What lies above the
// diagonal of a holds anything afterwards.
//
// It replaces Cholesky and InvertLower, whose bits it has up to order 24, by
// strips. Both together, in turns on one core of an EPYC (Zen 4), in us:
//
//	n      apart   AVX-512        AVX2
//	50     26.4    14.0 (1.9 x)   14.4
//	100    163     46.6 (3.5 x)   49.4
//	200    1,136   208 (5.5 x)    225
//	500    18,700  2,370 (7.9 x)  2,680
//
// BenchmarkFactorInverse measures both, and gonum.
func FactorInverse(n int, a, dst []float64) bool {
	if n > stripCols {
		return factorInverse(n, a, dst)
	}
	if !Cholesky(n, a) {
		return false
	}
	InvertLower(n, a, dst)
	return true
}

// factorInverse goes on in steps of stripCols columns of L, then of as many rows
// of its inverse.
func factorInverse(n int, a, dst []float64) bool {
	for i := range n { // the rest is written
		clear(dst[i*n+i+1 : (i+1)*n])
	}
	if !factorLower(n, a, dst, n+1, n) {
		return false
	}
	var tile [stripCols * stripCols]float64
	for k := stripCols; k < n; k += stripCols {
		w, corner := min(stripCols, n-k), k*n+k
		for j := 0; j < k; j += stripCols {
			sum := tile[:w*stripCols]
			for l := j; l < k; l += stripDeep {
				strip(w, stripCols, min(stripDeep, k-l), factorOf(a[k*n+l:], n, 1).first(l == j), dst[l*n+j:], n, sum, stripCols)
			}
			Scale(-1, sum)
			strip(w, stripCols, w, factorOf(dst[corner:], n, 1).first(true), sum, stripCols, dst[k*n+j:], n)
		}
	}
	return true
}

// factorLower overwrites the lower triangle of a with L in steps of stripCols
// columns. The inverses of the squares on L's diagonal are left in inverse, whose
// rows are is apart, each so many entries after the one before; it holds 0. The
// upper triangle of a is neither read nor written.
func factorLower(n int, a, inverse []float64, after, is int) bool {
	var side [stripDeep * stripCols]float64
	var tile [2 * stripCols * stripCols]float64
	for k := 0; k < n; k += stripCols {
		w, corner := min(stripCols, n-k), a[k*n+k:]
		square := tile[:w*w]
		for i := range w {
			copy(square[i*w:], corner[i*n:][:i+1])
		}
		for l := 0; l < k; l += stripDeep {
			deep := min(stripDeep, k-l)
			left := a[k*n+l:]
			vec.Transpose(w, deep, left, n, side[:], w)
			Scale(-1, side[:deep*w])
			strip(w, w, deep, factorOf(left, n, 1), side[:], w, square, w)
			if k+w < n {
				tall(n-k-w, w, deep, factorOf(left[w*n:], n, 1), side[:], w, corner[w*n:], n)
			}
		}
		if !Cholesky(w, square) {
			return false
		}
		for i := range w {
			copy(corner[i*n:][:i+1], square[i*w:])
		}
		inv := inverse[k*after:]
		invertLower(w, square, inv, w, is)
		// Below the corner, solving by it is a product with its inverse.
		vec.Transpose(w, w, inv, is, side[:], w)
		for i, h := k+w, 0; i < n; i += h {
			h = min(2*stripCols, n-i)
			for r := range h {
				copy(tile[r*w:], a[(i+r)*n+k:][:w])
			}
			strip(h, w, w, factorOf(tile[:], w, 1).first(true), side[:], w, a[i*n+k:], n)
		}
	}
	return true
}
