package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// transposes writes squares of 4 x 4, of m rows and n columns.
func transposes() {
	TEXT("avx2Transpose", NOSPLIT, "func(a *float64, as int, b *float64, bs, m, n int)")
	a, b, m, n := asm.Argument("a"), asm.Argument("b"), asm.Argument("m"), asm.Argument("n")
	rows, columns := asm.StridesOf(asm.Argument("as")), asm.StridesOf(asm.Argument("bs"))
	from, to, left := GP64(), GP64(), GP64()
	at := func(s asm.Strides, base reg.GPVirtual, r int) Mem { return s.At([]reg.GPVirtual{base}, r, 0) }
	Label("rows")
	MOVQ(a, from)
	MOVQ(b, to)
	MOVQ(n, left)
	Label("square")
	x, y := asm.Y[:4], asm.Y[4:8]
	for r := range 4 {
		VMOVUPD(at(rows, from, r), x[r])
	}
	for r := 0; r < 4; r += 2 {
		VUNPCKLPD(x[r+1], x[r], y[r])
		VUNPCKHPD(x[r+1], x[r], y[r+1])
	}
	const lows, highs = 0x20, 0x31 // halves of two registers
	for r, half := range []uint8{lows, lows, highs, highs} {
		VPERM2F128(U8(half), y[r%2+2], y[r%2], x[r])
		VMOVUPD(x[r], at(columns, to, r))
	}
	ADDQ(U8(32), from)
	columns.Advance(to, to)
	SUBQ(U8(4), left)
	JNZ(LabelRef("square"))
	rows.Advance(a, a)
	ADDQ(U8(32), b)
	SUBQ(U8(4), m)
	JNZ(LabelRef("rows"))
	asm.End()
}

// twoRows makes columns of two rows, four entries at a time.
func twoRows() {
	TEXT("avx2TwoRows", NOSPLIT, "func(x, y, b *float64, stride, n int)")
	x, y, b, n := asm.Argument("x"), asm.Argument("y"), asm.Argument("b"), asm.Argument("n")
	rows := asm.StridesOf(asm.Argument("stride"))
	row := func(r int) Mem { return rows.At([]reg.GPVirtual{b}, r, 0) }
	u, w, even, odd := asm.Y[0], asm.Y[1], asm.Y[2], asm.Y[3]
	asm.Fours(n, func() {
		VMOVUPD(Mem{Base: x}, u)
		VMOVUPD(Mem{Base: y}, w)
		VUNPCKLPD(w, u, even)
		VUNPCKHPD(w, u, odd)
		VMOVUPD(asm.Low(even), row(0))
		VMOVUPD(asm.Low(odd), row(1))
		VEXTRACTF128(U8(1), even, row(2))
		VEXTRACTF128(U8(1), odd, row(3))
		rows.Advance(b, b)
	}, x, y)
	asm.End()
}

// twoColumns is the way back.
func twoColumns() {
	TEXT("avx2TwoColumns", NOSPLIT, "func(a *float64, stride int, x, y *float64, n int)")
	a, x, y, n := asm.Argument("a"), asm.Argument("x"), asm.Argument("y"), asm.Argument("n")
	rows := asm.StridesOf(asm.Argument("stride"))
	row := func(r int) Mem { return rows.At([]reg.GPVirtual{a}, r, 0) }
	even, odd, u := asm.Y[0], asm.Y[1], asm.Y[2]
	asm.Fours(n, func() {
		VMOVUPD(row(0), asm.Low(even))
		VMOVUPD(row(1), asm.Low(odd))
		VINSERTF128(U8(1), row(2), even, even)
		VINSERTF128(U8(1), row(3), odd, odd)
		VUNPCKLPD(odd, even, u)
		VMOVUPD(u, Mem{Base: x})
		VUNPCKHPD(odd, even, u)
		VMOVUPD(u, Mem{Base: y})
		rows.Advance(a, a)
	}, x, y)
	asm.End()
}
