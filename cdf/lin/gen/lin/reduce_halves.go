package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// reduceHalves writes reduce for AVX2. A row of the factor is two vectors. What the columns before the fifth lose to a reflection is kept
// in memory for want of registers.
func reduceHalves(constants Mem) {
	TEXT("avx2Reduce", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	kept := AllocLocal(3 * 32)
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	y := func(i int) reg.VecPhysical { return asm.Y[i] }
	x := func(i int) reg.VecPhysical { return asm.Low(asm.Y[i]) }
	row, step, columns := asm.Loaded(at(reduceR)), asm.Loaded(at(reduceStep)), asm.Loaded(at(reduceColumns))
	head, dots, minus := asm.Loaded(at(reduceHead)), asm.Loaded(at(reduceDot)), asm.Loaded(at(reduceMinus))
	bits := asm.Loaded(at(reduceBits))
	by := func(l int) Op {
		if l < 4 {
			return kept.Offset(32 * (l - 1))
		}
		return y(8 + l)
	}
	for k := range panelCols {
		label := func(what string) string { return fmt.Sprintf("%s%d", what, k) }
		productsOfHalves(p, k, by, label("four"))
		below, alpha, square := x(8), x(10), x(11)
		VPERMILPD(U8(5), y(k), y(8))
		VADDPD(y(8), y(k), y(8))
		VEXTRACTF128(U8(1), y(8), x(9))
		VADDSD(x(9), x(8), below)
		togetherOfHalves()

		// The halves of the row that have columns from this one on.
		first := k / 4
		dot := func(half int) reg.VecPhysical { return y(half) }
		rest := func(half int) reg.VecPhysical { return y(2 + half) }
		byOf := func(half int) reg.VecPhysical { return y(6 + half) }
		for half := range 2 {
			VMOVUPD(dot(half), Mem{Base: dots, Disp: 32 * half})
		}
		for half := first; half < 2; half++ {
			VMOVUPD(at(reduceMask+32*half), y(9))
			VMASKMOVPD(Mem{Base: row, Disp: 32 * half}, y(9), rest(half))
		}
		VMOVSD(Mem{Base: row, Disp: 8 * k}, alpha)
		VMULSD(alpha, alpha, square)
		VADDSD(below, square, square)
		beta, sign, factor, t := x(12), x(9), x(4), x(5)
		VMOVAPD(alpha, beta)
		VXORPD(factor, factor, factor)
		VXORPD(t, t, t)
		VUCOMISD(factor, below)
		JBE(LabelRef(label("found")))
		VUCOMISD(constants, square)
		JB(LabelRef(label("found")))
		VSQRTSD(square, square, beta)
		VMOVSD(constants.Offset(16), sign)
		VANDPD(sign, alpha, t)
		VXORPD(sign, t, t) // the sign that avoids cancellation
		VORPD(t, beta, beta)
		VSUBSD(beta, alpha, factor)
		VMULSD(factor, beta, t)
		VMOVSD(constants.Offset(8), sign)
		VDIVSD(t, sign, t)
		Label(label("found"))
		VMOVSD(factor, Mem{Base: head, Disp: 8 * k})
		heads, ts := y(4), y(5)
		VBROADCASTSD(factor, heads)
		VBROADCASTSD(beta, y(8))
		for half := first; half < 2; half++ {
			VMULPD(rest(half), heads, byOf(half))
			VADDPD(dot(half), byOf(half), byOf(half))
		}
		VBROADCASTSD(t, ts)
		for half := first; half < 2; half++ {
			VMULPD(byOf(half), ts, byOf(half))
			for l := max(k+1, 4*half); l < 4*half+4; l++ {
				if m, ok := by(l).(Mem); ok {
					VPERMPD(U8(0x55*(l%4)), byOf(half), y(9))
					VMOVUPD(y(9), m)
				} else {
					VPERMPD(U8(0x55*(l%4)), byOf(half), by(l))
				}
			}
		}
		for half := first; half < 2; half++ {
			VMULPD(byOf(half), heads, byOf(half))
			VSUBPD(byOf(half), rest(half), byOf(half))
			if lane := k - 4*half; lane >= 0 {
				VBLENDPD(U8(1<<(lane+1)-1), rest(half), byOf(half), byOf(half))
				VBLENDPD(U8(1<<lane), y(8), byOf(half), byOf(half))
			}
		}
		store := func(do func(half int, m Mem)) {
			for half := first; half < 2; half++ {
				do(half, Mem{Base: row, Disp: 32 * half})
			}
		}
		CMPQ(bits, U32(1<<panelCols-1))
		JNE(LabelRef(label("part")))
		store(func(half int, m Mem) { VMOVUPD(byOf(half), m) })
		JMP(LabelRef(label("stored")))
		Label(label("part"))
		store(func(half int, m Mem) {
			VMOVUPD(at(reduceMask+32*half), y(9))
			VMASKMOVPD(byOf(half), y(9), m)
		})
		Label(label("stored"))
		TESTQ(minus, minus)
		JZ(LabelRef(label("joined")))
		VXORPD(y(10), y(10), y(10))
		join(asm.AVX2, k, t, dots, minus, constants.Offset(16), y(10), [4]reg.VecPhysical{x(6), x(7), x(8), x(9)})
		Label(label("joined"))
		if k < panelCols-1 {
			CMPQ(columns, U8(k+1))
			JEQ(LabelRef("end"))
			ADDQ(step, row)
			SUBQ(U8(8), step)
		}
	}
	Label("end")
	asm.End()
}

// productsOfHalves is products for AVX2.
func productsOfHalves(p reg.Register, k int, by func(l int) Op, label string) {
	y := func(i int) reg.VecPhysical { return asm.Y[i] }
	b, left := asm.Loaded(Mem{Base: p, Disp: reduceB}), asm.Loaded(Mem{Base: p, Disp: reduceFours})
	at := func(l int) Mem { return Mem{Base: b, Disp: 32 * l} }
	for l := range panelCols {
		VXORPD(y(l), y(l), y(l))
	}
	Label(label)
	if k == 0 {
		columnsOfHalves(b, at)
	} else {
		advance(k, at, y(8), func(l int) reg.VecPhysical {
			if l == k {
				return y(9)
			}
			return y(10 + l%2)
		}, by, y)
	}
	ADDQ(U32(256), b)
	DECQ(left)
	JNZ(LabelRef(label))
}

// columnsOfHalves makes of four rows of eight columns as many vectors of four rows, in their place, and adds the products of the first with
// all of them. The last four columns are taken first: the vectors of the first lie where these begin.
func columnsOfHalves(b reg.Register, at func(l int) Mem) {
	y := func(i int) reg.VecPhysical { return asm.Y[i] }
	load := func(l int, first, second reg.VecPhysical) {
		m := func(r int) Mem { return Mem{Base: b, Disp: 64*r + 8*l} }
		VMOVUPD(m(0), asm.Low(first))
		VMOVUPD(m(1), asm.Low(second))
		VINSERTF128(U8(1), m(2), first, first)
		VINSERTF128(U8(1), m(3), second, second)
	}
	unpack := func(first, second, even, odd reg.VecPhysical) {
		VUNPCKLPD(second, first, even)
		VUNPCKHPD(second, first, odd)
	}
	own := y(8)
	done := func(l int, entry reg.VecPhysical) {
		VFMADD231PD(entry, own, y(l))
		VMOVUPD(entry, at(l))
	}
	load(4, y(10), y(11))
	unpack(y(10), y(11), y(12), y(13))
	load(6, y(10), y(11))
	unpack(y(10), y(11), y(14), y(15))
	load(0, y(10), y(11))
	unpack(y(10), y(11), own, y(9))
	load(2, y(10), y(11))
	done(1, y(9))
	unpack(y(10), y(11), y(9), y(10))
	done(2, y(9))
	done(3, y(10))
	for l := 4; l < panelCols; l++ {
		done(l, y(8+l))
	}
	done(0, own)
}

// togetherOfHalves is together for AVX2.
func togetherOfHalves() {
	y := func(i int) reg.VecPhysical { return asm.Y[i] }
	neighbours(y, 12)
	for half := range 2 {
		a, b, other := y(4*half), y(4*half+2), y(12+half)
		VPERM2F128(U8(0x31), b, a, other)
		VINSERTF128(U8(1), asm.Low(b), a, y(half))
		VADDPD(other, y(half), y(half))
	}
}
