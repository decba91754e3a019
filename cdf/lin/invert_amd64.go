//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// corner is a square of stripCols on the diagonal of a packed factor, as the assembly takes it: from the last row up. Strides are
// in bytes.
type corner struct {
	r      *float64 // the last entry of the diagonal
	step   int      // from the row after it, whose first entry is 8 less in the row before
	dst    *float64 // the last row of the inverse
	stride int
}

//go:noescape
func avx512Invert(p *corner)

//go:noescape
func avx2Invert(p *corner)

// invertVectors is invertUpper of stripCols rows from row k on of the packed factor of order n+1, into dst with rows n apart. It reports
// whether it did.
func invertVectors(n, k int, r, dst []float64) bool {
	if with == isa.Portable {
		return false
	}
	const last = stripCols - 1
	_ = dst[last*n+last] // assembly knows no bounds
	p := corner{r: &r[PackedRow(n+1, k+last)], step: 8 * (n + 1 - k - last), dst: &dst[last*n], stride: 8 * n}
	if with == isa.AVX512 {
		avx512Invert(&p)
	} else {
		avx2Invert(&p)
	}
	return true
}
