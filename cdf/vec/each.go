package vec

// StandardizeEach sets each number of dst to what that of x is over its scale, less its center: (x - center)/scale.
// All are at least as long as dst, which may be x.
//
// It replaces a loop, as DivideEach does: 500 numbers take half of its time, in turns on a Xeon beside other work (BenchmarkEach).
func StandardizeEach(dst, x, center, scale []float64) {
	x, center, scale = x[:len(dst)], center[:len(dst)], scale[:len(dst)]
	for i := standardizeEachVectors(dst, x, center, scale); i < len(dst); i++ {
		dst[i] = (x[i] - center[i]) / scale[i]
	}
}

// DivideEach sets each number of dst to that of x over that of scale. Both are at least as long as dst, which may be x.
func DivideEach(dst, x, scale []float64) {
	x, scale = x[:len(dst)], scale[:len(dst)]
	for i := divideEachVectors(dst, x, scale); i < len(dst); i++ {
		dst[i] = x[i] / scale[i]
	}
}
