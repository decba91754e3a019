//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// pivots are solves with bidiagonal matrices, as the assembly takes them: from the
// last entries back. Strides are in bytes.
type pivots struct {
	c      *float64
	stride int
	l, g   *float64
	next   int
	out    *float64
	outs   int
	rows   int
	depth  int
	bits   uint64   // of the lanes, for AVX-512
	mask   [4]int64 // the same for AVX2
}

//go:noescape
func avx512Pivots(p *pivots)

//go:noescape
func avx2Pivots(p *pivots)

func pivotRows(m, n, k int, c, l, g, sum []float64) {
	if with == isa.Portable {
		pivotSquares(m, n, k, c, l, g, sum)
		return
	}
	// Assembly knows no bounds.
	_, _, _, _ = c[m*n-1], l[n*k-1], g[n*k-1], sum[m*k-1]
	p := pivots{c: &c[n-1], stride: 8 * n, next: 8 * k, outs: 8 * k, rows: m, depth: n}
	lanes := with.Lanes()
	for i := 0; i < k; i += lanes {
		here := min(lanes, k-i)
		p.l, p.g, p.out, p.bits = &l[(n-1)*k+i], &g[(n-1)*k+i], &sum[i], 1<<here-1
		if with == isa.AVX512 {
			avx512Pivots(&p)
			continue
		}
		isa.Mask(p.mask[:], here)
		avx2Pivots(&p)
	}
}
