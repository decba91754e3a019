package vec

import (
	"math"

	"github.com/credence-stream/credence/cdf/isa"
)

// with is what is done with: where nothing else is said by AVX2, longer vectors being
// no faster there. Only tests change it.
var with = isa.Best()

// The loops that vectors replace, in ns an entry, in turns on one core of an EPYC
// (Zen 4); BenchmarkVec measures them:
//
//	                     loop  AVX2
//	Finite               0.46  0.05 (9.6 x)
//	Standardize          0.96  0.33 (2.9 x)
//	Transpose, 6 x 128   0.54  0.07 (7.7 x)
//	Transpose, 128 x 6   0.45  0.09 (5.3 x)
//	AddSquares, 6        0.33  0.04 (7.7 x)
//
// AVX-512 standardises 1,000 numbers in 0.51 of the time of AVX2, on one core of a Xeon.

// Finite reports whether no x is infinite or NaN.
func Finite(x []float64) bool {
	done, sum := finiteVectors(x)
	for _, v := range x[done:] {
		sum += v * 0
	}
	return sum == 0
}

// Standardize sets dst to (v - center)/scale; v is at least as long as dst, which may begin where v does, and
// scale is positive.
//
// Vectors multiply by the inverse and correct the quotient twice by its remainder,
// which gives what division gives (P. W. Markstein, IBM J. Res. Dev. 34 (1990) 111);
// numbers so large or small that a remainder is not exact are divided. It reports whether all of dst is finite, as what was not divided is.
func Standardize(dst, v []float64, center, scale float64) (finite bool) {
	v = v[:len(dst)]
	if len(dst) == 0 || &dst[0] != &v[0] {
		return standardize(dst, v, center, scale)
	}
	// Vectors have written their quotients when they find a number that must be divided: it is divided as it was.
	var was [64]float64
	finite = true
	for len(dst) > 0 {
		n := copy(was[:], dst)
		finite = standardize(dst[:n], was[:n], center, scale) && finite
		dst = dst[n:]
	}
	return finite
}

func standardize(dst, v []float64, center, scale float64) (finite bool) {
	done := 0
	if scale > 1/reach && scale < reach {
		done = standardizeVectors(dst, v, center, scale)
	}
	sum := 0.0
	for i, x := range v[done:] {
		q := (x - center) / scale
		dst[done+i] = q
		sum += q * 0
	}
	return sum == 0
}

// reach is the size up to which, and the inverse down to which, numbers are
// standardised without a division.
const reach = 0x1p400

// AddSquares adds to dst the squares of the n rows of a, which lie as apart: one after the
// other.
func AddSquares(n int, a []float64, as int, dst []float64) {
	for i := addSquaresVectors(n, a, as, dst); i < len(dst); i++ {
		sum := dst[i]
		for j := range n {
			v := a[j*as+i]
			sum += float64(v * v)
		}
		dst[i] = sum
	}
}

// Roots sets root to the square roots of x + y and inverse to their inverses.
func Roots(root, inverse, x, y []float64) {
	root, inverse, y = root[:len(x)], inverse[:len(x)], y[:len(x)]
	for i := rootVectors(root, inverse, x, y); i < len(x); i++ {
		root[i] = math.Sqrt(x[i] + y[i])
		inverse[i] = 1 / root[i]
	}
}
