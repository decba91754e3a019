package asm

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Set is a set of vector instructions: its name in those of functions, how many numbers
// a vector has, and its registers.
type Set struct {
	Name  string
	Lanes int
	R     []reg.VecPhysical
	// Mask is the register of AVX2's mask; that of AVX-512 is K1.
	Mask reg.VecPhysical
}

// The sets.
var (
	AVX512 = Set{Name: "avx512", Lanes: 8, R: Z}
	AVX2   = Set{Name: "avx2", Lanes: 4, R: Y, Mask: Y[15]}
)

// Wide reports whether it is AVX-512.
func (s Set) Wide() bool { return s.Lanes == 8 }

// Prepare loads the mask: bits of AVX-512, lanes of AVX2.
func (s Set) Prepare(bits, lanes Mem) {
	if s.Wide() {
		KMOVW(bits, reg.K1)
	} else {
		VMOVUPD(lanes, s.Mask)
	}
}

// Zero makes all lanes 0, by instructions of the foundation of AVX-512.
func (s Set) Zero(v reg.Register) {
	if s.Wide() {
		VPXORQ(v, v, v)
	} else {
		VXORPD(v, v, v)
	}
}

// Load loads a vector, or those lanes of it that the mask has and 0 elsewhere.
func (s Set) Load(m Mem, v reg.VecPhysical, masked bool) {
	switch {
	case !masked:
		VMOVUPD(m, v)
	case s.Wide():
		VMOVUPD_Z(m, reg.K1, v)
	default:
		VMASKMOVPD(m, s.Mask, v)
	}
}

// Store stores a vector, or those lanes of it that the mask has.
func (s Set) Store(v reg.VecPhysical, m Mem, masked bool) {
	switch {
	case !masked:
		VMOVUPD(v, m)
	case s.Wide():
		VMOVUPD(v, reg.K1, m)
	default:
		VMASKMOVPD(v, s.Mask, m)
	}
}

// Blended stores those lanes of a vector of AVX2 that the mask has, and in the others what was there: a masked store
// takes an AMD ten cycles. All lanes must be the caller's.
func Blended(v, mask reg.Register, m Mem) {
	all := YMM()
	VMOVUPD(m, all)
	VBLENDVPD(mask, v, all, all)
	VMOVUPD(all, m)
}
