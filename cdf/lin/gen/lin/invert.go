package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.corner.
const (
	cornerR      = 0
	cornerStep   = 8
	cornerDst    = 16
	cornerStride = 24
)

// inverses writes the function that inverts a square of 24 on the diagonal of a packed factor, from the last row up: a row
// is the sum of those below it times its entries, four at a time, and stays in three registers. Products are rounded before they
// are added.
func inverses() {
	const vectors = 3
	TEXT("avx512Invert", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	r, step, dst := asm.Loaded(at(cornerR)), asm.Loaded(at(cornerStep)), asm.Loaded(at(cornerDst))
	strides := asm.StridesOf(asm.Loaded(at(cornerStride)))
	acc := func(q int) reg.VecPhysical { return asm.Z[q] }
	t := func(i int) reg.VecPhysical { return asm.Z[4+i] }
	v := func(i, q int) reg.VecPhysical { return asm.Z[8+4*q+i] }
	d, minus, one, minusOne := asm.Z[20], asm.Z[21], asm.Z[22], asm.Z[23]
	above, own, count := GP64(), GP64(), GP64()
	tmp := GP64()
	for _, c := range []struct {
		bits uint64
		to   reg.VecPhysical
	}{{0x3ff0000000000000, one}, {0xbff0000000000000, minusOne}} {
		MOVQ(U64(c.bits), tmp)
		VMOVQ(tmp, asm.Low(c.to))
	}
	MOVQ(I32(-1<<24), above)
	MOVQ(U32(1<<23), own)
	XORQ(count, count)

	Label("row")
	// Of d nobody waits for.
	VDIVSD(Mem{Base: r}, asm.Low(one), asm.Low(d))
	VDIVSD(Mem{Base: r}, asm.Low(minusOne), asm.Low(minus))
	VBROADCASTSD(asm.Low(d), d)
	VBROADCASTSD(asm.Low(minus), minus)
	for q := range vectors {
		asm.AVX512.Zero(acc(q))
	}
	x, s, left := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: r, Disp: 8}, x)
	LEAQ(Mem{Base: dst, Index: strides.Once, Scale: 1}, s)
	MOVQ(count, left)
	row := func(i, q int) Mem { return strides.At([]reg.GPVirtual{s}, i, 64*q) }
	Label("four")
	CMPQ(left, U8(4))
	JLT(LabelRef("one"))
	for i := range 4 {
		VBROADCASTSD(Mem{Base: x, Disp: 8 * i}, t(i))
	}
	for q := range vectors {
		for i := range 4 {
			VMULPD(row(i, q), t(i), v(i, q))
		}
		VADDPD(v(1, q), v(0, q), v(0, q))
		VADDPD(v(3, q), v(2, q), v(2, q))
		VADDPD(v(2, q), v(0, q), v(0, q))
		VADDPD(v(0, q), acc(q), acc(q))
	}
	ADDQ(U8(32), x)
	strides.Advance(s, s)
	SUBQ(U8(4), left)
	JMP(LabelRef("four"))
	Label("one")
	TESTQ(left, left)
	JZ(LabelRef("done"))
	VBROADCASTSD(Mem{Base: x}, t(0))
	for q := range vectors {
		VMULPD(row(0, q), t(0), v(0, q))
		VADDPD(v(0, q), acc(q), acc(q))
	}
	ADDQ(U8(8), x)
	ADDQ(strides.Once, s)
	DECQ(left)
	JMP(LabelRef("one"))
	Label("done")

	bits, diagonal := GP64(), GP64()
	MOVQ(above, bits)
	MOVQ(own, diagonal)
	for q := range vectors {
		KMOVW(bits.As32(), reg.K1)
		KMOVW(diagonal.As32(), reg.K2)
		VMULPD_Z(minus, acc(q), reg.K1, acc(q))
		VMOVAPD(d, reg.K2, acc(q))
		VMOVUPD(acc(q), Mem{Base: dst, Disp: 64 * q})
		if q < vectors-1 {
			SHRQ(U8(8), bits)
			SHRQ(U8(8), diagonal)
		}
	}
	SARQ(U8(1), above)
	SUBQ(strides.Once, dst)
	ADDQ(U8(8), step)
	SUBQ(step, r)
	INCQ(count)
	SHRQ(U8(1), own)
	JNZ(LabelRef("row"))
	asm.End()
}
