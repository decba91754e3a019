//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

// curves is what AddCurves is given, of as many columns as a vector has, as the assembly takes it.
// The stride is in bytes.
type curves struct {
	a                             *float64
	stride                        int
	scores                        *float64
	count                         int
	level, slope                  *float64
	off, squares, weight, product *float64
	most, least                   float64
	bits                          uint64   // of the columns, for AVX-512
	mask                          [4]int64 // the same for AVX2
}

//go:noescape
func avx512AddCurves(p *curves)

//go:noescape
func avx2AddCurves(p *curves)

// addCurvesVectors reports whether it has added all: not without vectors.
func addCurvesVectors(a []float64, stride int, scores []float64, c *Curves, far float64) bool {
	if with == isa.Portable {
		return false
	}
	columns := len(c.Level)
	_, _ = a[(len(scores)-1)*stride+columns-1], c.Slope[:columns] // assembly knows no bounds
	_, _, _, _ = c.Off[:columns], c.Squares[:columns], c.Weight[:columns], c.Product[:columns]
	p := curves{stride: 8 * stride, most: far, least: -far}
	for k := 0; k < columns; k += with.Lanes() {
		n := min(columns-k, with.Lanes())
		p.level, p.slope, p.bits = &c.Level[k], &c.Slope[k], 1<<n-1
		p.off, p.squares, p.weight, p.product = &c.Off[k], &c.Squares[k], &c.Weight[k], &c.Product[k]
		isa.Mask(p.mask[:], n)
		for from := 0; from < len(scores); from += most {
			p.a, p.scores, p.count = &a[from*stride+k], &scores[from], min(len(scores)-from, most)
			if with == isa.AVX512 {
				avx512AddCurves(&p)
			} else {
				avx2AddCurves(&p)
			}
		}
	}
	return true
}
