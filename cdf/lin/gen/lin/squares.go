package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Widths of lin.AddTMulSquares: the sums of so many columns, with squares, are in registers.
const fewestSums, mostSums = 4, 11

// sumsAndSquares adds rows of sixteen entries, times each of n numbers, to n rows, and their squares to another. A product
// is added without being rounded, a square is rounded before.
func sumsAndSquares() {
	TEXT("avx512SumsAndSquares", NOSPLIT, "func(n int, x, t, sum, squares *float64, rows int)")
	n, x, t := asm.Argument("n"), asm.Argument("x"), asm.Argument("t")
	to, squares, rows := asm.Argument("sum"), asm.Argument("squares"), asm.Argument("rows")
	for p := fewestSums; p <= mostSums; p++ {
		label := fmt.Sprintf("wide%d", p)
		CMPQ(n, U8(p))
		JNE(LabelRef(label + "end"))
		sum, square, v, w, factor := asm.Z[:2*p], asm.Z[22:24], asm.Z[24:26], asm.Z[26:28], asm.Z[28:32]
		each := func(do func(at Mem, i int)) {
			for i := range sum {
				do(Mem{Base: to, Disp: 64 * i}, i)
			}
		}
		each(func(at Mem, i int) { VMOVUPD(at, sum[i]) })
		for i := range 2 {
			VMOVUPD(Mem{Base: squares, Disp: 64 * i}, square[i])
		}
		Label(label)
		for i := range 2 {
			VMOVUPD(Mem{Base: t, Disp: 64 * i}, v[i])
			VMULPD(v[i], v[i], w[i])
		}
		for j := range p {
			f := factor[j%len(factor)]
			VBROADCASTSD(Mem{Base: x, Disp: 8 * j}, f)
			VFMADD231PD(v[0], f, sum[2*j])
			VFMADD231PD(v[1], f, sum[2*j+1])
		}
		for i := range 2 {
			VADDPD(w[i], square[i], square[i])
		}
		ADDQ(U8(8*p), x)
		ADDQ(U32(128), t)
		DECQ(rows)
		JNZ(LabelRef(label))
		each(func(at Mem, i int) { VMOVUPD(sum[i], at) })
		for i := range 2 {
			VMOVUPD(square[i], Mem{Base: squares, Disp: 64 * i})
		}
		Label(label + "end")
	}
	asm.End()
}
