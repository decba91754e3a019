package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// levels moves and scales normals, four at a time, without fused multiply-adds.
func levels() {
	TEXT("avx2Levels", NOSPLIT, "func(z, r, mu, sd *float64, n int, at float64)")
	z, r, mu, sd, n := asm.Argument("z"), asm.Argument("r"), asm.Argument("mu"), asm.Argument("sd"), asm.Argument("n")
	at, d, e := asm.Y[0], asm.Y[1], asm.Y[2]
	asm.Everywhere("at", at)
	asm.Fours(n, func() {
		VMOVUPD(Mem{Base: mu}, d)
		VSUBPD(at, d, d)
		VMULPD(Mem{Base: r}, d, d)
		VADDPD(at, d, d)
		VMOVUPD(Mem{Base: z}, e)
		VMULPD(Mem{Base: sd}, e, e)
		VADDPD(e, d, d)
		VMOVUPD(d, Mem{Base: z})
	}, z, r, mu, sd)
	asm.End()
}
