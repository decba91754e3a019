//go:build !purego

package lin

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

// over returns the pass over m x n entries, with the bounds that assembly does
// not know checked.
func over(m, n, stride int, a, x, u, v, w []float64) pass {
	_, _, _, _, _ = a[(m-1)*stride+n-1], x[m-1], u[n-1], v[m-1], w[n-1]
	p := pass{a: &a[0], stride: 8 * stride, x: &x[0], v: &v[0], u: &u[0], w: &w[0], rows: m, whole: n / 8, bits: 1<<(n%8) - 1}
	if with == avx2 {
		maskLanes(p.mask[:], n%8)
	}
	return p
}

func sumPass(m, n, stride int, a, x, u, v, w []float64) {
	if with == portable {
		sumRows(m, n, stride, a, x, u, v, w)
		return
	}
	p := over(m, n, stride, a, x, u, v, w)
	if with == avx512 {
		avx512Sum(&p)
	} else {
		avx2Sum(&p)
	}
}

func dotPass(m, n, stride int, a, x, u, w, y []float64) {
	if with == portable {
		dotRows(m, n, stride, a, x, u, w, y)
		return
	}
	p := over(m, n, stride, a, x, u, y, w)
	if with == avx512 {
		avx512Dot(&p)
	} else {
		avx2Dot(&p)
	}
}
