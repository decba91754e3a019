//go:build !purego

package rnd

import (
	"math/bits"
	"sync"

	"github.com/credence-stream/credence/cdf/isa"
)

// streaming is what the assembly takes.
type streaming struct {
	z       *[strips]uint64
	by      *jumps
	dst     *float64
	numbers *uint64
	settled *uint64 // by bytes
	eights  int
	states  *[2][8]uint64 // upper and lower halves: the first of each is that before the piece; afterwards those of the last eight
}

//go:noescape
func avx512Stream(p *streaming)

// take takes as many numbers as dst has room for, a multiple of eight, and makes of each the draw that its strip settles, if it
// does. It reports whether there are vectors.
func (s *stream) take(z *ziggurat, dst []float64) bool {
	if with != isa.AVX512 {
		return false
	}
	states := [2][8]uint64{{s.hi}, {s.lo}}
	p := s.piece
	_, _ = p.numbers[len(dst)-1], p.settled[(len(dst)-1)/64] // assembly knows no bounds
	avx512Stream(&streaming{&z.packed, theJumps(), &dst[0], &p.numbers[0], &p.settled[0], len(dst) / 8, &states})
	s.hi, s.lo = states[0][7], states[1][7]
	return true
}

// jumps are steps of rand.PCG: by one more for each lane, and by eight. A step is state*a + c of 128 bits, of which the lower half
// comes first.
type jumps struct{ one, eight [4][8]uint64 }

var theJumps = sync.OnceValue(func() *jumps {
	var j jumps
	var aHi, cHi, cLo uint64
	aLo := uint64(1)
	addHi, addLo := pcgStep(0, 0)
	for i := range 8 {
		var borrow uint64
		aHi, aLo = pcgStep(aHi, aLo)
		aLo, borrow = bits.Sub64(aLo, addLo, 0)
		aHi, _ = bits.Sub64(aHi, addHi, borrow)
		cHi, cLo = pcgStep(cHi, cLo)
		for k, v := range [...]uint64{aLo, aHi, cLo, cHi} {
			j.one[k][i] = v
		}
	}
	for k, v := range [...]uint64{aLo, aHi, cLo, cHi} {
		for i := range j.eight[k] {
			j.eight[k][i] = v
		}
	}
	return &j
})
