package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ofNormal writes the kernel of package normal: sums over the components of a mixture, four
// at a time, of the distribution function and the density with three derivatives. A row
// of the table is the series about a point.
func ofNormal() {
	constants := GLOBL("constants", RODATA|NOPTR)
	for i, v := range []float64{8, -8, 32, 0.5, 1. / 32, 1, 3} {
		DATA(8*i, F64(v))
	}
	DATA(8*7, U64(1<<63-1))
	TEXT("avx2Mixed", NOSPLIT, "func(w, mean, inv *float64, n int, at float64, table, out *float64)")
	w, mean, inv, n, table, out := param("w"), param("mean"), param("inv"), param("n"), param("table"), param("out")
	here, err := Param("at").Resolve()
	if err != nil {
		panic(err)
	}
	sums := ymm[:5]
	for _, s := range sums {
		VXORPD(s, s, s)
	}
	at, u, s, d, q, slope, even, odd, c, wide := ymm[5], ymm[6], ymm[7], ymm[8], ymm[9], ymm[10], ymm[11], ymm[12], ymm[13], ymm[14]
	constant := func(i int) reg.VecPhysical {
		VBROADCASTSD(constants.Offset(8*i), wide)
		return wide
	}
	VBROADCASTSD(here.Addr, at)
	Label("next")
	VMOVUPD(Mem{Base: inv}, s)
	VSUBPD(Mem{Base: mean}, at, u)
	VMULPD(s, u, u)
	VMINPD(u, constant(0), u) // NaN stays: it finds the first row
	VMAXPD(u, constant(1), u)
	VANDPD(constant(7), u, d)
	VMULPD(constant(2), d, q)
	VADDPD(constant(3), q, q)
	VCVTTPD2DQY(q, low(c))
	VCVTDQ2PD(low(c), q)
	VFNMADD231PD(constant(4), q, d)
	rows := [4]reg.GPVirtual{GP64(), GP64(), GP64(), GP64()}
	VPSLLD(U8(6), low(c), low(c))
	for i, r := range rows {
		VPEXTRD(U8(i), low(c), r.As32())
		ADDQ(table, r)
	}
	// pair loads two coefficients, of which the four rows have one in a lane each.
	pair := func(k int, first, second reg.VecPhysical) {
		VMOVUPD(Mem{Base: rows[0], Disp: 8 * k}, low(even))
		VMOVUPD(Mem{Base: rows[1], Disp: 8 * k}, low(odd))
		VINSERTF128(U8(1), Mem{Base: rows[2], Disp: 8 * k}, even, even)
		VINSERTF128(U8(1), Mem{Base: rows[3], Disp: 8 * k}, odd, odd)
		VUNPCKLPD(odd, even, first)
		VUNPCKHPD(odd, even, second)
	}
	pair(6, c, slope)
	VMOVAPD(slope, q)
	VFMADD213PD(c, d, q)
	VFMADD213PD(q, d, slope)
	for k := 4; k >= 2; k -= 2 {
		pair(k, wide, c)
		VFMADD213PD(c, d, q)
		VFMADD213PD(q, d, slope)
		VFMADD213PD(wide, d, q)
		VFMADD213PD(q, d, slope)
	}
	pair(0, wide, c)
	VFMADD213PD(c, d, q)
	VFMADD213PD(q, d, slope)
	VFMADD213PD(wide, d, q)
	// Above 0 the series has the upper tail.
	const above = 30
	VXORPD(c, c, c)
	VCMPPD(U8(above), c, u, c)
	VSUBPD(q, constant(5), d)
	VBLENDVPD(c, d, q, q)
	e := d
	VMOVUPD(Mem{Base: w}, e)
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
	for _, p := range []reg.GPVirtual{w, mean, inv} {
		ADDQ(U8(32), p)
	}
	SUBQ(U8(4), n)
	JNZ(LabelRef("next"))
	for i, s := range sums {
		VMOVUPD(s, Mem{Base: out, Disp: 32 * i})
	}
	VZEROUPPER()
	RET()
}
