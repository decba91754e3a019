package vec

// Affine sets each number of dst to a + b times that of x, which is as long at least. The product is rounded.
//
// It replaces a loop, and fetches what lies a page ahead in x, where the next row is that somebody will ask for: 0.2 of the time where rows are
// read once and lie beyond the caches, in turns on a Xeon beside other work (BenchmarkAffine).
func Affine(dst, x []float64, a, b float64) {
	x = x[:len(dst)]
	for i := affineVectors(dst, x, a, b); i < len(dst); i++ {
		dst[i] = a + float64(b*x[i])
	}
}
