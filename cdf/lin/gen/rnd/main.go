// Command rnd writes the assembly of cdf/rnd.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of rnd.pieces, and how many coefficients there are.
const (
	ln2      = 0
	one      = 8
	middle   = 16
	exponent = 24
	even     = 32
	least    = 40
	unit     = 48
	integer  = 56
	fraction = 64
	high     = 72
	half     = 80
	log      = 88
	logs     = 128
	points   = logs + 8*16
	logsBy   = points + 16*128
	pointsBy = logsBy + 2*64

	logTerms, pointTerms = 5, 10
)

func main() {
	asm.Generated(func() {
		wide()
		widePositive()
		narrow()
		narrowPositive()
	}, stream)
}

// fields loads those of rnd.group.
func fields() (s, c, t, done, n reg.GPVirtual) {
	all := asm.Fields(5)
	return all[0], all[1], all[2], all[3], all[4]
}

// wide writes the function for AVX-512.
func wide() {
	wideLanes("avx512Normals", 1, func(w *lanes) {
		VBROADCASTSD(w.at(unit), w.unit)
		VBROADCASTSD(w.at(fraction), w.fraction)
		VBROADCASTSD(w.at(high), w.high)
	}, (*lanes).draw)
}

// wideLanes writes a function for AVX-512 that draws groups of as many bytes of done as given. begin sets what all
// of them need.
func wideLanes(name string, bytes int, begin func(*lanes), draw func(w *lanes, k int)) {
	TEXT(name, NOSPLIT, "func(p *byte)")
	w := &lanes{}
	w.s, w.c, w.t, w.done, w.n = fields()
	for i := range w.state {
		w.state[i] = ZMM()
		VMOVDQU64(Mem{Base: w.s, Disp: 64 * i}, w.state[i])
	}
	w.unit, w.fraction, w.high = ZMM(), ZMM(), ZMM()
	begin(w)
	asm.Together(w.n, func(k int) {
		draw(w, k)
		ADDQ(U32(64*bytes*k), w.t)
		ADDQ(U8(bytes*k), w.done)
	})
	for i, v := range w.state {
		VMOVDQU64(v, Mem{Base: w.s, Disp: 64 * i})
	}
	asm.End()
}

// lanes are the registers of AVX-512.
type lanes struct {
	s, c, t, done, n     reg.GPVirtual
	state                [4]reg.VecVirtual
	unit, fraction, high reg.VecVirtual
}

func (w *lanes) at(off int) Mem { return Mem{Base: w.c, Disp: off} }

// next is the next number of every generator.
func (w *lanes) next() reg.VecVirtual {
	s0, s1, s2, s3 := w.state[0], w.state[1], w.state[2], w.state[3]
	x, shifted := ZMM(), ZMM()
	VPADDQ(s0, s3, x)
	VPROLQ(U8(23), x, x)
	VPADDQ(s0, x, x)
	VPSLLQ(U8(17), s1, shifted)
	const xor = 0x96 // of three
	VPXORQ(s1, s3, s3)
	VPTERNLOGQ(U8(xor), s0, s2, s1)
	VPTERNLOGQ(U8(xor), shifted, s0, s2)
	VPXORQ(s3, s0, s0)
	VPROLQ(U8(45), s3, s3)
	return x
}

// draw draws for k groups. All instructions of a line are independent.
func (w *lanes) draw(k int) {
	each := func(do func(i int)) {
		for i := range k {
			do(i)
		}
	}
	x, y, e, r := make([]reg.VecVirtual, k), asm.Several(k), asm.Several(k), asm.Several(k)
	each(func(i int) { x[i] = w.next() })

	// y = -log u, of 2^64 u.
	const andOr = 0xea // a & b | c
	each(func(i int) { VPTERNLOGQ_BCST(U8(andOr), w.at(half), w.high, x[i]) })
	each(func(i int) { VCVTUQQ2PD(x[i], x[i]) })
	each(func(i int) { VPSRLQ(U8(49), x[i], e[i]) })
	each(func(i int) { VPERMPD(w.at(logsBy), e[i], r[i]) })
	each(func(i int) { VPERMPD(w.at(logsBy+64), e[i], y[i]) })
	each(func(i int) { VGETEXPPD(x[i], e[i]) })
	each(func(i int) { VPTERNLOGQ(U8(andOr), w.unit, w.fraction, x[i]) })
	each(func(i int) { VFMSUB213PD(w.unit, x[i], r[i]) })
	each(func(i int) { VFMADD231PD_BCST(w.at(ln2), e[i], y[i]) })
	each(func(i int) { VBROADCASTSD(w.at(log), e[i]) })
	for j := 1; j < logTerms; j++ {
		each(func(i int) { VFMADD213PD_BCST(w.at(log+8*j), r[i], e[i]) })
	}
	each(func(i int) { VFMADD231PD(e[i], r[i], y[i]) })

	const ge = 13 // false of a NaN
	ok := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}
	each(func(i int) { VCMPPD_BCST(U8(ge), w.at(least), y[i], ok[i]) })

	// x = L^-1(y).
	piece := asm.Several(k)
	each(func(i int) { VPSRLQ(U8(52), y[i], piece[i]) })
	each(func(i int) { VPTERNLOGQ(U8(andOr), w.unit, w.fraction, y[i]) })
	each(func(i int) { VSUBPD_BCST(w.at(middle), y[i], y[i]) })
	x = asm.Several(k)
	w.pick(pointsBy, piece, x)
	for j := 1; j < pointTerms; j++ {
		coefficient := asm.Several(k)
		w.pick(pointsBy+128*j, piece, coefficient)
		each(func(i int) { VFMADD213PD(coefficient[i], y[i], x[i]) })
	}

	for i := range k {
		VMOVUPD(x[i], ok[i], Mem{Base: w.t, Disp: 64 * i})
		KMOVB(ok[i], Mem{Base: w.done, Disp: i})
	}
}

