//go:build !purego

package vec

//go:noescape
func avx2Cubics(w, loc, inv *float64, n int, rows *float64, s *cubicSums)

// vectors adds components, and returns how many.
func (s *cubicSums) vectors(rows [][4]float64, w, loc, inv []float64) (done int) {
	return pieces(len(w), func(i, n int) { avx2Cubics(&w[i], &loc[i], &inv[i], n, &rows[0][0], s) })
}
