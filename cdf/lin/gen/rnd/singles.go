package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of rnd.singles, and how many coefficients there are.
const (
	singleLow      = 0
	singleOdd      = 4
	singleDown     = 8
	singleFraction = 12
	singleUnit     = 16
	singleMiddle   = 20
	singleShift    = 24
	singleLast     = 28
	singleLeast    = 32
	singleLn2      = 36
	singleBias     = 40
	singleLog      = 44
	singleLogs     = 64
	singleTails    = singleLogs + 2*64
	singlePoints   = singleTails + singleTailTerms*64

	singleLogTerms, singleTailTerms, singlePointTerms = 3, 5, 8
)

// widePositive writes the function for AVX-512.
func widePositive() {
	wideLanes("avx512Positive", 2, func(w *lanes) {
		VBROADCASTSS(w.at(singleUnit), w.unit)
		VBROADCASTSS(w.at(singleFraction), w.fraction)
		VBROADCASTSS(w.at(singleLow), w.high)
	}, (*lanes).positives)
}

// positives draws for k groups. All instructions of a line are independent.
func (w *lanes) positives(k int) {
	each := func(do func(i int)) {
		for i := range k {
			do(i)
		}
	}
	mean := func(i, half int) Mem { return Mem{Base: w.t, Disp: 128*i + 64*half} }
	x, y, e, r := make([]reg.VecVirtual, k), asm.Several(k), asm.Several(k), asm.Several(k)
	each(func(i int) { x[i] = w.next() })

	// y = -log u.
	const andOr = 0xea // a & b | c
	each(func(i int) { VPTERNLOGD_BCST(U8(andOr), w.at(singleOdd), w.high, x[i]) })
	each(func(i int) { VCVTDQ2PS(x[i], x[i]) })
	each(func(i int) { VPSUBD_BCST(w.at(singleDown), x[i], x[i]) })
	each(func(i int) { VPSRLD(U8(19), x[i], e[i]) })
	each(func(i int) { VPERMPS(w.at(singleLogs), e[i], r[i]) })
	each(func(i int) { VPERMPS(w.at(singleLogs+64), e[i], y[i]) })
	each(func(i int) { VGETEXPPS(x[i], e[i]) })
	each(func(i int) { VPTERNLOGD(U8(andOr), w.unit, w.fraction, x[i]) })
	each(func(i int) { VFMSUB213PS(w.unit, x[i], r[i]) })
	each(func(i int) { VFMADD231PS_BCST(w.at(singleLn2), e[i], y[i]) })
	each(func(i int) { VBROADCASTSS(w.at(singleLog), e[i]) })
	for j := 1; j < singleLogTerms; j++ {
		each(func(i int) { VFMADD213PS_BCST(w.at(singleLog+4*j), r[i], e[i]) })
	}
	each(func(i int) { VFMADD231PS(e[i], r[i], y[i]) })

	// y += -log Q(-mean).
	const ge, gt, halves = 13, 14, 0x18 // false of a NaN; what is left of the nearest whole number of halves, an even one of two
	d, piece, tail, coefficient := e, r, x, asm.Several(k)
	each(func(i int) { VCVTPD2PS(mean(i, 0), d[i].AsY()) })
	each(func(i int) { VCVTPD2PS(mean(i, 1), tail[i].AsY()) })
	each(func(i int) { VINSERTF64X4(U8(1), tail[i].AsY(), d[i], d[i]) })
	each(func(i int) { VMINPS_BCST(w.at(singleLast), d[i], d[i]) })
	each(func(i int) { VADDPS_BCST(w.at(singleShift), d[i], piece[i]) })
	each(func(i int) { VREDUCEPS(U8(halves), d[i], d[i]) })
	each(func(i int) { VPERMPS(w.at(singleTails), piece[i], tail[i]) })
	for j := 1; j < singleTailTerms; j++ {
		each(func(i int) { VPERMPS(w.at(singleTails+64*j), piece[i], coefficient[i]) })
		each(func(i int) { VFMADD213PS(coefficient[i], d[i], tail[i]) })
	}
	each(func(i int) { VADDPS(tail[i], y[i], y[i]) })
	ok := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}
	each(func(i int) { VCMPPS_BCST(U8(ge), w.at(singleLeast), y[i], ok[i]) })

	// x = L^-1(y).
	each(func(i int) { VPSRLD(U8(23), y[i], piece[i]) })
	each(func(i int) { VPTERNLOGD(U8(andOr), w.unit, w.fraction, y[i]) })
	each(func(i int) { VSUBPS_BCST(w.at(singleMiddle), y[i], y[i]) })
	each(func(i int) { VPERMPS(w.at(singlePoints), piece[i], x[i]) })
	for j := 1; j < singlePointTerms; j++ {
		each(func(i int) { VPERMPS(w.at(singlePoints+64*j), piece[i], coefficient[i]) })
		each(func(i int) { VFMADD213PS(coefficient[i], y[i], x[i]) })
	}

	zero := ZMM()
	VPXORQ(zero, zero, zero)
	high := []reg.Register{reg.K5, reg.K6}
	each(func(i int) { VEXTRACTF64X4(U8(1), x[i], y[i].AsY()) })
	each(func(i int) { VCVTPS2PD(x[i].AsY(), x[i]) })
	each(func(i int) { VCVTPS2PD(y[i].AsY(), y[i]) })
	each(func(i int) { VADDPD(mean(i, 0), x[i], x[i]) })
	each(func(i int) { VADDPD(mean(i, 1), y[i], y[i]) })
	each(func(i int) {
		low, high := ok[i], high[i%2]
		KSHIFTRW(U8(8), low, high)
		VCMPPD(U8(gt), zero, x[i], low, low)
		VCMPPD(U8(gt), zero, y[i], high, high)
		VMOVUPD(x[i], low, mean(i, 0))
		VMOVUPD(y[i], high, mean(i, 1))
		KMOVB(low, Mem{Base: w.done, Disp: 2 * i})
		KMOVB(high, Mem{Base: w.done, Disp: 2*i + 1})
	})
}

