package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.reflection.
const (
	reflectB      = 0
	reflectStride = 8
	reflectX      = 16
	reflectNext   = 24
	reflectPivot  = 32
	reflectFours  = 40
	reflectBy     = 48
	reflectDot    = 56
	reflectLane   = 64
)

// reflections writes it with both sets of instructions.
func reflections() {
	reflect(asm.AVX512)
	reflect(asm.AVX2)
}

// reflect writes the function that takes a reflection off eight columns and finds
// the products of the next one with all of them, four rows at a time, each of which
// has sums of its own. A row is one vector or two halves.
func reflect(set asm.Set) {
	halves := 8 / set.Lanes
	TEXT(set.Name+"Reflect", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	matrix := asm.StridesOf(asm.Loaded(at(reflectStride)))
	b, x, next := asm.Loaded(at(reflectB)), asm.Loaded(at(reflectX)), asm.Loaded(at(reflectNext))
	left, by := asm.Loaded(at(reflectFours)), asm.Loaded(at(reflectBy))
	v := func(i int) reg.VecPhysical { return set.R[i] }
	sum := func(r, half int) reg.VecPhysical { return v(r*halves + half) }
	s := func(half int) reg.VecPhysical { return v(4*halves + half) }
	pivot := v(5 * halves)
	// What a row needs; with AVX2 all rows have the same.
	own := func(r, i int) reg.VecPhysical {
		if halves == 1 {
			return v(6 + 3*r + i)
		}
		return v(11 + i)
	}
	for half := range halves {
		VMOVUPD(Mem{Base: by, Disp: 32 * half}, s(half))
		for r := range 4 {
			VXORPD(asm.Low(sum(r, half)), asm.Low(sum(r, half)), asm.Low(sum(r, half)))
		}
	}
	bases := []reg.GPVirtual{b, x, next}
	if halves == 1 { // the next column is in the vector
		bases = bases[:2]
		VPBROADCASTQ(at(reflectLane), pivot)
	} else {
		VBROADCASTSD(at(reflectPivot), pivot)
	}
	Label("four")
	for r := range 4 {
		factor, column := own(r, 0), own(r, 1)
		VBROADCASTSD(matrix.At([]reg.GPVirtual{x}, r, 0), factor)
		if halves == 2 {
			VBROADCASTSD(matrix.At([]reg.GPVirtual{next}, r, 0), column)
			VFNMADD231PD(pivot, factor, column)
		}
		for half := range halves {
			entry, m := own(r, 2+half), matrix.At([]reg.GPVirtual{b}, r, 32*half)
			VMOVUPD(m, entry)
			VFNMADD231PD(s(half), factor, entry)
			VMOVUPD(entry, m)
			if halves == 1 {
				VPERMPD(entry, pivot, column)
			}
			VFMADD231PD(entry, column, sum(r, half))
		}
	}
	for _, base := range bases {
		matrix.Advance(base, base)
	}
	DECQ(left)
	JNZ(LabelRef("four"))
	MOVQ(at(reflectDot), by)
	for half := range halves {
		VADDPD(sum(1, half), sum(0, half), sum(0, half))
		VADDPD(sum(3, half), sum(2, half), sum(2, half))
		VADDPD(sum(2, half), sum(0, half), sum(0, half))
		VMOVUPD(sum(0, half), Mem{Base: by, Disp: 32 * half})
	}
	asm.End()
}
