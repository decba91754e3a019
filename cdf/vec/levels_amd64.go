//go:build !purego

package vec

//go:noescape
func avx2Levels(z, r, mu, sd *float64, n int, at float64)

// levelVectors returns how many entries it is done with.
func levelVectors(z, r, mu, sd []float64, at float64) (done int) {
	return pieces(len(z), func(i, n int) { avx2Levels(&z[i], &r[i], &mu[i], &sd[i], n, at) })
}
