//go:build !purego

package vec

//go:noescape
func avx2StandardizeEach(dst, x, center, scale *float64, n int)

//go:noescape
func avx2DivideEach(dst, x, scale *float64, n int)

// standardizeEachVectors returns how many entries it is done with.
func standardizeEachVectors(dst, x, center, scale []float64) (done int) {
	return pieces(len(dst), func(i, n int) { avx2StandardizeEach(&dst[i], &x[i], &center[i], &scale[i], n) })
}

// divideEachVectors returns how many entries it is done with.
func divideEachVectors(dst, x, scale []float64) (done int) {
	return pieces(len(dst), func(i, n int) { avx2DivideEach(&dst[i], &x[i], &scale[i], n) })
}
