package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// affine writes a + b x, four at a time. It fetches what is a page ahead.
func affine() {
	TEXT("avx2Affine", NOSPLIT, "func(dst, x *float64, n int, a, b float64)")
	dst, x, n := asm.Argument("dst"), asm.Argument("x"), asm.Argument("n")
	v, a, b := asm.Y[0], asm.Y[1], asm.Y[2]
	asm.Everywhere("a", a)
	asm.Everywhere("b", b)
	asm.Fours(n, func() {
		PREFETCHT0(Mem{Base: x, Disp: 4096})
		VMULPD(Mem{Base: x}, b, v)
		VADDPD(v, a, v)
		VMOVUPD(v, Mem{Base: dst})
	}, dst, x)
	asm.End()
}