// narrowPositive writes the function for AVX2, of eight draws of four generators.
func narrowPositive() { narrowLanes("avx2Positive", narrowPositiveHalf) }

func narrowPositiveHalf(half int, c, to, flags reg.GPVirtual, state *[4]reg.VecVirtual) {
	at := func(off int) Mem { return Mem{Base: c, Disp: off} }
	every := func(off int) reg.VecVirtual {
		v := YMM()
		VBROADCASTSS(at(off), v)
		return v
	}
	mean := func(quarter int) Mem { return Mem{Base: to, Disp: 64*half + 32*quarter} }

	x := narrowNext(state)
	VPAND(every(singleLow), x, x)
	VPOR(every(singleOdd), x, x)
	VCVTDQ2PS(x, x)
	VPSUBD(every(singleDown), x, x)
	e, r, y, piece, other := YMM(), YMM(), YMM(), YMM(), YMM()
	// pick picks coefficients of pieces, of which the lowest four bits count.
	pick := func(table int, to reg.VecVirtual) {
		high := YMM()
		VPERMPS(at(table), piece, to)
		VPERMPS(at(table+32), piece, high)
		VBLENDVPS(other, high, to, to)
	}
	chosen := func() { VPSLLD(U8(28), piece, other) } // the upper eight where bit 3 is set
	VPSRLD(U8(19), x, piece)
	chosen()
	pick(singleLogs, r)
	pick(singleLogs+64, y)
	VPSRLD(U8(23), x, e)
	VPSUBD(every(singleBias), e, e)
	VCVTDQ2PS(e, e)
	unit, fraction := every(singleUnit), every(singleFraction)
	VPAND(fraction, x, x)
	VPOR(unit, x, x)
	VFMSUB213PS(unit, x, r)
	VFMADD231PS(every(singleLn2), e, y)
	poly := every(singleLog)
	for j := 1; j < singleLogTerms; j++ {
		VFMADD213PS(every(singleLog+4*j), r, poly)
	}
	VFMADD231PS(poly, r, y)

	d, back := YMM(), YMM()
	VCVTPD2PSY(mean(0), d.AsX())
	VCVTPD2PSY(mean(1), back.AsX())
	VINSERTF128(U8(1), back.AsX(), d, d)
	VMINPS(every(singleLast), d, d)
	VADDPS(every(singleShift), d, piece)
	VSUBPS(every(singleShift), piece, back)
	VSUBPS(back, d, d)
	chosen()
	horner := func(table, terms int, d, to reg.VecVirtual) {
		pick(table, to)
		for j := 1; j < terms; j++ {
			coefficient := YMM()
			pick(table+64*j, coefficient)
			VFMADD213PS(coefficient, d, to)
		}
	}
	tail := YMM()
	horner(singleTails, singleTailTerms, d, tail)
	VADDPS(tail, y, y)

	const ge, gt = 13, 14
	ok := YMM()
	VCMPPS(U8(ge), every(singleLeast), y, ok)
	VPSRLD(U8(23), y, piece)
	chosen()
	VPAND(fraction, y, d)
	VPOR(unit, d, d)
	VSUBPS(every(singleMiddle), d, d)
	horner(singlePoints, singlePointTerms, d, x)

	zero, bits := YMM(), GP32()
	VXORPD(zero, zero, zero)
	for quarter := range 2 {
		sum, mask, sign, more := YMM(), YMM(), YMM(), GP32()
		if quarter == 1 {
			VEXTRACTF128(U8(1), x, x.AsX())
			VEXTRACTF128(U8(1), ok, ok.AsX())
		}
		VCVTPS2PD(x.AsX(), sum)
		VPMOVSXDQ(ok.AsX(), mask)
		VADDPD(mean(quarter), sum, sum)
		VCMPPD(U8(gt), zero, sum, sign)
		VANDPD(sign, mask, mask)
		VMASKMOVPD(sum, mask, mean(quarter))
		VMOVMSKPD(mask, more)
		if quarter == 0 {
			MOVL(more, bits)
		} else {
			SHLL(U8(4), more)
			ORL(more, bits)
		}
	}
	MOVB(bits.As8(), Mem{Base: flags, Disp: half})
	ADDQ(U8(128), to)
	ADDQ(U8(2), flags)
}
