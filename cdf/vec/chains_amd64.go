//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx512ChainMoments(x *float64, n int, count, less float64, mean, variance *float64)

//go:noescape
func avx512ChainLags(x *float64, n int, mean, sums *float64)

//go:noescape
func avx512ChainLagsOn(x, later *float64, n int, sums *float64)

//go:noescape
func avx2ChainMoments(x *float64, n int, count, less float64, mean, variance *float64)

//go:noescape
func avx2ChainLags(x *float64, n int, mean, sums *float64)

//go:noescape
func avx2ChainLagsOn(x, later *float64, n int, sums *float64)

// chainMoments reports whether it has them, and those after it whether they have their sums: not of
// chains so long that a call would take more than most entries.
func chainMoments(x []float64, mean, variance *Eight) bool {
	n := len(x) / 8
	if with == isa.Portable || n < 1 || n > most/8 {
		return false
	}
	if with == isa.AVX512 {
		avx512ChainMoments(&x[0], n, float64(n), float64(n-1), &mean[0], &variance[0])
	} else {
		avx2ChainMoments(&x[0], n, float64(n), float64(n-1), &mean[0], &variance[0])
	}
	return true
}

func chainLags(x []float64, mean *Eight, sums *[4]Eight) bool {
	n := len(x) / 8
	if with == isa.Portable || n < len(sums) || n > most/8 {
		return false
	}
	if with == isa.AVX512 {
		avx512ChainLags(&x[0], n, &mean[0], &sums[0][0])
	} else {
		avx2ChainLags(&x[0], n, &mean[0], &sums[0][0])
	}
	return true
}

func chainLagsOn(x []float64, lag int, sums *[2]Eight) bool {
	n := len(x)/8 - lag - 1
	if with == isa.Portable || n < 1 || n > most/8 {
		return false
	}
	if with == isa.AVX512 {
		avx512ChainLagsOn(&x[0], &x[8*lag], n, &sums[0][0])
	} else {
		avx2ChainLagsOn(&x[0], &x[8*lag], n, &sums[0][0])
	}
	return true
}
