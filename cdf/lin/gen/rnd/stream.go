package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// byEight is where the second step of rnd.jumps is.
const byEight = 4 * 64

// linear is a step of rand.PCG, or several, for each lane: state*a + c of 128 bits.
type linear struct{ low, middle, high, addLow, addHigh reg.VecVirtual }

// linearAt loads one.
func linearAt(base reg.GPVirtual, off int) linear {
	l := linear{ZMM(), ZMM(), ZMM(), ZMM(), ZMM()}
	for i, v := range []reg.VecVirtual{l.low, l.high, l.addLow, l.addHigh} {
		VMOVDQU64(Mem{Base: base, Disp: off + 64*i}, v)
	}
	VPSRLQ(U8(32), l.low, l.middle)
	return l
}

// words are what steps are made with: the lower half of every lane, and 1.
type words struct{ half, one reg.VecVirtual }

// of is the step from a state. K2 has the lower half of every lane.
func (l linear) of(w words, hi, lo reg.VecVirtual) (nextHi, nextLo reg.VecVirtual) {
	up, first, second, third, low, high, other := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VPSRLQ(U8(32), lo, up)
	VPMULUDQ(l.low, lo, first)
	VPMULUDQ(l.low, up, second)
	VPMULUDQ(l.middle, lo, third)
	VPMULUDQ(l.middle, up, high)
	VPMULLQ(l.low, hi, other)
	VPADDQ(other, high, high)
	VPMULLQ(l.high, lo, other)
	VPADDQ(l.addHigh, other, other)
	VPADDQ(other, high, high)
	VPSRLQ(U8(32), first, up)
	VPADDQ(up, second, second)
	VPANDQ(w.half, second, up)
	VPADDQ(up, third, third)
	VPSRLQ(U8(32), second, second)
	VPADDQ(second, high, high)
	VPSLLQ(U8(32), third, low)
	VMOVDQA32(first, reg.K2, low)
	VPSRLQ(U8(32), third, third)
	VPADDQ(third, high, high)
	VPADDQ(l.addLow, low, low)
	const less = 1
	VPCMPUQ(U8(less), l.addLow, low, reg.K3)
	VPADDQ(w.one, high, reg.K3, high)
	return high, low
}

// stream takes eight numbers of one generator, in their order, at a time, and makes of them what the ziggurat does where their strips
// settle them. A lane has the state that gives its number.
func stream() {
	TEXT("avx512Stream", NOSPLIT, "func(p *byte)")
	all := asm.Fields(7)
	table, c, dst, numbers, settled, n, states := all[0], all[1], all[2], all[3], all[4], all[5], all[6]

	every := func(word uint64) reg.VecVirtual {
		v, r := ZMM(), GP64()
		MOVQ(U64(word), r)
		VPBROADCASTQ(r, v)
		return v
	}
	w := words{half: every(1<<32 - 1), one: every(1)}
	mixer, index := every(0xda942042e4dd58b5), every(127)
	bits := GP32()
	MOVL(U32(0x5555), bits)
	KMOVW(bits, reg.K2)

	hi, lo := ZMM(), ZMM()
	VPBROADCASTQ(Mem{Base: states, Disp: 0}, hi)
	VPBROADCASTQ(Mem{Base: states, Disp: 64}, lo)
	hi, lo = linearAt(c, 0).of(w, hi, lo)
	step := linearAt(c, byEight)

	Label("draw")
	VMOVDQU64(hi, Mem{Base: states})
	VMOVDQU64(lo, Mem{Base: states, Disp: 64})
	u, v, j, x := ZMM(), ZMM(), ZMM(), ZMM()
	VPSRLQ(U8(32), hi, u)
	VPXORQ(hi, u, u)
	VPMULLQ(mixer, u, u)
	VPSRLQ(U8(48), u, v)
	VPXORQ(v, u, u)
	VPORQ(w.one, lo, v)
	VPMULLQ(v, u, u)
	VMOVDQU64(u, Mem{Base: numbers})
	// Seven bits choose the strip, and the lower half is a number in it.
	VPSLLQ(U8(32), u, j)
	VPSRAQ(U8(32), j, j)
	VPSRLQ(U8(32), u, u)
	VPANDQ(index, u, u)
	strips := ZMM()
	KXNORB(reg.K1, reg.K1, reg.K1)
	VPXORQ(strips, strips, strips)
	VPGATHERQQ(Mem{Base: table, Index: u, Scale: 8}, reg.K1, strips)
	VPMOVQD(strips, u.AsY())
	VCVTPS2PD(u.AsY(), u)
	VCVTQQ2PD(j, x)
	VMULPD(u, x, x)
	VMOVUPD(x, Mem{Base: dst})
	VPABSQ(j, j)
	VPSRLQ(U8(32), strips, strips)
	const less = 1
	VPCMPUQ(U8(less), strips, j, reg.K1)
	KMOVB(reg.K1, Mem{Base: settled})
	nextHi, nextLo := step.of(w, hi, lo)
	VMOVDQA64(nextHi, hi)
	VMOVDQA64(nextLo, lo)
	ADDQ(U8(64), dst)
	ADDQ(U8(64), numbers)
	INCQ(settled)
	DECQ(n)
	JNZ(LabelRef("draw"))
	asm.End()
}
