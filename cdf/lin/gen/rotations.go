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
	rotBits   = 40
	rotMask   = 48
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
	load, store := func(m Mem, x reg.VecPhysical) { VMASKMOVPD(m, ymm[15], x) }, func(x reg.VecPhysical, m Mem) { VMASKMOVPD(x, ymm[15], m) }
	if lanes == 8 {
		v = func(i int) reg.VecPhysical { return zmm[i] }
		load, store = func(m Mem, x reg.VecPhysical) { VMOVUPD_Z(m, reg.K1, x) }, func(x reg.VecPhysical, m Mem) { VMOVUPD(x, reg.K1, m) }
		KMOVW(at(rotBits), reg.K1)
	} else {
		VMOVUPD(at(rotMask), ymm[15])
	}
	// The last vector is masked.
	from := func(row reg.GPVirtual, k int, x reg.VecPhysical) {
		if m := (Mem{Base: row, Disp: 8 * lanes * k}); k == vectors-1 {
			load(m, x)
		} else {
			VMOVUPD(m, x)
		}
	}
	to := func(x reg.VecPhysical, row reg.GPVirtual, k int) {
		if m := (Mem{Base: row, Disp: 8 * lanes * k}); k == vectors-1 {
			store(x, m)
		} else {
			VMOVUPD(x, m)
		}
	}
	cos, sin := v(0), v(1)
	t := func(k int) reg.VecPhysical { return v(2 + k) }
	x := func(k int) reg.VecPhysical { return v(2 + vectors + k) }
	y := func(k int) reg.VecPhysical { return v(2 + 2*vectors + k) }
	for k := range vectors {
		from(z, k, t(k))
	}
	Label("next")
	VBROADCASTSD(Mem{Base: c}, cos)
	VBROADCASTSD(Mem{Base: s}, sin)
	MOVQ(z, above)
	SUBQ(stride, above)
	for k := range vectors {
		from(above, k, x(k))
		VMULPD(cos, t(k), y(k))
		VMULPD(sin, t(k), t(k))
		VFMADD231PD(x(k), sin, y(k))
		to(y(k), z, k)
		VFMSUB231PD(x(k), cos, t(k))
	}
	MOVQ(above, z)
	SUBQ(U8(8), c)
	SUBQ(U8(8), s)
	DECQ(left)
	JNZ(LabelRef("next"))
	for k := range vectors {
		to(t(k), z, k)
	}
	VZEROUPPER()
	RET()
}
