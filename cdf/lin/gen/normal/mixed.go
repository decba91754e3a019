package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// mixed writes the sums over the components of a mixture, four at a time, of the distribution
// function and the density with three derivatives. A row of the table is the series about
// a point.
func mixed() {
	constants = GLOBL("constants", RODATA|NOPTR)
	for i, v := range []float64{8, -8, 32, 0.5, 1. / 32, 1, 3} {
		DATA(8*i, F64(v))
	}
	DATA(8*7, U64(1<<63-1))
	TEXT("avx2Mixed", NOSPLIT, "func(w, mean, inv *float64, n int, at float64, table, out *float64)")
	at := YMM()
	asm.Everywhere("at", at)
	components(at, func(m Mem, v reg.VecVirtual) { VMOVUPD(m, v) }, asm.Fours)
}

var constants Mem

// atPoints writes the same sums at four points, one component after the other.
func atPoints() {
	TEXT("avx2Points", NOSPLIT, "func(w, mean, inv *float64, n int, at, table, out *float64)")
	at := YMM()
	VMOVUPD(Mem{Base: asm.Argument("at")}, at)
	components(at, func(m Mem, v reg.VecVirtual) { VBROADCASTSD(m, v) }, asm.Ones)
}

// components writes the sums: load takes the numbers of components into lanes, each takes the pointers on.
func components(at reg.VecVirtual, load func(m Mem, v reg.VecVirtual), each func(n reg.GPVirtual, body func(), pointers ...reg.GPVirtual)) {
	w, mean, inv, n, table, out := asm.Argument("w"), asm.Argument("mean"), asm.Argument("inv"), asm.Argument("n"), asm.Argument("table"), asm.Argument("out")
	sums := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM(), YMM()}
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
		VANDPD(constant(7), u, d)
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
		two := series.Pair(6)
		slope := two[1]
		VMOVAPD(slope, q)
		VFMADD213PD(two[0], d, q)
		VFMADD213PD(q, d, slope)
		for k := 4; k >= 0; k -= 2 {
			two = series.Pair(k)
			VFMADD213PD(two[1], d, q)
			VFMADD213PD(q, d, slope)
			VFMADD213PD(two[0], d, q)
			if k > 0 {
				VFMADD213PD(q, d, slope)
			}
		}
		// Above 0 the series has the upper tail.
		const above = 30
		VXORPD(c, c, c)
		VCMPPD(U8(above), c, u, c)
		VSUBPD(q, constant(5), d)
		VBLENDVPD(c, d, q, q)
		e := YMM()
		load(Mem{Base: w}, e)
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
		VMULPD(u, e, e)
		VSUBPD(constant(6), q, c)
		VFMADD231PD(c, e, sums[4])
	}, w, mean, inv)
	for i, s := range sums {
		VMOVUPD(s, Mem{Base: out, Disp: 32 * i})
	}
	asm.End()
}
