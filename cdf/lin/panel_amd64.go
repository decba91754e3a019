//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// pass is a pass over rows, as the assembly takes it.
type pass struct {
	a      *float64
	stride int      // in bytes
	x, v   *float64 // one for each row
	u, w   *float64 // one for each column
	rows   int
	whole  int      // times eight columns
	bits   uint64   // of the columns left, for AVX-512
	mask   [8]int64 // the same for AVX2
}

//go:noescape
func avx512Sum(p *pass)

//go:noescape
func avx512Dot(p *pass)

//go:noescape
func avx2Sum(p *pass)

//go:noescape
func avx2Dot(p *pass)

// over makes p the pass over m x n entries, with the bounds that assembly does
// not know checked.
func (p *pass) over(m, n, stride int, a, x, u, v, w []float64) {
	_, _, _, _, _ = a[(m-1)*stride+n-1], x[m-1], u[n-1], v[m-1], w[n-1]
	p.a, p.stride, p.x, p.v, p.u, p.w = &a[0], 8*stride, &x[0], &v[0], &u[0], &w[0]
	p.rows, p.whole, p.bits = m, n/8, 1<<(n%8)-1
	if with == isa.AVX2 {
		isa.Mask(p.mask[:], n%8)
	}
}

func sumPass(m, n, stride int, a, x, u, v, w []float64) {
	if with == isa.Portable {
		sumRows(m, n, stride, a, x, u, v, w)
		return
	}
	var p pass
	p.over(m, n, stride, a, x, u, v, w)
	if with == isa.AVX512 {
		avx512Sum(&p)
	} else {
		avx2Sum(&p)
	}
}

func dotPass(m, n, stride int, a, x, u, w, y []float64) {
	if with == isa.Portable {
		dotRows(m, n, stride, a, x, u, w, y)
		return
	}
	var p pass
	p.over(m, n, stride, a, x, u, y, w)
	if with == isa.AVX512 {
		avx512Dot(&p)
	} else {
		avx2Dot(&p)
	}
}
