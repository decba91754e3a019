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

// narrowPositive writes the function for AVX2, of eight draws of four generators, two groups at a time.
func narrowPositive() {
	narrowLanes("avx2Positive", 2, func(half, k int, c, to, flags reg.GPVirtual, state *[4]reg.VecVirtual) {
		w := singlesHalf{c: c, to: to, half: half}
		y := make([]reg.VecVirtual, k)
		for i := range y {
			y[i] = w.exponential(narrowNext(state))
		}
		w.tail(y)
		for i, x := range w.point(y) {
			w.store(i, x, y[i], flags)
		}
		ADDQ(U32(128*k), to)
		ADDQ(U8(2*k), flags)
	})
}

// singlesHalf are eight draws of each of some groups, of one half of the generators.
type singlesHalf struct {
	c, to reg.GPVirtual
	half  int
}

func (w *singlesHalf) at(off int) Mem { return Mem{Base: w.c, Disp: off} }

func (w *singlesHalf) every(off int) reg.VecVirtual {
	v := YMM()
	VBROADCASTSS(w.at(off), v)
	return v
}

func (w *singlesHalf) mean(i, quarter int) Mem {
	return Mem{Base: w.to, Disp: 128*i + 64*w.half + 32*quarter}
}

// fraction leaves of x its fraction, as a number in [1, 2).
func (w *singlesHalf) fraction(x, to reg.VecVirtual) {
	VPAND(w.every(singleFraction), x, to)
	VPOR(w.every(singleUnit), to, to)
}

// choose prepares the lowest four bits of a piece for pick: it looks at three of them, and at the fourth as a sign.
func (w *singlesHalf) choose(piece reg.VecVirtual) {
	sign := YMM()
	VPSLLD(U8(28), piece, sign)
	VPOR(sign, piece, piece)
}

// pick picks the coefficients of pieces.
func (w *singlesHalf) pick(table int, piece, to reg.VecVirtual) {
	high := YMM()
	VPERMPS(w.at(table), piece, to)
	VPERMPS(w.at(table+32), piece, high)
	VBLENDVPS(piece, high, to, to)
}

// horner returns the polynomials of pieces at d.
func (w *singlesHalf) horner(table, terms int, piece, d []reg.VecVirtual) []reg.VecVirtual {
	sums := make([]reg.VecVirtual, len(d))
	for i := range sums {
		sums[i] = YMM()
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

// exponential returns -log u of the u that x chooses.
func (w *singlesHalf) exponential(x reg.VecVirtual) (y reg.VecVirtual) {
	VPAND(w.every(singleLow), x, x)
	VPOR(w.every(singleOdd), x, x)
	VCVTDQ2PS(x, x)
	VPSUBD(w.every(singleDown), x, x)
	piece, r, e := YMM(), YMM(), YMM()
	y = YMM()
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
	return y
}

// tail adds -log Q(-mean) to y.
func (w *singlesHalf) tail(y []reg.VecVirtual) {
	d, piece := make([]reg.VecVirtual, len(y)), make([]reg.VecVirtual, len(y))
	for i := range y {
		d[i], piece[i] = YMM(), YMM()
		back := YMM()
		VXORPS(d[i], d[i], d[i]) // its upper half is not what it was: nothing need be kept for it
		VCVTPD2PSY(w.mean(i, 0), d[i].AsX())
		VCVTPD2PSY(w.mean(i, 1), back.AsX())
		VINSERTF128(U8(1), back.AsX(), d[i], d[i])
		VMINPS(w.every(singleLast), d[i], d[i])
		VADDPS(w.every(singleShift), d[i], piece[i])
		VSUBPS(w.every(singleShift), piece[i], back)
		VSUBPS(back, d[i], d[i])
		w.choose(piece[i])
	}
	for i, tail := range w.horner(singleTails, singleTailTerms, piece, d) {
		VADDPS(tail, y[i], y[i])
	}
}

// point returns L^-1(y), and leaves in y where it is one.
func (w *singlesHalf) point(y []reg.VecVirtual) []reg.VecVirtual {
	const ge = 13 // false of a NaN
	d, piece := make([]reg.VecVirtual, len(y)), make([]reg.VecVirtual, len(y))
	for i, v := range y {
		d[i], piece[i] = YMM(), YMM()
		VPSRLD(U8(23), v, piece[i])
		w.choose(piece[i])
		w.fraction(v, d[i])
		VSUBPS(w.every(singleMiddle), d[i], d[i])
		VCMPPS(U8(ge), w.every(singleLeast), v, v)
	}
	return w.horner(singlePoints, singlePointTerms, piece, d)
}

// store adds the means of group i to x and puts what is ok and positive in their places.
func (w *singlesHalf) store(i int, x, ok reg.VecVirtual, flags reg.GPVirtual) {
	const gt = 14
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
	MOVB(bits.As8(), Mem{Base: flags, Disp: 2*i + w.half})
}
