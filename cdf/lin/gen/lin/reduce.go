package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.reduction.
const (
	reduceB       = 0
	reduceFours   = 8
	reduceR       = 16
	reduceStep    = 24
	reduceColumns = 32
	reduceBits    = 40
	reduceHead    = 48
	reduceDot     = 56
	reduceMinus   = 64
	reduceMask    = 72
)

// reduce writes the function that finds the reflections of a panel one after the other. Each column has code of its own. Where there
// is nowhere to join them to, it is left out.
//
// Four rows of a column are a vector of 256 bits: of these the first pass makes vectors of rows, which so stay. The sums of a
// column's products then need no shuffles, and what is left of a column whose reflection is found is only read.
func reduce() {
	constants := GLOBL("reduceConstants", RODATA|NOPTR)
	DATA(0, F64(1e-290)) // lin.reflectMin
	DATA(8, F64(-1))
	DATA(16, U64(1<<63))
	reduceHalves(constants)
	TEXT("avx512Reduce", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	z := func(i int) reg.VecPhysical { return asm.Z[i] }
	x := func(i int) reg.VecPhysical { return asm.Low(asm.Z[i]) }
	y := func(i int) reg.VecPhysical { return asm.Middle(asm.Z[i]) }
	row, step, columns := asm.Loaded(at(reduceR)), asm.Loaded(at(reduceStep)), asm.Loaded(at(reduceColumns))
	head, dots, minus := asm.Loaded(at(reduceHead)), asm.Loaded(at(reduceDot)), asm.Loaded(at(reduceMinus))
	bits := asm.Loaded(at(reduceBits))
	zero := z(31)
	VPXORQ(zero, zero, zero)
	for k := range panelCols {
		label := func(what string) string { return fmt.Sprintf("%s%d", what, k) }
		products(p, k, label("four"))
		below, alpha, square := x(19), x(18), x(20)
		VPERMILPD(U8(5), y(k), y(16))
		VADDPD(y(16), y(k), y(16))
		VEXTRACTF64X2(U8(1), y(16), x(17))
		VADDSD(x(17), x(16), below)
		dot := z(16)
		together(y)
		VINSERTF64X4(U8(1), y(1), z(0), dot)
		VMOVUPD(dot, Mem{Base: dots})

		// The columns after this one.
		after := GP64()
		MOVQ(bits, after)
		ANDQ(U32(0xff&^(1<<(k+1)-1)), after)
		KMOVW(after.As32(), reg.K2)
		rest := z(17)
		VMOVUPD_Z(Mem{Base: row}, reg.K2, rest)
		VMOVSD(Mem{Base: row, Disp: 8 * k}, alpha)
		VMULSD(alpha, alpha, square)
		VADDSD(below, square, square)
		beta, sign, factor, t := x(20), x(21), x(22), x(23)
		VXORPD(factor, factor, factor)
		VXORPD(t, t, t)
		VUCOMISD(factor, below)
		JBE(LabelRef(label("found")))
		VUCOMISD(constants.Offset(0), square)
		JB(LabelRef(label("found")))
		VSQRTSD(square, square, beta)
		VMOVSD(constants.Offset(16), sign)
		VANDNPD(sign, alpha, sign) // the sign that avoids cancellation
		VORPD(sign, beta, beta)
		VMOVSD(beta, Mem{Base: row, Disp: 8 * k})
		VSUBSD(beta, alpha, factor)
		VMULSD(factor, beta, t)
		VMOVSD(constants.Offset(8), sign)
		VDIVSD(t, sign, t)
		Label(label("found"))
		VMOVSD(factor, Mem{Base: head, Disp: 8 * k})
		heads, by := z(24), z(25)
		VBROADCASTSD(factor, heads)
		VMULPD(rest, heads, by)
		VADDPD(dot, by, by)
		// What does not wait for t comes first.
		if k < 3 {
			for l := k + 1; l < 4; l++ {
				VPERMPD(U8(0x55*l), asm.Middle(by), y(8+l))
			}
		}
		if k < 7 {
			VEXTRACTF64X4(U8(1), by, y(26))
			for l := max(k+1, 4); l < 8; l++ {
				VPERMPD(U8(0x55*(l-4)), y(26), y(8+l))
			}
		}
		VBROADCASTSD(t, z(27))
		for l := k + 1; l < 8; l++ {
			VMULPD(y(8+l), y(27), y(8+l))
		}
		VMULPD_Z(by, z(27), reg.K2, by)
		VMULPD(by, heads, by)
		VSUBPD(by, rest, rest)
		VMOVUPD(rest, reg.K2, Mem{Base: row})
		TESTQ(minus, minus)
		JZ(LabelRef(label("joined")))
		join(asm.AVX512, k, t, dots, minus, constants.Offset(16), zero, [4]reg.VecPhysical{x(27), x(28), x(29), x(30)})
		Label(label("joined"))
		if k < 7 {
			CMPQ(columns, U8(k+1))
			JEQ(LabelRef("end"))
			ADDQ(step, row)
			SUBQ(U8(8), step)
		}
	}
	Label("end")
	asm.End()
}

const panelCols = 8 // of lin

// products takes the reflection of the column before k off four rows at a time, and leaves in the first eight registers the
// sums of the products of column k with all.
func products(p reg.Register, k int, label string) {
	y := func(i int) reg.VecPhysical { return asm.Middle(asm.Z[i]) }
	by := func(l int) reg.VecPhysical { return y(8 + l) }
	b, left := asm.Loaded(Mem{Base: p, Disp: reduceB}), asm.Loaded(Mem{Base: p, Disp: reduceFours})
	at := func(l int) Mem { return Mem{Base: b, Disp: 32 * l} }
	for l := range panelCols {
		VPXORQ(asm.Z[l], asm.Z[l], asm.Z[l])
	}
	Label(label)
	if k == 0 {
		columnsOfRows(b, y)
		for l := range panelCols {
			VMOVUPD(y(16+l), at(l))
			VFMADD231PD(y(16+l), y(16), y(l))
		}
	} else {
		advance(k, at, y(16), func(l int) reg.VecPhysical { return y(17 + l - k) }, func(l int) Op { return by(l) }, y)
	}
	ADDQ(U32(256), b)
	DECQ(left)
	JNZ(LabelRef(label))
}

// advance takes the reflection of the column before k off four rows, and adds the products of column k with all to the sums.
func advance(k int, at func(l int) Mem, before reg.VecPhysical, entry func(l int) reg.VecPhysical, by func(l int) Op, sum func(l int) reg.VecPhysical) {
	VMOVUPD(at(k-1), before)
	for l := k; l < panelCols; l++ {
		VMOVUPD(at(l), entry(l))
		VFNMADD231PD(by(l), before, entry(l))
		VMOVUPD(entry(l), at(l))
		VFMADD231PD(entry(l), entry(k), sum(l))
	}
	for l := range k {
		VFMADD231PD(at(l), entry(k), sum(l))
	}
}

// columnsOfRows loads four rows of eight columns as vectors of four rows.
func columnsOfRows(b reg.Register, y func(int) reg.VecPhysical) {
	for l := 0; l < panelCols; l += 2 {
		even, odd := y(16+l), y(17+l)
		first, second := y(24+l%4), y(25+l%4)
		at := func(r int) Mem { return Mem{Base: b, Disp: 64*r + 8*l} }
		VMOVUPD(at(0), asm.Low(first))
		VMOVUPD(at(1), asm.Low(second))
		VINSERTF64X2(U8(1), at(2), first, first)
		VINSERTF64X2(U8(1), at(3), second, second)
		VUNPCKLPD(second, first, even)
		VUNPCKHPD(second, first, odd)
	}
}

// together leaves the sums of four lanes of each of the first eight registers in the first two.
func together(y func(int) reg.VecPhysical) {
	neighbours(y, 24)
	for half := range 2 {
		a, b, other := y(4*half), y(4*half+2), y(24+half)
		VSHUFF64X2(U8(3), b, a, other)
		VINSERTF64X2(U8(1), asm.Low(b), a, y(half))
		VADDPD(other, y(half), y(half))
	}
}

// neighbours leaves in every other of the first eight registers the sums of two neighbouring lanes of it and of the next, with four
// registers from free on.
func neighbours(y func(int) reg.VecPhysical, free int) {
	for l := 0; l < panelCols; l += 2 {
		other := y(free + l/2)
		VUNPCKHPD(y(l+1), y(l), other)
		VUNPCKLPD(y(l+1), y(l), y(l))
		VADDPD(other, y(l), y(l))
	}
}

// join is that of lin: row i of minus times the products, in the order of Dot, whose four sums begin at
// the first entry, and of which the first takes what is left.
func join(set asm.Set, k int, t, dots, minus reg.Register, sign Mem, zero reg.VecPhysical, free [4]reg.VecPhysical) {
	at := func(i, l int) Mem { return Mem{Base: minus, Disp: 8 * (8*i + l)} }
	less, sum, other, last := free[0], free[1], free[2], free[3]
	product := func(i, l int, to reg.Register) {
		VMOVSD(at(i, l), to)
		VMULSD(Mem{Base: dots, Disp: 8 * l}, to, to)
	}
	VMOVSD(sign, less)
	VXORPD(less, t, less)
	for i := range k {
		product(i, i, sum)
		first := 1
		if k-i >= 4 {
			first = 4
		}
		for l := i + first; l < k; l++ {
			product(i, l, other)
			VADDSD(other, sum, sum)
		}
		if first == 4 {
			product(i, i+1, other)
			VADDSD(other, sum, sum)
			product(i, i+2, other)
			product(i, i+3, last)
			VADDSD(last, other, other)
			VADDSD(other, sum, sum)
		}
		VADDSD(asm.Low(zero), sum, sum) // with which Dot begins: it is not -0
		VMULSD(less, sum, sum)
		VMOVSD(sum, at(i, k))
	}
	for l := 0; l < panelCols; l += set.Lanes {
		VMOVUPD(zero, at(k, l))
	}
	VMOVSD(less, at(k, k))
}
