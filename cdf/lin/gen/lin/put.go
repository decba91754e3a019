package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// puts writes the function that puts rows into panels that lie so many bytes apart, eight numbers of a row after the other. The
// last panel has what is left of a row, in the lanes of a mask, then y, and 0 elsewhere.
func puts() {
	const whole, left, last = 16, 24, 32 // fields of lin.puts that do not stay in a register
	TEXT("avx512PutRows", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	x, y := asm.Loaded(at(0)), asm.Loaded(at(8))
	KMOVW(at(left), reg.K1)
	KMOVW(at(last), reg.K2)
	b, apart, rows, step := asm.Loaded(at(40)), asm.Loaded(at(48)), asm.Loaded(at(56)), asm.Loaded(at(64))
	Label("row")
	to, eights := GP64(), asm.Loaded(at(whole))
	MOVQ(b, to)
	Label("eight")
	VMOVUPD(Mem{Base: x}, asm.Z[0])
	VMOVUPD(asm.Z[0], Mem{Base: to})
	ADDQ(U8(64), x)
	ADDQ(apart, to)
	DECQ(eights)
	JNZ(LabelRef("eight"))
	VMOVUPD_Z(Mem{Base: x}, reg.K1, asm.Z[1])
	VBROADCASTSD(Mem{Base: y}, reg.K2, asm.Z[1])
	VMOVUPD(asm.Z[1], Mem{Base: to})
	ADDQ(step, x)
	ADDQ(U8(8), y)
	ADDQ(U8(64), b)
	DECQ(rows)
	JNZ(LabelRef("row"))
	asm.End()
}
