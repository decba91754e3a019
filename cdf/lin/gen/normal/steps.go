package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Of package normal.
const (
	points8   = 8 // Points
	near      = 0.038
	nearSixth = near * near * near * near * near * near
	straight  = 0.06
)

// steps writes the steps to quantiles from eight points, four at a time: every product is rounded, and every sum is in the order of
// normal.Step.
func steps() {
	data := GLOBL("steps", RODATA|NOPTR)
	at := map[float64]Mem{}
	for i, v := range []float64{0.5, 1, 2, 3, 4, 5, 6, 14, 21, 1. / 6, 1. / 24, 1. / 120, nearSixth, straight, math.Copysign(0, -1)} {
		DATA(8*i, F64(v))
		at[v] = data.Offset(8 * i)
	}
	sign := data.Offset(8 * 14)
	TEXT("avx2Steps", NOSPLIT, "func(f, p *float64, sixth float64, step *float64) (last int)")
	f, p, to := asm.Argument("f"), asm.Argument("p"), asm.Argument("step")
	sixth := YMM()
	asm.Everywhere("sixth", sixth)
	constant := func(m Mem) reg.VecVirtual {
		v := YMM()
		VBROADCASTSD(m, v)
		return v
	}
	binary := func(do func(ops ...Op)) func(a, b reg.VecVirtual) reg.VecVirtual {
		return func(a, b reg.VecVirtual) reg.VecVirtual {
			v := YMM()
			do(b, a, v)
			return v
		}
	}
	add, sub := binary(func(o ...Op) { VADDPD(o[0], o[1], o[2]) }), binary(func(o ...Op) { VSUBPD(o[0], o[1], o[2]) })
	mul, div := binary(func(o ...Op) { VMULPD(o[0], o[1], o[2]) }), binary(func(o ...Op) { VDIVPD(o[0], o[1], o[2]) })
	times := func(c float64, v reg.VecVirtual) reg.VecVirtual { return mul(constant(at[c]), v) }
	last := [2]reg.GPVirtual{GP32(), GP32()}
	for half := range 2 {
		of := func(m reg.GPVirtual, row int) reg.VecVirtual {
			v := YMM()
			VMOVUPD(Mem{Base: m, Disp: 8*points8*row + 32*half}, v)
			return v
		}
		one := constant(at[1])
		inv := div(one, of(f, 1))
		t := mul(sub(of(f, 0), of(p, 0)), inv)
		a2 := times(0.5, mul(of(f, 2), inv))
		t2, bend, minus := mul(t, t), mul(t, a2), YMM()
		VXORPD(constant(sign), t, minus)

		const below = 17
		ends, size, other := YMM(), YMM(), YMM()
		VCMPPD(U8(below), constant(at[nearSixth]), mul(mul(mul(t2, t2), t2), sixth), ends)
		VANDNPD(bend, constant(sign), size)
		VCMPPD(U8(below), constant(at[straight]), size, other)
		VANDPD(other, ends, ends)
		VMOVMSKPD(ends, last[half])

		// A NaN stays: it is the second operand.
		plain := YMM()
		VMAXPD(sub(one, bend), constant(at[0.5]), plain)
		plain = div(minus, plain)

		a3, a4, a5 := times(1./6, mul(of(f, 3), inv)), times(1./24, mul(of(f, 4), inv)), times(1./120, mul(of(f, 5), inv))
		square := mul(a2, a2)
		s := mul(square, sub(times(14, square), times(21, a3)))
		s = sub(add(add(s, mul(times(6, a2), a4)), mul(times(3, a3), a3)), a5)
		s = add(add(mul(a2, sub(times(5, square), times(5, a3))), a4), mul(t, s))
		s = add(sub(times(2, square), a3), mul(t, s))
		s = add(a2, mul(t, s))
		step := mul(minus, add(one, mul(t, s)))
		s = add(a4, mul(step, a5))
		s = add(a3, mul(step, s))
		s = add(a2, mul(step, s))
		s = add(t, mul(step, add(one, mul(step, s))))
		slope := add(times(4, a4), mul(times(5, step), a5))
		slope = add(times(3, a3), mul(step, slope))
		slope = add(times(2, a2), mul(step, slope))
		step = sub(step, div(s, add(one, mul(step, slope))))
		VBLENDVPD(ends, step, plain, step)
		VMOVUPD(step, Mem{Base: to, Disp: 32 * half})
	}
	SHLL(U8(4), last[1])
	ORL(last[1], last[0])
	Store(last[0].As64(), ReturnIndex(0))
	asm.End()
}
