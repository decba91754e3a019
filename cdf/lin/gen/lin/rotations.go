package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
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

// rotations writes it with both sets of instructions.
func rotations() {
	for _, vectors := range []int{8, 4, 2, 1} {
		rotate(asm.AVX512, vectors)
	}
	for _, vectors := range []int{4, 2, 1} {
		rotate(asm.AVX2, vectors)
	}
}

// rotate writes the function that applies plane rotations of neighbouring rows, the
// last first, to so many vectors of columns. What one rotation passes to the
// next stays in registers.
func rotate(set asm.Set, vectors int) {
	TEXT(fmt.Sprintf("%sRotate%d", set.Name, vectors), NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	z, above, stride := asm.Loaded(at(rotZ)), GP64(), asm.Loaded(at(rotStride))
	c, s, left := asm.Loaded(at(rotC)), asm.Loaded(at(rotS)), asm.Loaded(at(rotCount))
	set.Prepare(at(rotBits), at(rotMask))
	// The last vector is masked.
	entry := func(row reg.GPVirtual, k int) (m Mem, masked bool) {
		return Mem{Base: row, Disp: 8 * set.Lanes * k}, k == vectors-1
	}
	from := func(row reg.GPVirtual, k int, x reg.VecPhysical) {
		m, masked := entry(row, k)
		set.Load(m, x, masked)
	}
	to := func(x reg.VecPhysical, row reg.GPVirtual, k int) {
		m, masked := entry(row, k)
		set.Store(x, m, masked)
	}
	v := func(i int) reg.VecPhysical { return set.R[i] }
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
	asm.End()
}
