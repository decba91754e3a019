//go:build !amd64 || purego

package lin

func strip(rows, cols, deep int, a factor, b []float64, bs int, c []float64, cs int) {
	portableStrip(rows, cols, deep, a, b, bs, c, cs)
}

func sumPass(m, n, stride int, a, x, u, v, w []float64) { sumRows(m, n, stride, a, x, u, v, w) }

func dotPass(m, n, stride int, a, x, u, w, y []float64) { dotRows(m, n, stride, a, x, u, w, y) }

func pivotRows(m, n, k int, c, l, g, sum []float64) { pivotSquares(m, n, k, c, l, g, sum) }

func rotate(n, lo, m int, z, c, s []float64) { rotateEach(n, lo, m, z, c, s) }

func (h *reflections) applyVectors(r []float64, n, j, k int, x, a []float64, m, apart int) (done int) {
	return 0
}

func spreadVectors(m, n int, x, w, b, dot, square []float64) bool { return false }

func eachVectors(do operation, a float64, dst, x, y []float64) (done int) { return 0 }

func (t Triangle) vectors(do sums, x, y []float64) (done int) { return 0 }

func (t Triangle) scaleVectors(x []float64, dst Triangle) bool { return false }

func invertVectors(n, k int, r, dst []float64) bool { return false }

func (h *reflections) reduceVectors(r []float64, n, j, w, columns int, b []float64, m int) bool {
	return false
}

func putVectors(b, x, y []float64, n int) bool { return false }

func sumsAndSquares(m, n, k int, a, b, c, squares []float64) bool { return false }

func fewDots(columns, fours int, b []float64, dot *[fewMost]float64) {
	fewDotRows(columns, fours, b, dot)
}

func fewReflect(columns, fours int, b []float64, by, dot *[fewMost]float64) {
	fewReflectRows(columns, fours, b, by, dot)
}
