//go:build !purego

package normal

import "github.com/credence-stream/credence/cdf/isa"

//go:generate go run -C ../lin/gen ./normal -out ../../normal/normal_amd64.s

// points is what the assembly takes: n times eight.
type points struct {
	c    *curve
	x, y *float64
	n    int
}

//go:noescape
func avx512Curve(p *points)

//go:noescape
func avx2Curve(p *points)

//go:noescape
func avx2Beyond(x *float64, n int, limit uint64) (signs int)

// withinVectors reports whether of the first x, done of them, all have bits up to a limit, but for their signs.
func withinVectors(x []float64, limit uint64) (done int, all bool) {
	n := len(x) &^ 3
	if with == isa.Portable || n == 0 {
		return 0, true
	}
	return n, avx2Beyond(&x[0], n, limit) == 0
}

// at does what portable does.
func (c *curve) at(x, y []float64) {
	n := len(x) / 8
	if with == isa.Portable || n == 0 {
		c.portable(x, y)
		return
	}
	_ = y[len(x)-1] // assembly knows no bounds
	p := points{c: c, x: &x[0], y: &y[0], n: n}
	if with == isa.AVX512 {
		avx512Curve(&p)
	} else {
		avx2Curve(&p)
	}
	c.portable(x[8*n:], y[8*n:])
}
