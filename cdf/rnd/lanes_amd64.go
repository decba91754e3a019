//go:build !purego

package rnd

import "github.com/credence-stream/credence/cdf/isa"

//go:generate go run -C ../lin/gen ./rnd -out ../../rnd/lanes_amd64.s

// group is what the assembly takes: n times eight entries of t.
type group struct {
	s    *[4][8]uint64
	c    *pieces
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

// lanes does what portableLanes does.
func lanes(s *[4][8]uint64, c *pieces, t []float64, done []uint8, positive bool) {
	if with == isa.Portable {
		portableLanes(s, c, t, done, positive)
		return
	}
	_ = t[8*len(done)-1] // assembly knows no bounds
	p := group{s: s, c: c, t: &t[0], done: &done[0], n: len(done)}
	switch {
	case with == isa.AVX512 && positive:
		avx512Positive(&p)
	case with == isa.AVX512:
		avx512Normals(&p)
	case positive:
		avx2Positive(&p)
	default:
		avx2Normals(&p)
	}
}
