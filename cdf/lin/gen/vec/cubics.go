package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of vec.cubicSums.
const (
	cubSums  = 0
	cubLeast = 96
	cubY     = 128
	cubLow   = 136
	cubCells = 144
	cubFrom  = 152
	cubEnd   = 160
)

// cubics writes the sums over the components of a mixture of laws that are cubic in cells, four
// components at a time.
func cubics() {
	TEXT("avx2Cubics", NOSPLIT, "func(w, loc, inv *float64, n int, rows *float64, s *byte)")
	w, loc, inv, n, rows, p := asm.Argument("w"), asm.Argument("loc"), asm.Argument("inv"), asm.Argument("n"), asm.Argument("rows"), asm.Argument("s")
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	sums, least := [3]reg.VecVirtual{YMM(), YMM(), YMM()}, YMM()
	each := func(do func(m Mem, v reg.VecVirtual)) {
		for i, s := range sums {
			do(at(cubSums+32*i), s)
		}
		do(at(cubLeast), least)
	}
	each(func(m Mem, v reg.VecVirtual) { VMOVUPD(m, v) })
	everywhere := func(off int) reg.VecVirtual {
		v := YMM()
		VBROADCASTSD(at(off), v)
		return v
	}
	y, low, cells, from, end := everywhere(cubY), everywhere(cubLow), everywhere(cubCells), everywhere(cubFrom), everywhere(cubEnd)
	asm.Fours(n, func() {
		d, e, h, sum, row := YMM(), YMM(), YMM(), YMM(), YMM()
		VSUBPD(Mem{Base: loc}, y, d)
		VMULPD(Mem{Base: inv}, d, d)
		VSUBPD(low, d, d)
		VMULPD(cells, d, d)
		VMAXPD(from, d, d) // also if it is no number
		VMINPD(end, d, d)
		VCVTTPD2DQY(d, row.AsX())
		VCVTDQ2PD(row.AsX(), e)
		VSUBPD(e, d, d)
		VPSLLD(U8(5), row.AsX(), row.AsX())
		four := asm.Rows{Base: rows}
		for i := range four.Lane {
			four.Lane[i] = GP64()
			VPEXTRD(U8(i), row.AsX(), four.Lane[i].As32())
		}
		high, c := four.Pair(2), four.Pair(0)
		VMOVAPD(high[1], e)
		VFMADD213PD(high[0], d, e)
		VMOVAPD(e, h)
		VFMADD231PD(high[1], d, h)
		VMINPD(c[0], least, least)
		VMOVAPD(e, sum)
		VFMADD213PD(c[1], d, sum)
		VFMADD213PD(c[0], d, sum)
		VADDPD(h, e, e)
		VFMADD213PD(c[1], d, e)
		VFMADD231PD(high[1], d, h)
		VMOVUPD(Mem{Base: w}, d)
		VFMADD231PD(sum, d, sums[0])
		VMULPD(Mem{Base: inv}, d, d)
		VFMADD231PD(e, d, sums[1])
		VMULPD(Mem{Base: inv}, d, d)
		VFMADD231PD(h, d, sums[2])
	}, w, loc, inv)
	each(func(m Mem, v reg.VecVirtual) { VMOVUPD(v, m) })
	asm.End()
}
