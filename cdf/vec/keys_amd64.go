//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx512DistanceKeys(dst, x *float64, n int, center float64, mask uint64)

//go:noescape
func avx2DistanceKeys(dst, x *float64, n int, center float64, mask uint64)

//go:noescape
func avx512Extremes(x *float64, n int, least, greatest *float64)

//go:noescape
func avx2Extremes(x *float64, n int, least, greatest *float64)

// keyVectors returns how many keys it has written.
func keyVectors(dst, x []float64, center float64, mask uint64) (done int) {
	n := len(x) &^ 7
	if with == isa.Portable || n == 0 || n > most {
		return 0
	}
	if with == isa.AVX512 {
		avx512DistanceKeys(&dst[:n][0], &x[0], n, center, mask)
	} else {
		avx2DistanceKeys(&dst[:n][0], &x[0], n, center, mask)
	}
	return n
}

// extremeVectors returns how many entries it has seen.
func extremeVectors(x []float64, least, greatest *Eight) (done int) {
	n := len(x) &^ 15
	if with == isa.Portable || n == 0 || n > most {
		return 0
	}
	if with == isa.AVX512 {
		avx512Extremes(&x[0], n, &least[0], &greatest[0])
	} else {
		avx2Extremes(&x[0], n, &least[0], &greatest[0])
	}
	return n
}
