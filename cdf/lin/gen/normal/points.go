package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// widePoints writes the sums at eight points for AVX-512.
func widePoints() {
	TEXT("avx512Points", NOSPLIT, "func(w, mean, inv *float64, n int, at, table, out *float64)")
	w, mean, inv, n, table := asm.Argument("w"), asm.Argument("mean"), asm.Argument("inv"), asm.Argument("n"), asm.Argument("table")
	at := ZMM()
	VMOVUPD(Mem{Base: asm.Argument("at")}, at)
	sums := make([]reg.VecVirtual, 6)
	for i := range sums {
		sums[i] = ZMM()
		VPXORQ(sums[i], sums[i], sums[i])
	}
	held := map[int]reg.VecVirtual{}
	for i := range absolute + 1 {
		held[i] = ZMM()
		VBROADCASTSD(constants.Offset(8*i), held[i])
	}
	constant := func(i int) reg.VecVirtual { return held[i] }
	rows := AllocLocal(32)
	asm.Ones(n, func() {
		u, s, d, slope, c, row := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), YMM()
		VBROADCASTSD(Mem{Base: inv}, s)
		VBROADCASTSD(Mem{Base: mean}, u)
		VSUBPD(u, at, u)
		VMULPD(s, u, u)
		VMINPD(u, constant(0), u) // NaN stays
		VMAXPD(u, constant(1), u)
		VPANDQ(constant(absolute), u, d)
		VMULPD(constant(2), d, slope)
		VADDPD(constant(3), slope, slope)
		VCVTTPD2DQ(slope, row)
		VCVTDQ2PD(row, slope)
		VFNMADD231PD(constant(4), slope, d)
		VPSLLD(U8(6), row, row) // in 32 bits, of which a NaN leaves 0
		// By way of memory: an extraction takes two of the instructions that bound the loop.
		VMOVDQU32(row, rows)
		lanes := make([]reg.GPVirtual, 8)
		for i := range lanes {
			lanes[i] = GP64()
			MOVL(rows.Offset(4*i), lanes[i].As32())
		}
		var four [4]reg.VecVirtual
		pair := func(i int) [2]reg.VecVirtual {
			if i%4 > 0 {
				four = fourOf(table, lanes, i-2)
			}
			return [2]reg.VecVirtual(four[i%4:])
		}
		q := tail(pair, d, slope)
		VPXORQ(c, c, c)
		VCMPPD(U8(above), c, u, reg.K5)
		VSUBPD(q, constant(5), reg.K5, q)
		e := ZMM()
		VBROADCASTSD(Mem{Base: w}, e)
		addTo(sums, e, u, s, q, slope, c, constant)
	}, w, mean, inv)
	out := asm.Argument("out")
	for i, s := range sums {
		VMOVUPD(s, Mem{Base: out, Disp: 64 * i})
	}
	asm.End()
}

// fourOf returns entries i to i + 3 of the rows of eight lanes: each half of a vector has those of one, of which a quarter
// of four vectors is put together.
func fourOf(table reg.GPVirtual, lanes []reg.GPVirtual, i int) (four [4]reg.VecVirtual) {
	at := func(lane int) Mem { return Mem{Base: table, Index: lanes[lane], Scale: 1, Disp: 8 * i} }
	var halves [4]reg.VecVirtual
	for k, low := range []int{0, 1, 4, 5} {
		halves[k] = ZMM()
		VBROADCASTF64X4(at(low), halves[k])
		VINSERTF64X4(U8(1), at(low+2), halves[k], halves[k])
	}
	for k := range 2 {
		first, second := ZMM(), ZMM()
		if k == 0 {
			VUNPCKLPD(halves[1], halves[0], first)
			VUNPCKLPD(halves[3], halves[2], second)
		} else {
			VUNPCKHPD(halves[1], halves[0], first)
			VUNPCKHPD(halves[3], halves[2], second)
		}
		four[k], four[k+2] = ZMM(), ZMM()
		VSHUFF64X2(U8(0b10001000), second, first, four[k])
		VSHUFF64X2(U8(0b11011101), second, first, four[k+2])
	}
	return four
}
