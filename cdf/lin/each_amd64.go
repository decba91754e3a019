//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx2Axpy(a float64, x, y *float64, n int)

//go:noescape
func avx2Scale(a float64, x *float64, n int)

//go:noescape
func avx2Products(dst, x, y *float64, n int)

//go:noescape
func avx2AddSquares(dst, x, y *float64, n int)

// eachVectors returns how many entries of dst it is done with.
func eachVectors(do operation, a float64, dst, x, y []float64) (done int) {
	const most = 1 << 14 // a call takes less than 100 us: assembly is not preempted
	if with == isa.Portable {
		return 0
	}
	for len(dst)-done >= 4 {
		n := min(len(dst)-done, most) &^ 3
		switch do {
		case axpy:
			avx2Axpy(a, &x[done], &dst[done], n)
		case scale:
			avx2Scale(a, &dst[done], n)
		case products:
			avx2Products(&dst[done], &x[done], &y[done], n)
		case squares:
			avx2AddSquares(&dst[done], &x[done], &y[done], n)
		}
		done += n
	}
	return done
}
