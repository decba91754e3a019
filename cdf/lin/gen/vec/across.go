package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// across standardises eight columns, eight entries of each at a time, and makes rows of them. The quotients
// and what was too large or too small are those of standardizeWide.
func across() {
	TEXT("avx512Across", NOSPLIT, "func(columns **float64, constants, b *float64, stride, n int) int")
	columns, constants, b, n := asm.Argument("columns"), asm.Argument("constants"), asm.Argument("b"), asm.Argument("n")
	rows := asm.StridesOf(asm.Argument("stride"))
	z := func(i int) reg.VecPhysical { return asm.Z[i] }
	sign, one, greatest, smallest := z(28), z(29), z(30), z(31)
	VPBROADCASTQ(wideLimits.Offset(0), sign)
	VPBROADCASTQ(wideLimits.Offset(24), one)
	VPXORQ(greatest, greatest, greatest)
	VPTERNLOGQ(U8(0xff), smallest, smallest, smallest)
	at, v := GP64(), GP64()
	XORQ(at, at)
	Label("next")
	for j := range 8 {
		x, q, r := z(8+j%4), z(j), z(12+j%4)
		constant := func(of int) Mem { return Mem{Base: constants, Disp: 64*of + 8*j} }
		MOVQ(Mem{Base: columns, Disp: 8 * j}, v)
		VMOVUPD(Mem{Base: v, Index: at, Scale: 8}, x)
		VSUBPD_BCST(constant(0), x, x)
		VMULPD_BCST(constant(2), x, q)
		for range 2 {
			VMOVAPD(x, r)
			VFNMADD231PD_BCST(constant(1), q, r)
			VFMADD231PD_BCST(constant(2), r, q)
		}
		VPANDQ(sign, x, r)
		VPMAXUQ(r, greatest, greatest)
		VPSUBQ(one, r, r)
		VPMINUQ(r, smallest, smallest)
		VPTERNLOGQ(U8(either), sign, x, q)
	}
	// Pairs of columns in turn, even rows and odd ones, then their quarters.
	const evens, odds = 0x88, 0xdd
	base := []reg.GPVirtual{b, GP64()}
	rows.Advance(b, base[1])
	for odd := range 2 {
		pair, half := func(i int) reg.VecPhysical { return z(8 + 4*odd + i) }, func(i int) reg.VecPhysical { return z(16 + 4*odd + i) }
		for i := range 4 {
			if odd == 0 {
				VUNPCKLPD(z(2*i+1), z(2*i), pair(i))
			} else {
				VUNPCKHPD(z(2*i+1), z(2*i), pair(i))
			}
		}
		for i := range 2 {
			VSHUFF64X2(U8(evens), pair(2*i+1), pair(2*i), half(2*i))
			VSHUFF64X2(U8(odds), pair(2*i+1), pair(2*i), half(2*i+1))
		}
		for i := range 2 {
			VSHUFF64X2(U8(evens), half(2+i), half(i), pair(2*i))
			VSHUFF64X2(U8(odds), half(2+i), half(i), pair(2*i+1))
			VMOVUPD(pair(2*i), rows.At(base, odd+2*i, 0))
			VMOVUPD(pair(2*i+1), rows.At(base, odd+2*i+4, 0))
		}
	}
	rows.Advance(base[1], b)
	ADDQ(U8(8), at)
	CMPQ(at, n)
	JLT(LabelRef("next"))
	endWithLimits(greatest, smallest, z(0))
}

// acrossHalves writes it for AVX2: four rows at a time, of four columns and of the other four.
func acrossHalves() {
	TEXT("avx2Across", NOSPLIT, "func(columns **float64, constants, b *float64, stride, n int) int")
	columns, constants, b, n := asm.Argument("columns"), asm.Argument("constants"), asm.Argument("b"), asm.Argument("n")
	rows := asm.StridesOf(asm.Argument("stride"))
	y := func(i int) reg.VecPhysical { return asm.Y[i] }
	w := watchOf(asm.Y[11:])
	at, v := GP64(), GP64()
	XORQ(at, at)
	Label("next")
	for half := range 2 {
		for i := range 4 {
			j, x, q, r, constant := 4*half+i, y(4), y(i), y(5), y(6)
			load := func(of int, to reg.VecPhysical) { VBROADCASTSD(Mem{Base: constants, Disp: 64*of + 8*j}, to) }
			MOVQ(Mem{Base: columns, Disp: 8 * j}, v)
			VMOVUPD(Mem{Base: v, Index: at, Scale: 8}, x)
			load(0, constant)
			VSUBPD(constant, x, x)
			load(1, constant)
			load(2, y(7))
			quotientsOf(constant, y(7), x, q, r)
			w.look(x, q, r, y(8), y(9))
		}
		for odd := range 2 {
			first, second, row := y(4), y(5), y(6)
			if odd == 0 {
				VUNPCKLPD(y(1), y(0), first)
				VUNPCKLPD(y(3), y(2), second)
			} else {
				VUNPCKHPD(y(1), y(0), first)
				VUNPCKHPD(y(3), y(2), second)
			}
			VINSERTF128(U8(1), asm.Low(second), first, row)
			VMOVUPD(row, rows.At([]reg.GPVirtual{b}, odd, 32*half))
			VPERM2F128(U8(0x31), second, first, row)
			VMOVUPD(row, rows.At([]reg.GPVirtual{b}, odd+2, 32*half))
		}
	}
	rows.Advance(b, b)
	ADDQ(U8(4), at)
	CMPQ(at, n)
	JLT(LabelRef("next"))
	asm.EndWithSigns(w.bad)
}
