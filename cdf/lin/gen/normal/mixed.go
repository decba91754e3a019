package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// mixed writes the sums over the components of a mixture, four at a time, of the distribution
// function and the density with four derivatives. A row of the table is the series about
// a point.
func mixed() {
	constants = GLOBL("constants", RODATA|NOPTR)
	for i, v := range []float64{8, -8, 32, 0.5, 1. / 32, 1, 3, 6} {
		DATA(8*i, F64(v))
	}
	DATA(8*absolute, U64(1<<63-1))
	TEXT("avx2Mixed", NOSPLIT, "func(w, mean, inv *float64, n int, at float64, table, out *float64)")
	at := YMM()
	asm.Everywhere("at", at)
	components(at, func(m Mem, v reg.VecVirtual) { VMOVUPD(m, v) }, asm.Fours, 32)
}

var constants Mem

// absolute is where the constants have a mask of all bits but the sign.
const absolute = 8

// atPoints writes the same sums at four of eight points, one component after the other.
func atPoints() {
	TEXT("avx2Points", NOSPLIT, "func(w, mean, inv *float64, n int, at, table, out *float64)")
	at := YMM()
	VMOVUPD(Mem{Base: asm.Argument("at")}, at)
	components(at, func(m Mem, v reg.VecVirtual) { VBROADCASTSD(m, v) }, asm.Ones, 64)
}

// components writes the sums, so many bytes apart: load takes the numbers of components into lanes, each takes the pointers on.
func components(at reg.VecVirtual, load func(m Mem, v reg.VecVirtual), each func(n reg.GPVirtual, body func(), pointers ...reg.GPVirtual), apart int) {
	w, mean, inv, n, table, out := asm.Argument("w"), asm.Argument("mean"), asm.Argument("inv"), asm.Argument("n"), asm.Argument("table"), asm.Argument("out")
	sums := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM(), YMM(), YMM()}
	for _, s := range sums {
		VXORPD(s, s, s)
	}
	constant := func(i int) reg.VecVirtual {
		v := YMM()
		VBROADCASTSD(constants.Offset(8*i), v)
		return v
	}
	each(n, func() {
		u, s, d, q, c, row := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
		load(Mem{Base: inv}, s)
		load(Mem{Base: mean}, u)
		VSUBPD(u, at, u)
		VMULPD(s, u, u)
		VMINPD(u, constant(0), u) // NaN stays
		VMAXPD(u, constant(1), u)
		VANDPD(constant(absolute), u, d)
		VMULPD(constant(2), d, q)
		VADDPD(constant(3), q, q)
		VCVTTPD2DQY(q, row.AsX())
		VCVTDQ2PD(row.AsX(), q)
		VFNMADD231PD(constant(4), q, d)
		VPSLLD(U8(6), row.AsX(), row.AsX()) // in 32 bits, of which a NaN leaves 0
		series := asm.Rows{Base: table}
		for i := range series.Lane {
			series.Lane[i] = GP64()
			VPEXTRD(U8(i), row.AsX(), series.Lane[i].As32())
		}
		slope := q
		q = tail(series.Pair, d, slope)
		// Above 0 the series has the upper tail.
		VXORPD(c, c, c)
		VCMPPD(U8(above), c, u, c)
		VSUBPD(q, constant(5), d)
		VBLENDVPD(c, d, q, q)
		e := YMM()
		load(Mem{Base: w}, e)
		addTo(sums, e, u, s, q, slope, c, constant)
	}, w, mean, inv)
	for i, s := range sums {
		VMOVUPD(s, Mem{Base: out, Disp: apart * i})
	}
	asm.End()
}

// above compares for greater, without signals.
const above = 30

// tail returns the series of the pairs of coefficients at d, and its slope in a register that is given.
func tail(pair func(i int) [2]reg.VecVirtual, d, slope reg.VecVirtual) (q reg.VecVirtual) {
	two := pair(6)
	q = two[0]
	VMOVAPD(two[1], slope)
	VFMADD231PD(two[1], d, q)
	VFMADD213PD(q, d, slope)
	for k := 4; k >= 0; k -= 2 {
		two = pair(k)
		VFMADD213PD(two[1], d, q)
		VFMADD213PD(q, d, slope)
		VFMADD213PD(two[0], d, q)
		if k > 0 {
			VFMADD213PD(q, d, slope)
		}
	}
	return q
}

// addTo adds terms to the sums. It changes e, q and c.
func addTo(sums []reg.VecVirtual, e, u, s, q, slope, c reg.VecVirtual, constant func(i int) reg.VecVirtual) {
	VFMADD231PD(q, e, sums[0])
	VMULPD(slope, e, e) // minus the density
	VMULPD(s, e, e)
	VSUBPD(e, sums[1], sums[1])
	VMULPD(s, e, e)
	VFMADD231PD(u, e, sums[2])
	VMULPD(s, e, e)
	VMULPD(u, u, q)
	VSUBPD(constant(5), q, c)
	VFNMADD231PD(c, e, sums[3])
	VMULPD(s, e, e)
	VMULPD(u, e, slope)
	VSUBPD(constant(6), q, c)
	VFMADD231PD(c, slope, sums[4])
	VMULPD(s, e, e)
	VSUBPD(constant(7), q, c)
	VFMADD213PD(constant(6), q, c)
	VFNMADD231PD(c, e, sums[5])
}
