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

	cornerOrder = 24
)

// inverses writes the functions that invert a square of 24 on the diagonal of a packed factor.
func inverses() {
	wideInverse()
	narrowInverse()
}

// inverse is the part of both that is the same. From the last row up a row is the sum of those below it times its entries, four at a
// time, and stays in registers. Products are rounded before they are added.
type inverse struct {
	set          asm.Set
	r, step, dst reg.GPVirtual
	strides      asm.Strides
	count        reg.GPVirtual // of the rows below
	d, minus     reg.VecPhysical
	acc, t       func(i int) reg.VecPhysical
	product      func(i, q int) reg.VecPhysical
}

func (v *inverse) vectors() int { return cornerOrder / v.set.Lanes }

// begin loads the fields.
func (v *inverse) begin() {
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	v.r, v.step, v.dst = asm.Loaded(at(cornerR)), asm.Loaded(at(cornerStep)), asm.Loaded(at(cornerDst))
	v.strides = asm.StridesOf(asm.Loaded(at(cornerStride)))
}

// sum adds up the rows below.
func (v *inverse) sum() {
	for q := range v.vectors() {
		v.set.Zero(v.acc(q))
	}
	x, s, left := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: v.r, Disp: 8}, x)
	LEAQ(Mem{Base: v.dst, Index: v.strides.Once, Scale: 1}, s)
	MOVQ(v.count, left)
	row := func(i, q int) Mem { return v.strides.At([]reg.GPVirtual{s}, i, 8*v.set.Lanes*q) }
	Label("four")
	CMPQ(left, U8(4))
	JLT(LabelRef("one"))
	for i := range 4 {
		VBROADCASTSD(Mem{Base: x, Disp: 8 * i}, v.t(i))
	}
	for q := range v.vectors() {
		product := func(i int) reg.VecPhysical { return v.product(i, q) }
		for i := range 4 {
			VMULPD(row(i, q), v.t(i), product(i))
		}
		VADDPD(product(1), product(0), product(0))
		VADDPD(product(3), product(2), product(2))
		VADDPD(product(2), product(0), product(0))
		VADDPD(product(0), v.acc(q), v.acc(q))
	}
	ADDQ(U8(32), x)
	v.strides.Advance(s, s)
	SUBQ(U8(4), left)
	JMP(LabelRef("four"))
	Label("one")
	TESTQ(left, left)
	JZ(LabelRef("done"))
	VBROADCASTSD(Mem{Base: x}, v.t(0))
	for q := range v.vectors() {
		VMULPD(row(0, q), v.t(0), v.product(0, q))
		VADDPD(v.product(0, q), v.acc(q), v.acc(q))
	}
	ADDQ(U8(8), x)
	ADDQ(v.strides.Once, s)
	DECQ(left)
	JMP(LabelRef("one"))
	Label("done")
}

// up goes to the row above.
func (v *inverse) up() {
	SUBQ(v.strides.Once, v.dst)
	ADDQ(U8(8), v.step)
	SUBQ(v.step, v.r)
	INCQ(v.count)
}

// wideInverse writes it for AVX-512, with masks of the columns after the diagonal and of that on it.
func wideInverse() {
	TEXT("avx512Invert", NOSPLIT, "func(p *byte)")
	v := &inverse{
		set: asm.AVX512, d: asm.Z[20], minus: asm.Z[21],
		acc:     func(q int) reg.VecPhysical { return asm.Z[q] },
		t:       func(i int) reg.VecPhysical { return asm.Z[4+i] },
		product: func(i, q int) reg.VecPhysical { return asm.Z[8+4*q+i] },
	}
	v.begin()
	d, minus, one, minusOne := v.d, v.minus, asm.Z[22], asm.Z[23]
	above, own := GP64(), GP64()
	v.count = GP64()
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
	XORQ(v.count, v.count)

	Label("row")
	// Of d nobody waits for.
	VDIVSD(Mem{Base: v.r}, asm.Low(one), asm.Low(d))
	VDIVSD(Mem{Base: v.r}, asm.Low(minusOne), asm.Low(minus))
	VBROADCASTSD(asm.Low(d), d)
	VBROADCASTSD(asm.Low(minus), minus)
	v.sum()
	bits, diagonal := GP64(), GP64()
	MOVQ(above, bits)
	MOVQ(own, diagonal)
	for q := range v.vectors() {
		KMOVW(bits.As32(), reg.K1)
		KMOVW(diagonal.As32(), reg.K2)
		VMULPD_Z(minus, v.acc(q), reg.K1, v.acc(q))
		VMOVAPD(d, reg.K2, v.acc(q))
		VMOVUPD(v.acc(q), Mem{Base: v.dst, Disp: 64 * q})
		if q < v.vectors()-1 {
			SHRQ(U8(8), bits)
			SHRQ(U8(8), diagonal)
		}
	}
	SARQ(U8(1), above)
	v.up()
	SHRQ(U8(1), own)
	JNZ(LabelRef("row"))
	asm.End()
}

// narrowInverse writes it for AVX2. Its masks are a window of a table, and the one on the diagonal is where those of two windows
// differ.
func narrowInverse() {
	ones := GLOBL("invertOnes", RODATA|NOPTR)
	DATA(0, F64(1))
	DATA(8, F64(-1))
	masks := GLOBL("invertMasks", RODATA|NOPTR)
	for i := range 2*cornerOrder + 1 {
		lane := uint64(0)
		if i >= cornerOrder {
			lane = 1<<64 - 1
		}
		DATA(8*i, U64(lane))
	}
	TEXT("avx2Invert", NOSPLIT, "func(p *byte)")
	v := &inverse{
		set: asm.AVX2, d: asm.Y[14], minus: asm.Y[15],
		acc:     func(q int) reg.VecPhysical { return asm.Y[q] },
		t:       func(i int) reg.VecPhysical { return asm.Y[6+i] },
		product: func(i, _ int) reg.VecPhysical { return asm.Y[10+i] },
	}
	v.begin()
	window := GP64()
	LEAQ(masks, window)
	v.count = GP64()
	XORQ(v.count, v.count)

	Label("row")
	for i, to := range []reg.VecPhysical{v.d, v.minus} {
		VMOVSD(ones.Offset(8*i), asm.Low(to))
		VDIVSD(Mem{Base: v.r}, asm.Low(to), asm.Low(to))
		VBROADCASTSD(asm.Low(to), to)
	}
	v.sum()
	after, own := asm.Y[6], asm.Y[7]
	for q := range v.vectors() {
		VMOVUPD(Mem{Base: window, Disp: 32 * q}, after)
		VANDNPD(Mem{Base: window, Disp: 32*q + 8}, after, own)
		VMULPD(v.minus, v.acc(q), v.acc(q))
		VANDPD(after, v.acc(q), v.acc(q))
		VANDPD(v.d, own, own)
		VORPD(own, v.acc(q), v.acc(q))
		VMOVUPD(v.acc(q), Mem{Base: v.dst, Disp: 32 * q})
	}
	ADDQ(U8(8), window)
	v.up()
	CMPQ(v.count, U8(cornerOrder))
	JNE(LabelRef("row"))
	asm.End()
}
