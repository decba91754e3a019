package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// each divides numbers, from which another is taken before or not, each by its own, four at a time. Vectors of eight
// take as long for each number.
func each() {
	for _, centered := range []bool{true, false} {
		name, center := "avx2DivideEach", ""
		if centered {
			name, center = "avx2StandardizeEach", "center, "
		}
		TEXT(name, NOSPLIT, "func(dst, x, "+center+"scale *float64, n int)")
		dst, x, scale, n := asm.Argument("dst"), asm.Argument("x"), asm.Argument("scale"), asm.Argument("n")
		pointers := []reg.GPVirtual{dst, x, scale}
		if centered {
			pointers = append(pointers, asm.Argument("center"))
		}
		v := asm.Y[0]
		asm.Fours(n, func() {
			VMOVUPD(Mem{Base: x}, v)
			if centered {
				VSUBPD(Mem{Base: pointers[3]}, v, v)
			}
			VDIVPD(Mem{Base: scale}, v, v)
			VMOVUPD(v, Mem{Base: dst})
		}, pointers...)
		asm.End()
	}
}
