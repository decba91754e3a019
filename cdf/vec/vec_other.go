//go:build !amd64 || purego

package vec

func ranks(x []float64, rank []int) {}

func pivotVectors(s, num, den, a2, c2 []float64) (done int, ok bool) { return 0, true }

func slopeVectors(s, f1, f2, f3, a2, c2 []float64, b2 float64) (done int) { return 0 }

func factorVectors(s, a, a2, c, c2 []float64, ab float64, l, g, mean []float64) (done int) { return 0 }

func rootVectors(root, inverse, x, y []float64) (done int) { return 0 }

func finiteVectors(x []float64) (done int, sum float64) { return 0, 0 }

func standardizeVectors(dst, v []float64, center, scale float64) (done int) { return 0 }

func transposeVectors(m, n int, a []float64, as int, b []float64, bs int) (rows, columns int) {
	return 0, 0
}

func addSquaresVectors(n int, a []float64, as int, dst []float64) (done int) { return 0 }

func functions(dst, x []float64, logs bool) bool { return false }

func (f *Filters) vectors(y float64, observed bool) (greatest float64, done bool) { return 0, false }

func addBoundedVectors(a []float64, stride int, rows []int32, mean, sum, squares []float64, far float64) bool {
	return false
}

func addCurvesVectors(a []float64, stride int, scores []float64, c *Curves, far float64) bool {
	return false
}

func network(x []float64, bitonic bool) bool { return false }

func chainMoments(x []float64, mean, variance *Eight) bool { return false }

func chainLags(x []float64, mean *Eight, sums *[4]Eight) bool { return false }

func chainLagsOn(x []float64, lag int, sums *[2]Eight) bool { return false }

func keyVectors(dst, x []float64, center float64, mask uint64) (done int) { return 0 }

func extremeVectors(x []float64, least, greatest *Eight) (done int)              { return 0 }
func (s *cubicSums) vectors(rows [][4]float64, w, loc, inv []float64) (done int) { return 0 }

func alongVectors(mean, variance, m, v, r, mu, s []float64) (done int) { return 0 }

func (x *Means) vectors() (done int) { return 0 }

func logWeightVectors(log, prior, logs, rate []float64, shape float64) (done int, top float64) {
	return 0, below
}

func lowerVectors(x []float64, top, least float64) (done int) { return 0 }

func levelVectors(z, r, mu, sd []float64, at float64) (done int) { return 0 }

func schurVectors(c int, records []float64, m float64, lam, h []float64, quad *float64) (done int) {
	return 0
}

func (x *Laws) vectors(record, core []float64, z, constant float64, mean, sd []float64) bool {
	return false
}

func acrossVectors(b []float64, bs, n int, columns *[Abreast][]float64, c *Constants) bool {
	return false
}

func standardizeEachVectors(dst, x, center, scale []float64) (done int) { return 0 }

func divideEachVectors(dst, x, scale []float64) (done int) { return 0 }

func affineVectors(dst, x []float64, a, b float64) (done int) { return 0 }
