package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// pivotProducts goes through the recurrence of num and den for four shifts at a time. It
// returns the signs of a vector of which one lane is set where a den left the bounds.
func pivotProducts() {
	bounds := GLOBL("bounds", RODATA|NOPTR)
	DATA(0, F64(1e150))
	DATA(8, F64(1e-150))
	TEXT("avx2PivotProducts", NOSPLIT, "func(s, num, den *float64, n int, a2, c2 *float64, count int) int")
	s, num, den, n, a2, c2, count := asm.Argument("s"), asm.Argument("num"), asm.Argument("den"), asm.Argument("n"), asm.Argument("a2"), asm.Argument("c2"), asm.Argument("count")
	high, least, bad := asm.Y[13], asm.Y[14], asm.Y[15]
	VBROADCASTSD(bounds.Offset(0), high)
	VBROADCASTSD(bounds.Offset(8), least)
	VXORPD(bad, bad, bad)
	v, t, d, next, coefficient := asm.Y[0], asm.Y[1], asm.Y[2], asm.Y[3], asm.Y[4]
	i := GP64()
	asm.Fours(n, func() {
		VMOVUPD(Mem{Base: s}, v)
		VMOVUPD(Mem{Base: num}, t)
		VMOVUPD(Mem{Base: den}, d)
		MOVQ(count, i)
		Label("pivot")
		VBROADCASTSD(Mem{Base: c2, Index: i, Scale: 8, Disp: -8}, coefficient)
		VMOVAPD(t, next)
		VFMADD231PD(d, coefficient, next)
		VMOVAPD(next, d)
		VBROADCASTSD(Mem{Base: a2, Index: i, Scale: 8, Disp: -8}, coefficient)
		VMULPD(v, d, next)
		VFMADD231PD(t, coefficient, next)
		VMOVAPD(next, t)
		const notBelow, notAbove = 5, 10
		VCMPPD(U8(notBelow), high, d, next)
		VORPD(next, bad, bad)
		VCMPPD(U8(notAbove), least, d, next)
		VORPD(next, bad, bad)
		DECQ(i)
		JNZ(LabelRef("pivot"))
		VMOVUPD(t, Mem{Base: num})
		VMOVUPD(d, Mem{Base: den})
	}, s, num, den)
	asm.EndWithSigns(bad)
}

// pivotSlopes goes through the recurrence of the last pivot with three derivatives, for four
// shifts at a time, without fused operations.
func pivotSlopes() {
	factors := GLOBL("factors", RODATA|NOPTR)
	constant := map[float64]Mem{}
	for i, v := range []float64{1, 2, 3, 6, .5} {
		for k := range 4 {
			DATA(32*i+8*k, F64(v))
		}
		constant[v] = factors.Offset(32 * i)
	}
	TEXT("avx2PivotSlopes", NOSPLIT, "func(s, f1, f2, f3 *float64, n int, a2, c2 *float64, last int, b2 float64)")
	s, n, a2, c2, last := asm.Argument("s"), asm.Argument("n"), asm.Argument("a2"), asm.Argument("c2"), asm.Argument("last")
	out := []reg.GPVirtual{asm.Argument("f1"), asm.Argument("f2"), asm.Argument("f3")}
	v, t, dt, ddt, dddt := asm.Y[0], asm.Y[1], asm.Y[2], asm.Y[3], asm.Y[4]
	f := asm.Y[5:8]
	r, h, g, j, hg, h2, x, u := asm.Y[8], asm.Y[9], asm.Y[10], asm.Y[11], asm.Y[12], asm.Y[13], asm.Y[14], asm.Y[15]
	// series sets x to (j - first hg) + (second h2) h.
	series := func(first, second float64) {
		VMULPD(constant[first], hg, x)
		VSUBPD(x, j, x)
		VMULPD(constant[second], h2, u)
		VMULPD(h, u, u)
		VADDPD(u, x, x)
	}
	// ratios divides t's derivatives by what r is the inverse of.
	ratios := func() {
		VMULPD(r, dt, h)
		VMULPD(r, ddt, g)
		VMULPD(r, dddt, j)
		VMULPD(g, h, hg)
		VMULPD(h, h, h2)
	}
	i := GP64()
	asm.Fours(n, func() {
		VMOVUPD(Mem{Base: s}, v)
		VBROADCASTSD(Mem{Base: a2, Index: last, Scale: 8}, t)
		VADDPD(v, t, t)
		for _, d := range []reg.VecPhysical{dt, ddt, dddt} {
			VMOVAPD(v, d)
		}
		for _, sum := range f {
			VXORPD(sum, sum, sum)
		}
		MOVQ(last, i)
		TESTQ(i, i)
		JZ(LabelRef("end"))
		Label("pivot")
		VBROADCASTSD(Mem{Base: c2, Index: i, Scale: 8, Disp: -8}, r)
		VADDPD(t, r, r)
		VMOVUPD(constant[1], x)
		VDIVPD(r, x, r)
		ratios()
		VSUBPD(h, f[0], f[0])
		VSUBPD(h2, g, x)
		VSUBPD(x, f[1], f[1])
		series(3, 2)
		VSUBPD(x, f[2], f[2])
		VBROADCASTSD(Mem{Base: a2, Index: i, Scale: 8, Disp: -8}, u)
		VMULPD(t, u, x)
		VMULPD(r, x, x)
		VADDPD(v, x, t)
		VBROADCASTSD(Mem{Base: c2, Index: i, Scale: 8, Disp: -8}, x)
		VMULPD(x, u, u)
		VMULPD(u, r, r)
		VMULPD(h, r, x)
		VADDPD(v, x, dt)
		VMULPD(constant[2], h2, x)
		VSUBPD(x, g, x)
		VMULPD(r, x, x)
		VADDPD(v, x, ddt)
		series(6, 6)
		VMULPD(r, x, x)
		VADDPD(v, x, dddt)
		DECQ(i)
		JNZ(LabelRef("pivot"))
		Label("end")
		VMOVUPD(constant[1], x)
		VDIVPD(t, x, r)
		ratios()
		asm.Everywhere("b2", x)
		VMULPD(x, r, r)
		VMULPD(r, h, x)
		VADDPD(x, f[0], f[0])
		VSUBPD(h, f[0], f[0])
		VMULPD(constant[2], h2, x)
		VSUBPD(x, g, x)
		VMULPD(r, x, x)
		VADDPD(x, f[1], f[1])
		VSUBPD(h2, g, x)
		VSUBPD(x, f[1], f[1])
		series(6, 6)
		VMULPD(r, x, x)
		VADDPD(x, f[2], f[2])
		series(3, 2)
		VSUBPD(x, f[2], f[2])
		for k, sum := range f {
			VMULPD(constant[.5], sum, sum)
			VMOVUPD(sum, Mem{Base: out[k]})
		}
	}, append(out, s)...)
	asm.End()
}

