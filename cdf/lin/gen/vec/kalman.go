package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of vec.filters.
const (
	filM       = 0
	filV       = 8
	filSquares = 16
	filProduct = 24
	filQ       = 32
	filR       = 40
	filER      = 48
	filRR      = 56
	filA       = 64
	filS       = 72
	filY       = 80
	filRows    = 88
	filWhole   = 96
	filRest    = 104 // bytes of the columns left
	filBits    = 112
	filMask    = 120
	filTop     = 152
)

// kalman writes what takes rows of filters one step on, and through an observation
// where there is one, with the parts that a mean has in the levels or without.
func kalman(name string, set asm.Set, observed, mean bool) {
	set.Mask = asm.Y[9] // the last is for constants
	v := newVector(set)
	TEXT(v.Name+name, NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	a, s, rows, left, i, j, base := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(at(filA), a)
	MOVQ(at(filS), s)
	MOVQ(at(filRows), rows)
	XORQ(i, i)
	v.keep(pattern(1)...)
	top, y, va, va2, vs, rest := v.R[8], v.R[10], v.R[11], v.R[12], v.R[13], v.R[14]
	VBROADCASTSD(at(filY), y)
	VBROADCASTSD(constant(0), top)
	v.Prepare(at(filBits), at(filMask))
	body := func(masked bool) {
		// entry is where a field has the vector at hand.
		entry := func(off int, index reg.GPVirtual) Mem {
			MOVQ(at(off), base)
			return Mem{Base: base, Index: index, Scale: 1}
		}
		load := func(off int, index reg.GPVirtual, to reg.VecPhysical) { v.Load(entry(off, index), to, masked) }
		store := func(from reg.VecPhysical, off int) { v.Store(from, entry(off, i), masked) }
		m, gain, t, e, f, inv, x := v.R[0], v.R[1], v.R[2], v.R[3], v.R[4], v.R[5], v.R[6]
		load(filM, i, m)
		load(filV, i, gain)
		load(filQ, j, t)
		VMULPD(va, m, m)
		VMULPD(va2, gain, gain)
		VMULPD(vs, t, t)
		VADDPD(t, gain, gain)
		if observed {
			VSUBPD(m, y, e)
			VADDPD(v.num(1), gain, f)
			VDIVPD(f, v.num(1), inv)
			VMULPD(inv, gain, gain)
			VMULPD(e, gain, x)
			VADDPD(x, m, m)
			VMULPD(e, e, x)
			VMULPD(inv, x, x)
			load(filSquares, i, t)
			VADDPD(x, t, t)
			store(t, filSquares)
			load(filProduct, i, t)
			VMULPD(f, t, t)
			store(t, filProduct)
			VMAXPD(t, top, top)
		}
		store(m, filM)
		store(gain, filV)
		if !mean {
			return
		}
		load(filR, i, m)
		VMULPD(va, m, m)
		VADDPD(rest, m, m)
		if observed {
			VMULPD(inv, m, gain)
			VMULPD(gain, e, e)
			VMULPD(gain, m, m)
			load(filER, i, t)
			VADDPD(e, t, t)
			store(t, filER)
			load(filRR, i, t)
			VADDPD(m, t, t)
			store(t, filRR)
			store(gain, filR)
			return
		}
		store(m, filR)
	}
	Label("row")
	VBROADCASTSD(Mem{Base: a}, va)
	VBROADCASTSD(Mem{Base: s}, vs)
	VMULPD(va, va, va2)
	VSUBPD(va, v.num(1), rest)
	XORQ(j, j)
	MOVQ(at(filWhole), left)
	CMPQ(left, U8(0))
	JEQ(LabelRef("last"))
	Label("next")
	body(false)
	ADDQ(U8(8*v.Lanes), i)
	ADDQ(U8(8*v.Lanes), j)
	DECQ(left)
	JNZ(LabelRef("next"))
	Label("last")
	CMPQ(at(filRest), U8(0))
	JEQ(LabelRef("done"))
	body(true)
	ADDQ(at(filRest), i)
	Label("done")
	ADDQ(U8(8), a)
	ADDQ(U8(8), s)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VMOVUPD(top, at(filTop))
	asm.End()
}

// kalmans writes it for both sets.
func kalmans() {
	for _, set := range []asm.Set{asm.AVX512, asm.AVX2} {
		kalman("Pass", set, false, false)
		kalman("PassMean", set, false, true)
		kalman("Observe", set, true, false)
		kalman("ObserveMean", set, true, true)
	}
}
