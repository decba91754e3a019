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

// narrowPositive writes the function for AVX2, of eight draws of each generator's half for a group, and for several groups at a time: one does
// not wait for another's chain.
func narrowPositive() {
	const most = 4
	var room Mem
	narrowLanes("avx2Positive", most, func(f four, k int) {
		if room.Base == nil {
			room = AllocLocal(32 * most)
		}
		w := singlesOfFour{f, k, room}
		w.next(k, func(i int, x reg.VecVirtual) { VMOVDQU(x, w.kept(i)) })
		for i := range k {
			w.exponential(i)
		}
		w.tails()
		for i, x := range w.points() {
			w.store(i, x)
		}
		ADDQ(U32(128*k), f.to)
		ADDQ(U8(2*k), f.flags)
	})
}

// singlesOfFour are the draws of four generators for k groups, eight each. A vector of each is kept in memory: the numbers that
// choose, then y, then where it is one of a point.
type singlesOfFour struct {
	four
	k    int
	room Mem
}

func (w *singlesOfFour) kept(i int) Mem { return w.room.Offset(32 * i) }

func (w *singlesOfFour) every(off int) reg.VecVirtual {
	v := YMM()
	VBROADCASTSS(w.at(off), v)
	return v
}

func (w *singlesOfFour) mean(i, quarter int) Mem {
	return Mem{Base: w.to, Disp: 128*i + 64*w.half + 32*quarter}
}

// fraction leaves of x its fraction, as a number in [1, 2).
func (w *singlesOfFour) fraction(x, to reg.VecVirtual) {
	VPAND(w.every(singleFraction), x, to)
	VPOR(w.every(singleUnit), to, to)
}

// choose prepares the lowest four bits of a piece for pick: it looks at three of them, and at the fourth as a sign.
func (w *singlesOfFour) choose(piece reg.VecVirtual) {
	sign := YMM()
	VPSLLD(U8(28), piece, sign)
	VPOR(sign, piece, piece)
}

// pick picks the coefficients of pieces.
func (w *singlesOfFour) pick(table int, piece, to reg.VecVirtual) {
	high := YMM()
	VPERMPS(w.at(table), piece, to)
	VPERMPS(w.at(table+32), piece, high)
	VBLENDVPS(piece, high, to, to)
}

// horner returns polynomials at the d, and of the pieces, that begin makes.
func (w *singlesOfFour) horner(table, terms int, begin func(i int, d, piece reg.VecVirtual)) []reg.VecVirtual {
	sums, d, piece := make([]reg.VecVirtual, w.k), make([]reg.VecVirtual, w.k), make([]reg.VecVirtual, w.k)
	for i := range sums {
		sums[i], d[i], piece[i] = YMM(), YMM(), YMM()
		begin(i, d[i], piece[i])
		w.choose(piece[i])
		w.pick(table, piece[i], sums[i])
	}
	for j := 1; j < terms; j++ {
		for i, sum := range sums {
			coefficient := YMM()
			w.pick(table+64*j, piece[i], coefficient)
			VFMADD213PS(coefficient, d[i], sum)
		}
	}
	return sums
}

// exponential makes -log u of the number that chooses u.
func (w *singlesOfFour) exponential(i int) {
	x := w.every(singleLow)
	VPAND(w.kept(i), x, x)
	VPOR(w.every(singleOdd), x, x)
	VCVTDQ2PS(x, x)
	VPSUBD(w.every(singleDown), x, x)
	piece, r, e, y := YMM(), YMM(), YMM(), YMM()
	VPSRLD(U8(19), x, piece)
	w.choose(piece)
	w.pick(singleLogs, piece, r)
	w.pick(singleLogs+64, piece, y)
	VPSRLD(U8(23), x, e)
	VPSUBD(w.every(singleBias), e, e)
	VCVTDQ2PS(e, e)
	w.fraction(x, x)
	VFMSUB213PS(w.every(singleUnit), x, r)
	VFMADD231PS(w.every(singleLn2), e, y)
	poly := w.every(singleLog)
	for j := 1; j < singleLogTerms; j++ {
		VFMADD213PS(w.every(singleLog+4*j), r, poly)
	}
	VFMADD231PS(poly, r, y)
	VMOVUPS(y, w.kept(i))
}

// tails adds -log Q(-mean) to each y.
func (w *singlesOfFour) tails() {
	tails := w.horner(singleTails, singleTailTerms, func(i int, d, piece reg.VecVirtual) {
		back := YMM()
		VXORPS(d, d, d) // its upper half is not what it was: nothing need be kept for it
		VCVTPD2PSY(w.mean(i, 0), d.AsX())
		VCVTPD2PSY(w.mean(i, 1), back.AsX())
		VINSERTF128(U8(1), back.AsX(), d, d)
		VMINPS(w.every(singleLast), d, d)
		VADDPS(w.every(singleShift), d, piece)
		VSUBPS(w.every(singleShift), piece, back)
		VSUBPS(back, d, d)
	})
	for i, tail := range tails {
		VADDPS(w.kept(i), tail, tail)
		VMOVUPS(tail, w.kept(i))
	}
}

// points returns L^-1 of each y.
func (w *singlesOfFour) points() []reg.VecVirtual {
	const ge = 13 // false of a NaN
	return w.horner(singlePoints, singlePointTerms, func(i int, d, piece reg.VecVirtual) {
		y := YMM()
		VMOVUPS(w.kept(i), y)
		VPSRLD(U8(23), y, piece)
		w.fraction(y, d)
		VSUBPS(w.every(singleMiddle), d, d)
		VCMPPS(U8(ge), w.every(singleLeast), y, y)
		VMOVUPS(y, w.kept(i))
	})
}

// store adds the means of group i to x and puts what is ok and positive in their places.
func (w *singlesOfFour) store(i int, x reg.VecVirtual) {
	const gt = 14
	zero, ok, bits := YMM(), YMM(), GP32()
	VMOVUPS(w.kept(i), ok)
	VXORPD(zero, zero, zero)
	for quarter := range 2 {
		sum, mask, sign, more := YMM(), YMM(), YMM(), GP32()
		if quarter == 1 {
			VEXTRACTF128(U8(1), x, x.AsX())
			VEXTRACTF128(U8(1), ok, ok.AsX())
		}
		VCVTPS2PD(x.AsX(), sum)
		VPMOVSXDQ(ok.AsX(), mask)
		VADDPD(w.mean(i, quarter), sum, sum)
		VCMPPD(U8(gt), zero, sum, sign)
		VANDPD(sign, mask, mask)
		asm.Blended(sum, mask, w.mean(i, quarter))
		VMOVMSKPD(mask, more)
		if quarter == 0 {
			MOVL(more, bits)
		} else {
			SHLL(U8(4), more)
			ORL(more, bits)
		}
	}
	MOVB(bits.As8(), Mem{Base: w.flags, Disp: 2*i + w.half})
}
