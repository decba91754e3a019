//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// reflection is what reflectEight works on, as the assembly takes it. The stride is
// in bytes.
type reflection struct {
	b       *float64
	stride  int
	x, next *float64 // the first row's entry of the columns
	pivot   float64  // by of the next one
	fours   int
	by, dot *[panelCols]float64
	lane    int // of the next one
}

//go:noescape
func avx512Reflect(p *reflection)

//go:noescape
func avx2Reflect(p *reflection)

func reflectEight(fours, stride int, b []float64, k, next int, by, dot *[panelCols]float64) {
	if with == isa.Portable {
		reflectRows(fours, stride, b, k, next, by, dot)
		return
	}
	_ = b[(4*fours-1)*stride+panelCols-1] // assembly knows no bounds
	p := reflection{
		b: &b[0], stride: 8 * stride, x: &b[k&7], next: &b[next&7], pivot: by[next&7], fours: fours, by: by, dot: dot, lane: next & 7,
	}
	if with == isa.AVX512 {
		avx512Reflect(&p)
	} else {
		avx2Reflect(&p)
	}
}
