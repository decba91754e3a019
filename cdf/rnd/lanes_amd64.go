//go:build !purego

package rnd

import "golang.org/x/sys/cpu"

//go:generate go run -C ../lin/gen ./lanes -out ../../rnd/lanes_amd64.s

// best is the widest set of instructions that the processor and the system have.
func best() isa {
	switch {
	case cpu.X86.HasAVX512F:
		return avx512
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return avx2
	}
	return portable
}

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
	if with == portable {
		portableLanes(s, c, t, done, positive)
		return
	}
	_ = t[8*len(done)-1] // assembly knows no bounds
	p := group{s: s, c: c, t: &t[0], done: &done[0], n: len(done)}
	switch {
	case with == avx512 && positive:
		avx512Positive(&p)
	case with == avx512:
		avx512Normals(&p)
	case positive:
		avx2Positive(&p)
	default:
		avx2Normals(&p)
	}
}
