package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of normal.curve, and how many coefficients there are.
const (
	shift = 0
	half  = 8
	table = 64
	by    = table + 16*128

	terms = 13
)

// points loads the fields of normal.points.
func points() (c, x, y, n reg.GPVirtual) {
	all := asm.Fields(4)
	return all[0], all[1], all[2], all[3]
}

// wideCurve writes the function for AVX-512. The halves of a table of sixteen are vectors to
// pick from.
func wideCurve() {
	TEXT("avx512Curve", NOSPLIT, "func(p *byte)")
	c, x, y, n := points()
	vShift, vHalf := ZMM(), ZMM()
	VBROADCASTSD(Mem{Base: c, Disp: shift}, vShift)
	VBROADCASTSD(Mem{Base: c, Disp: half}, vHalf)
	asm.Together(n, func(k int) {
		each := func(do func(i int)) {
			for i := range k {
				do(i)
			}
		}
		d, piece, sum, low, high := asm.Several(k), asm.Several(k), asm.Several(k), ZMM(), ZMM()
		each(func(i int) { VMOVUPD(Mem{Base: x, Disp: 64 * i}, d[i]) })
		each(func(i int) { VSUBPD(vHalf, d[i], d[i]) })
		each(func(i int) { VADDPD(vShift, d[i], piece[i]) })
		each(func(i int) { VSUBPD(vShift, piece[i], sum[i]) })
		each(func(i int) { VSUBPD(sum[i], d[i], d[i]) })
		for j := range terms {
			VMOVUPD(Mem{Base: c, Disp: by + 128*j}, low)
			VMOVUPD(Mem{Base: c, Disp: by + 128*j + 64}, high)
			to := sum
			if j > 0 {
				to = asm.Several(k)
			}
			each(func(i int) { VMOVAPD(low, to[i]) })
			each(func(i int) { VPERMT2PD(high, piece[i], to[i]) })
			if j > 0 {
				each(func(i int) { VFMADD213PD(to[i], d[i], sum[i]) })
			}
		}
		each(func(i int) { VMOVUPD(sum[i], Mem{Base: y, Disp: 64 * i}) })
		ADDQ(U32(64*k), x)
		ADDQ(U32(64*k), y)
	})
	asm.End()
}

// narrowCurve writes the function for AVX2.
func narrowCurve() {
	TEXT("avx2Curve", NOSPLIT, "func(p *byte)")
	c, x, y, n := points()
	vShift, vHalf := YMM(), YMM()
	VBROADCASTSD(Mem{Base: c, Disp: shift}, vShift)
	VBROADCASTSD(Mem{Base: c, Disp: half}, vHalf)
	ADDQ(n, n)
	Label("four")
	d, piece, whole := YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: x}, d)
	VSUBPD(vHalf, d, d)
	VADDPD(vShift, d, piece)
	VSUBPD(vShift, piece, whole)
	VSUBPD(whole, d, d)
	VPSLLQ(U8(60), piece, piece)
	VPSRLQ(U8(60), piece, piece)
	VMOVUPD(asm.RowsOf(c, table, 7, piece).Horner(terms, d), Mem{Base: y})
	ADDQ(U8(32), x)
	ADDQ(U8(32), y)
	DECQ(n)
	JNZ(LabelRef("four"))
	asm.End()
}

// beyond writes the function that tells, by signs, whether any of the numbers, without their own signs, has bits above a limit.
func beyond() {
	TEXT("avx2Beyond", NOSPLIT, "func(x *float64, n int, limit uint64) (signs int)")
	x, n := asm.Argument("x"), asm.Argument("n")
	v, limit, unsigned, signs := asm.Y[0], asm.Y[1], asm.Y[2], asm.Y[3]
	asm.Everywhere("limit", limit)
	VPCMPEQD(unsigned, unsigned, unsigned)
	VPSRLQ(U8(1), unsigned, unsigned)
	VPXOR(signs, signs, signs)
	asm.Fours(n, func() {
		VPAND(Mem{Base: x}, unsigned, v)
		VPSUBQ(v, limit, v)
		VPOR(v, signs, signs)
	}, x)
	asm.EndWithSigns(signs)
}
