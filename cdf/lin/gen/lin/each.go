package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// each writes what is done with one entry after the other, without fused multiply-adds: four at a time.
func each() {
	TEXT("avx2Axpy", NOSPLIT, "func(a float64, x, y *float64, n int)")
	x, y, n := asm.Argument("x"), asm.Argument("y"), asm.Argument("n")
	a := asm.Y[15]
	asm.Everywhere("a", a)
	sixteens(n, func(m func(reg.Register) Mem, v reg.VecPhysical) {
		VMULPD(m(x), a, v)
		VADDPD(m(y), v, v)
		VMOVUPD(v, m(y))
	}, x, y)

	TEXT("avx2Scale", NOSPLIT, "func(a float64, x *float64, n int)")
	x, n = asm.Argument("x"), asm.Argument("n")
	asm.Everywhere("a", a)
	sixteens(n, func(m func(reg.Register) Mem, v reg.VecPhysical) {
		VMULPD(m(x), a, v)
		VMOVUPD(v, m(x))
	}, x)

	for _, squares := range []bool{false, true} {
		name := map[bool]string{false: "Products", true: "AddSquares"}[squares]
		TEXT("avx2"+name, NOSPLIT, "func(dst, x, y *float64, n int)")
		dst := asm.Argument("dst")
		x, y, n := asm.Argument("x"), asm.Argument("y"), asm.Argument("n")
		sixteens(n, func(m func(reg.Register) Mem, v reg.VecPhysical) {
			VMOVUPD(m(x), v)
			VMULPD(m(y), v, v)
			if squares {
				VMULPD(v, v, v)
				VADDPD(m(dst), v, v)
			}
			VMOVUPD(v, m(dst))
		}, dst, x, y)
	}
}

// sixteens writes body for four vectors of what is pointed to, then for one, and the end.
func sixteens(n reg.GPVirtual, body func(m func(reg.Register) Mem, v reg.VecPhysical), pointers ...reg.GPVirtual) {
	for _, vectors := range []int{4, 1} {
		label := fmt.Sprintf("vectors%d", vectors)
		Label(label)
		CMPQ(n, U8(4*vectors))
		JLT(LabelRef(label + "end"))
		for i := range vectors {
			body(func(p reg.Register) Mem { return Mem{Base: p, Disp: 32 * i} }, asm.Y[i])
		}
		for _, p := range pointers {
			ADDQ(U32(32*vectors), p)
		}
		SUBQ(U8(4*vectors), n)
		JMP(LabelRef(label))
		Label(label + "end")
	}
	asm.End()
}
