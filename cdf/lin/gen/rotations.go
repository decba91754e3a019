package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of lin.rotations.
const (
	rotZ      = 0
	rotStride = 8
	rotC      = 16
	rotS      = 24
	rotCount  = 32
)

// rotations writes the function that applies plane rotations of neighbouring rows, the
// last first, to so many vectors of columns. What one rotation passes to the
// next stays in registers.
func rotations(set string, lanes, vectors int) {
	TEXT(fmt.Sprintf("%sRotate%d", set, vectors), NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	z, above, stride, c, s, left := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(at(rotZ), z)
	MOVQ(at(rotStride), stride)
	MOVQ(at(rotC), c)
	MOVQ(at(rotS), s)
	MOVQ(at(rotCount), left)
	v := func(i int) reg.VecPhysical { return ymm[i] }
	if lanes == 8 {
		v = func(i int) reg.VecPhysical { return zmm[i] }
	}
	cos, sin := v(0), v(1)
	t := func(k int) reg.VecPhysical { return v(2 + k) }
	x := func(k int) reg.VecPhysical { return v(2 + vectors + k) }
	y := func(k int) reg.VecPhysical { return v(2 + 2*vectors + k) }
	for k := range vectors {
		VMOVUPD(Mem{Base: z, Disp: 8 * lanes * k}, t(k))
	}
	Label("next")
	VBROADCASTSD(Mem{Base: c}, cos)
	VBROADCASTSD(Mem{Base: s}, sin)
	MOVQ(z, above)
	SUBQ(stride, above)
	for k := range vectors {
		VMOVUPD(Mem{Base: above, Disp: 8 * lanes * k}, x(k))
		VMULPD(sin, x(k), y(k))
		VMULPD(cos, x(k), x(k))
	}
	spare := v(2 + 3*vectors)
	for k := range vectors {
		VMULPD(cos, t(k), spare)
		VADDPD(spare, y(k), y(k))
		VMOVUPD(y(k), Mem{Base: z, Disp: 8 * lanes * k})
		VMULPD(sin, t(k), t(k))
		VSUBPD(t(k), x(k), t(k))
	}
	MOVQ(above, z)
	SUBQ(U8(8), c)
	SUBQ(U8(8), s)
	DECQ(left)
	JNZ(LabelRef("next"))
	for k := range vectors {
		VMOVUPD(t(k), Mem{Base: z, Disp: 8 * lanes * k})
	}
	VZEROUPPER()
	RET()
}
