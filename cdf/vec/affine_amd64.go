//go:build !purego

package vec

//go:noescape
func avx2Affine(dst, x *float64, n int, a, b float64)

// affineVectors returns how many entries it is done with.
func affineVectors(dst, x []float64, a, b float64) (done int) {
	return pieces(len(dst), func(i, n int) { avx2Affine(&dst[i], &x[i], n, a, b) })
}
