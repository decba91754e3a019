package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of lin.filters.
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
func kalman(name string, v *vector, observed, mean bool) {
	TEXT(v.set+name, NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	a, s, rows, left, i, j, base := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(at(filA), a)
	MOVQ(at(filS), s)
	MOVQ(at(filRows), rows)
	XORQ(i, i)
	v.keep(pattern(1)...)
	top, mask, y, va, va2, vs, rest := v.r[8], v.r[9], v.r[10], v.r[11], v.r[12], v.r[13], v.r[14]
	VBROADCASTSD(at(filY), y)
	VBROADCASTSD(constant(0), top)
	if v.lanes == 8 {
		KMOVW(at(filBits), reg.K2)
	} else {
		VMOVUPD(at(filMask), mask)
	}
	body := func(masked bool) {
		// entry is where a field has the vector at hand.
		entry := func(off int, index reg.GPVirtual) Mem {
			MOVQ(at(off), base)
			return Mem{Base: base, Index: index, Scale: 1}
		}
		load := func(off int, index reg.GPVirtual, to reg.VecPhysical) {
			switch m := entry(off, index); {
			case !masked:
				VMOVUPD(m, to)
			case v.lanes == 8:
				VMOVUPD_Z(m, reg.K2, to)
			default:
				VMASKMOVPD(m, mask, to)
			}
		}
		store := func(from reg.VecPhysical, off int) {
			switch m := entry(off, i); {
			case !masked:
				VMOVUPD(from, m)
			case v.lanes == 8:
				VMOVUPD(from, reg.K2, m)
			default:
				VMASKMOVPD(from, mask, m)
			}
		}
		m, gain, t, e, f, inv, x := v.r[0], v.r[1], v.r[2], v.r[3], v.r[4], v.r[5], v.r[6]
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
	ADDQ(U8(8*v.lanes), i)
	ADDQ(U8(8*v.lanes), j)
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
	VZEROUPPER()
	RET()
}

// kalmans writes it for both sets.
func kalmans() {
	for _, lanes := range []int{8, 4} {
		kalman("Pass", newVector(lanes), false, false)
		kalman("PassMean", newVector(lanes), false, true)
		kalman("Observe", newVector(lanes), true, false)
		kalman("ObserveMean", newVector(lanes), true, true)
	}
}