// pick picks coefficients, each from two vectors of them.
func (w *lanes) pick(table int, piece, to []reg.VecVirtual) {
	low, high := ZMM(), ZMM()
	VMOVUPD(w.at(table), low)
	VMOVUPD(w.at(table+64), high)
	for _, v := range to {
		VMOVAPD(low, v)
	}
	for i, v := range to {
		VPERMT2PD(high, piece[i], v)
	}
}

// narrow writes the function for AVX2. The pieces of four lanes are read and transposed.
func narrow() { narrowLanes("avx2Normals", 1, narrowFour) }

// narrowLanes writes a function for AVX2: first for one half of the generators, for all of t, then for the other. draw draws
// for as many groups as given, or for one, and steps to the next.
func narrowLanes(name string, most int, draw func(f four, k int)) {
	TEXT(name, NOSPLIT, "func(p *byte)")
	s, c, t, done, n := fields()
	for i, label := range []string{"low", "high"} {
		f := four{half: i, s: s, c: c, to: GP64(), flags: GP64()}
		left := GP64()
		MOVQ(t, f.to)
		MOVQ(done, f.flags)
		MOVQ(n, left)
		if most > 1 {
			Label(label + "s")
			CMPQ(left, U8(most))
			JLT(LabelRef(label))
			draw(f, most)
			SUBQ(U8(most), left)
			JNZ(LabelRef(label + "s"))
			JMP(LabelRef(label + "end"))
		}
		Label(label)
		draw(f, 1)
		DECQ(left)
		JNZ(LabelRef(label))
		Label(label + "end")
	}
	asm.End()
}

// four are the generators of one half, whose state is in memory, and what they draw for.
type four struct {
	half            int
	s, c, to, flags reg.GPVirtual
}

func (f four) at(off int) Mem { return Mem{Base: f.c, Disp: off} }

func (f four) state(i int) Mem { return Mem{Base: f.s, Disp: 64*i + 32*f.half} }

func narrowFour(f four, _ int) {
	c, to, flags, at := f.c, f.to, f.flags, f.at
	every := func(off int) reg.VecVirtual {
		v := YMM()
		VBROADCASTSD(at(off), v)
		return v
	}
	x, y, d := YMM(), YMM(), YMM()
	f.next(1, func(_ int, number reg.VecVirtual) { x = number })
	VPSRLQ(U8(12), x, x)
	VPOR(every(unit), x, x)
	VSUBPD(every(even), x, x)
	e := YMM()
	VPSRLQ(U8(52), x, e)
	VPOR(every(integer), e, e)
	VSUBPD(every(exponent), e, e)
	VPSLLQ(U8(12), x, d)
	VPSRLQ(U8(61), d, d)
	two := asm.RowsOf(c, logs, 4, d).Pair(0)
	r := two[0]
	y = two[1]
	VPAND(every(fraction), x, x)
	VPOR(every(unit), x, x)
	VFMSUB213PD(every(one), x, r)
	VFMADD231PD(every(ln2), e, y)
	poly := every(log)
	for i := 1; i < logTerms; i++ {
		VFMADD213PD(every(log+8*i), r, poly)
	}
	VFMADD231PD(poly, r, y)

	piece := YMM()
	VPSLLQ(U8(8), y, piece)
	VPSRLQ(U8(60), piece, piece)
	VPAND(every(fraction), y, d)
	VPOR(every(unit), d, d)
	VSUBPD(every(middle), d, d)
	x = asm.RowsOf(c, points, 7, piece).Horner(pointTerms, d)

	const ge = 13
	ok := YMM()
	VCMPPD(U8(ge), every(least), y, ok)
	asm.Blended(x, ok, Mem{Base: to, Disp: 32 * f.half})
	bits := GP32()
	VMOVMSKPD(ok, bits)
	if f.half == 0 {
		MOVB(bits.As8(), Mem{Base: flags})
	} else {
		SHLL(U8(4), bits)
		ORB(bits.As8(), Mem{Base: flags})
	}
	ADDQ(U8(64), to)
	INCQ(flags)
}

// next hands the next k numbers of each generator to do.
func (f four) next(k int, do func(i int, number reg.VecVirtual)) {
	var state [4]reg.VecVirtual
	for i := range state {
		state[i] = YMM()
		VMOVDQU(f.state(i), state[i])
	}
	s0, s1, s2, s3 := state[0], state[1], state[2], state[3]
	rotate := func(by uint8, v reg.VecVirtual) {
		high := YMM()
		VPSLLQ(U8(by), v, high)
		VPSRLQ(U8(64-by), v, v)
		VPOR(high, v, v)
	}
	for i := range k {
		x, shifted := YMM(), YMM()
		VPADDQ(s0, s3, x)
		rotate(23, x)
		VPADDQ(s0, x, x)
		VPSLLQ(U8(17), s1, shifted)
		VPXOR(s0, s2, s2)
		VPXOR(s1, s3, s3)
		VPXOR(s2, s1, s1)
		VPXOR(s3, s0, s0)
		VPXOR(shifted, s2, s2)
		rotate(45, s3)
		do(i, x)
	}
	for i, v := range state {
		VMOVDQU(v, f.state(i))
	}
}
