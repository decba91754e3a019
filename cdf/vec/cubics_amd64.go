//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx2Cubics(w, loc, inv *float64, n int, rows *float64, s *cubicSums)

// vectors adds components, and returns how many.
func (s *cubicSums) vectors(rows [][4]float64, w, loc, inv []float64) (done int) {
	for with != isa.Portable && len(w)-done >= partial {
		n := min(len(w)-done, most) &^ (partial - 1)
		avx2Cubics(&w[done], &loc[done], &inv[done], n, &rows[0][0], s)
		done += n
	}
	return done
}
