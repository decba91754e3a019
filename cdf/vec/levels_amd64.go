//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx2Levels(z, r, mu, sd *float64, n int, at float64)

// levelVectors returns how many entries it is done with.
func levelVectors(z, r, mu, sd []float64, at float64) (done int) {
	for with != isa.Portable && len(z)-done >= 4 {
		n := min(len(z)-done, most) &^ 3
		avx2Levels(&z[done], &r[done], &mu[done], &sd[done], n, at)
		done += n
	}
	return done
}