// pivotFactors writes the factors and means of four shifts at a time. Rows of the results
// are stride bytes apart.
func pivotFactors() {
	signs := GLOBL("signs", RODATA|NOPTR)
	for k := range 4 {
		DATA(8*k, F64(1))
	}
	for k := range 4 {
		DATA(32+8*k, U64(1<<63))
	}
	TEXT("avx2PivotFactors", NOSPLIT, "func(s *float64, n int, a, a2, c, c2 *float64, last int, ab float64, l, shares, mean *float64, stride int)")
	s, n, a, a2, c, c2, last := asm.Argument("s"), asm.Argument("n"), asm.Argument("a"), asm.Argument("a2"), asm.Argument("c"), asm.Argument("c2"), asm.Argument("last")
	out := []reg.GPVirtual{asm.Argument("l"), asm.Argument("shares"), asm.Argument("mean")}
	stride := asm.Argument("stride")
	v, t, e, r, x, one, product, minus := asm.Y[0], asm.Y[1], asm.Y[2], asm.Y[3], asm.Y[4], asm.Y[5], asm.Y[6], asm.Y[7]
	VMOVUPD(signs.Offset(0), one)
	VMOVUPD(signs.Offset(32), minus)
	asm.Everywhere("ab", product)
	i, at := GP64(), GP64()
	atL, atG := GP64(), GP64()
	asm.Fours(n, func() {
		VMOVUPD(Mem{Base: s}, v)
		VMOVAPD(v, t)
		MOVQ(last, i)
		MOVQ(last, at)
		IMULQ(stride, at)
		LEAQ(Mem{Base: out[0], Index: at, Scale: 1}, atL)
		LEAQ(Mem{Base: out[1], Index: at, Scale: 1}, atG)
		VXORPD(x, x, x)
		VMOVUPD(x, Mem{Base: atL})
		Label("pivot")
		VBROADCASTSD(Mem{Base: a2, Index: i, Scale: 8}, e)
		VADDPD(t, e, e)
		VDIVPD(e, v, r)
		VMOVUPD(r, Mem{Base: atG})
		TESTQ(i, i)
		JZ(LabelRef("means"))
		VDIVPD(e, one, r)
		SUBQ(stride, atL)
		SUBQ(stride, atG)
		VBROADCASTSD(Mem{Base: a, Index: i, Scale: 8}, x)
		VMULPD(r, x, x)
		VBROADCASTSD(Mem{Base: c, Index: i, Scale: 8, Disp: -8}, e)
		VMULPD(x, e, x)
		VMOVUPD(x, Mem{Base: atL})
		VMULPD(r, t, t)
		VBROADCASTSD(Mem{Base: c2, Index: i, Scale: 8, Disp: -8}, e)
		VMULPD(t, e, t)
		VADDPD(v, t, t)
		DECQ(i)
		JMP(LabelRef("pivot"))
		Label("means")
		VDIVPD(v, r, x)
		VMULPD(product, x, x)
		MOVQ(out[2], at)
		MOVQ(last, i)
		MOVQ(out[0], atL)
		Label("mean")
		VMOVUPD(x, Mem{Base: at})
		TESTQ(i, i)
		JZ(LabelRef("done"))
		VMULPD(Mem{Base: atL}, x, x)
		VXORPD(minus, x, x)
		ADDQ(stride, atL)
		ADDQ(stride, at)
		DECQ(i)
		JMP(LabelRef("mean"))
		Label("done")
	}, append(out, s)...)
	asm.End()
}
