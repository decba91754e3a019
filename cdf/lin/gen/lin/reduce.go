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
)

// reduce writes the function that finds the reflections of a panel one after the other, of which a
// row is one vector. Each column has code of its own, and its lane. Where there is nowhere to join them to, it is left out.
func reduce() {
	constants := GLOBL("reduceConstants", RODATA|NOPTR)
	DATA(0, F64(1e-290)) // lin.reflectMin
	DATA(8, F64(-1))
	DATA(16, U64(1<<63))
	TEXT("avx512Reduce", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	z := func(i int) reg.VecPhysical { return asm.Z[i] }
	x := func(i int) reg.VecPhysical { return asm.Low(asm.Z[i]) }
	row, step, columns := asm.Loaded(at(reduceR)), asm.Loaded(at(reduceStep)), asm.Loaded(at(reduceColumns))
	head, dots, minus := asm.Loaded(at(reduceHead)), asm.Loaded(at(reduceDot)), asm.Loaded(at(reduceMinus))
	bits := asm.Loaded(at(reduceBits))
	by, pivot, dot, zero := z(4), z(5), z(0), z(31)
	VPXORQ(zero, zero, zero)
	VPXORQ(by, by, by)
	for k := range 8 {
		label := func(what string) string { return fmt.Sprintf("%s%d", what, k) }
		lane := GP64()
		MOVQ(U32(k), lane)
		VPBROADCASTQ(lane, pivot)
		products(p, max(k-1, 0), label("four"))
		VADDPD(z(1), z(0), z(0))
		VADDPD(z(3), z(2), z(2))
		VADDPD(z(2), z(0), dot)
		VMOVUPD(dot, Mem{Base: dots})

		// The columns after this one.
		after := GP64()
		MOVQ(bits, after)
		ANDQ(U32(0xff&^(1<<(k+1)-1)), after)
		KMOVW(after.As32(), reg.K2)
		rest, alpha, below, square := z(9), x(6), x(7), x(8)
		VMOVUPD_Z(Mem{Base: row}, reg.K2, rest)
		VMOVSD(Mem{Base: row, Disp: 8 * k}, alpha)
		VALIGNQ(U8(k), dot, dot, z(7))
		VMULSD(alpha, alpha, square)
		VADDSD(below, square, square)
		beta, factor, t := x(10), x(12), x(13)
		VXORPD(factor, factor, factor)
		VXORPD(t, t, t)
		VUCOMISD(factor, below)
		JBE(LabelRef(label("found")))
		VUCOMISD(constants.Offset(0), square)
		JB(LabelRef(label("found")))
		VSQRTSD(square, square, beta)
		VMOVSD(constants.Offset(16), x(11))
		VANDNPD(x(11), alpha, x(11)) // the sign that avoids cancellation
		VORPD(x(11), beta, beta)
		VMOVSD(beta, Mem{Base: row, Disp: 8 * k})
		VSUBSD(beta, alpha, factor)
		VMULSD(factor, beta, t)
		VMOVSD(constants.Offset(8), x(11))
		VDIVSD(t, x(11), t)
		Label(label("found"))
		VMOVSD(factor, Mem{Base: head, Disp: 8 * k})
		VBROADCASTSD(factor, z(14))
		VBROADCASTSD(t, z(15))
		VMULPD(rest, z(14), z(16))
		VADDPD(dot, z(16), z(16))
		VMULPD_Z(z(16), z(15), reg.K2, by)
		VMULPD(by, z(14), z(17))
		VSUBPD(z(17), rest, z(17))
		VMOVUPD(z(17), reg.K2, Mem{Base: row})
		TESTQ(minus, minus)
		JZ(LabelRef(label("joined")))
		join(k, t, dots, minus, constants.Offset(16), zero)
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

// products is the loop of reflect: it takes the reflection of a column off four rows at a time, by its
// entries in that column, and leaves the sums of the products with the pivot's column.
func products(p reg.Register, column int, label string) {
	z := func(i int) reg.VecPhysical { return asm.Z[i] }
	b, left := asm.Loaded(Mem{Base: p, Disp: reduceB}), asm.Loaded(Mem{Base: p, Disp: reduceFours})
	for r := range 4 {
		VPXORQ(z(r), z(r), z(r))
	}
	Label(label)
	for r := range 4 {
		factor, pivot, entry := z(6+3*r), z(7+3*r), z(8+3*r)
		VBROADCASTSD(Mem{Base: b, Disp: 64*r + 8*column}, factor)
		VMOVUPD(Mem{Base: b, Disp: 64 * r}, entry)
		VFNMADD231PD(z(4), factor, entry)
		VMOVUPD(entry, Mem{Base: b, Disp: 64 * r})
		VPERMPD(entry, z(5), pivot)
		VFMADD231PD(entry, pivot, z(r))
	}
	ADDQ(U32(256), b)
	DECQ(left)
	JNZ(LabelRef(label))
}

// join is that of lin: row i of minus times the products, in the order of Dot, whose four sums begin at
// the first entry, and of which the first takes what is left.
func join(k int, t, dots, minus reg.Register, sign Mem, zero reg.VecPhysical) {
	x := func(i int) reg.VecPhysical { return asm.Low(asm.Z[i]) }
	at := func(i, l int) Mem { return Mem{Base: minus, Disp: 8 * (8*i + l)} }
	less, sum, other, last := x(6), x(7), x(8), x(9)
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
	VMOVUPD(zero, at(k, 0))
	VMOVSD(less, at(k, k))
}
