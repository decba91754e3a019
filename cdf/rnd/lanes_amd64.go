//go:build !purego

package rnd

import (
	"unsafe"

	"github.com/credence-stream/credence/cdf/isa"
)

//go:generate go run -C ../lin/gen ./rnd -out ../../rnd/lanes_amd64.s

// group is what the assembly takes: n times eight entries of t, or sixteen above a bound, of which done has two bytes.
type group struct {
	s    *[4][8]uint64
	c    unsafe.Pointer // pieces, or singles
	t    *float64
	done *uint8
	n    int
}

//go:noescape
func avx512Normals(p *group)

//go:noescape
func avx512Positive(p *group)

//go:noescape
func avx2Normals(p *group)

//go:noescape
func avx2Positive(p *group)

// normals does what portableNormals does.
func normals(s *[4][8]uint64, c *pieces, t []float64, done []uint8) {
	if with == isa.Portable {
		portableNormals(s, c, t, done)
		return
	}
	_ = t[8*len(done)-1] // assembly knows no bounds
	p := group{s: s, c: unsafe.Pointer(c), t: &t[0], done: &done[0], n: len(done)}
	if with == isa.AVX512 {
		avx512Normals(&p)
	} else {
		avx2Normals(&p)
	}
}

// positives does what portablePositive does.
func positives(s *[4][8]uint64, c *singles, t []float64, done []uint8) {
	if with == isa.Portable {
		portablePositive(s, c, t, done)
		return
	}
	_ = t[8*len(done)-1] // assembly knows no bounds
	p := group{s: s, c: unsafe.Pointer(c), t: &t[0], done: &done[0], n: len(done) / 2}
	if with == isa.AVX512 {
		avx512Positive(&p)
	} else {
		avx2Positive(&p)
	}
}
