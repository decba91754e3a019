package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.puts.
const (
	putX     = 0
	putY     = 8
	putWhole = 16
	putLeft  = 24
	putLast  = 32
	putB     = 40
	putApart = 48
	putRows  = 56
	putStep  = 64
	putLefts = 72
	putLasts = 136
)

// puts writes the functions that put rows into panels that lie so many bytes apart, eight numbers of a row after the other. The
// last panel has what is left of a row, in the lanes of a mask, then y, and 0 elsewhere.
func puts() {
	TEXT("avx512PutRows", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	KMOVW(Mem{Base: p, Disp: putLeft}, reg.K1)
	KMOVW(Mem{Base: p, Disp: putLast}, reg.K2)
	putRowsOf(p, 1, func(m func(reg.Register) Mem, x, y, to reg.GPVirtual) {
		VMOVUPD_Z(m(x), reg.K1, asm.Z[1])
		VBROADCASTSD(Mem{Base: y}, reg.K2, asm.Z[1])
		VMOVUPD(asm.Z[1], m(to))
	})

	TEXT("avx2PutRows", NOSPLIT, "func(p *byte)")
	p = Load(Param("p"), GP64())
	var lefts, lasts []reg.VecPhysical
	for half := range 2 {
		lefts, lasts = append(lefts, asm.Y[4+half]), append(lasts, asm.Y[6+half])
		VMOVUPD(Mem{Base: p, Disp: putLefts + 32*half}, lefts[half])
		VMOVUPD(Mem{Base: p, Disp: putLasts + 32*half}, lasts[half])
	}
	half := 0
	putRowsOf(p, 2, func(m func(reg.Register) Mem, x, y, to reg.GPVirtual) {
		VMASKMOVPD(m(x), lefts[half], asm.Y[2])
		VBROADCASTSD(Mem{Base: y}, asm.Y[3])
		VBLENDVPD(lasts[half], asm.Y[3], asm.Y[2], asm.Y[2])
		VMOVUPD(asm.Y[2], m(to))
		half++
	})
}

// putRowsOf writes the loops, where a row of a panel is so many vectors. last puts a vector of the last panel.
func putRowsOf(p reg.Register, vectors int, last func(m func(reg.Register) Mem, x, y, to reg.GPVirtual)) {
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	each := func(do func(q int, m func(reg.Register) Mem)) {
		for q := range vectors {
			do(q, func(base reg.Register) Mem { return Mem{Base: base, Disp: 64 / vectors * q} })
		}
	}
	v := func(q int) reg.VecPhysical {
		if vectors == 1 {
			return asm.Z[q]
		}
		return asm.Y[q]
	}
	x, y := asm.Loaded(at(putX)), asm.Loaded(at(putY))
	b, apart, rows, step := asm.Loaded(at(putB)), asm.Loaded(at(putApart)), asm.Loaded(at(putRows)), asm.Loaded(at(putStep))
	Label("row")
	to, eights := GP64(), asm.Loaded(at(putWhole))
	MOVQ(b, to)
	Label("eight")
	each(func(q int, m func(reg.Register) Mem) { VMOVUPD(m(x), v(q)) })
	each(func(q int, m func(reg.Register) Mem) { VMOVUPD(v(q), m(to)) })
	ADDQ(U8(64), x)
	ADDQ(apart, to)
	DECQ(eights)
	JNZ(LabelRef("eight"))
	each(func(_ int, m func(reg.Register) Mem) { last(m, x, y, to) })
	ADDQ(step, x)
	ADDQ(U8(8), y)
	ADDQ(U8(64), b)
	DECQ(rows)
	JNZ(LabelRef("row"))
	asm.End()
}
