package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.pivots.
const (
	pivotC      = 0
	pivotStride = 8
	pivotL      = 16
	pivotG      = 24
	pivotNext   = 32
	pivotOut    = 40
	pivotOuts   = 48
	pivotRows   = 56
	pivotDepth  = 64
	pivotBits   = 72
	pivotMask   = 80
)

// pivots writes it with both sets of instructions.
func pivots() {
	pivot(asm.AVX512, []int{8, 4, 2, 1})
	pivot(asm.AVX2, []int{4, 2, 1})
}

// pivot writes the function that solves with unit bidiagonal matrices, one in
// every lane, and adds the weighted squares of the solutions.
func pivot(set asm.Set, sizes []int) {
	TEXT(set.Name+"Pivots", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	matrix := asm.StridesOf(asm.Loaded(at(pivotStride)))
	c, out, left := asm.Loaded(at(pivotC)), asm.Loaded(at(pivotOut)), asm.Loaded(at(pivotRows))
	set.Prepare(at(pivotBits), at(pivotMask))
	v := func(i int) reg.VecPhysical { return set.R[i] }
	for _, rows := range sizes {
		label := fmt.Sprintf("rows%d", rows)
		Label(label)
		CMPQ(left, U8(rows))
		JLT(LabelRef(label + "end"))
		u, sum := func(r int) reg.VecPhysical { return v(r) }, func(r int) reg.VecPhysical { return v(rows + r) }
		l, g, square := v(2*rows), v(2*rows+1), v(2*rows+2)
		to := GP64()
		MOVQ(out, to)
		for r := range rows {
			set.Load(Mem{Base: to}, sum(r), true)
			ADDQ(at(pivotOuts), to)
			VXORPD(asm.Low(u(r)), asm.Low(u(r)), asm.Low(u(r)))
		}
		bases := []reg.GPVirtual{GP64()}
		MOVQ(c, bases[0])
		if rows > 4 {
			bases = append(bases, GP64())
			matrix.Advance(c, bases[1])
		}
		lp, gp, n := GP64(), GP64(), GP64()
		MOVQ(at(pivotL), lp)
		MOVQ(at(pivotG), gp)
		MOVQ(at(pivotDepth), n)
		Label(label + "depth")
		set.Load(Mem{Base: lp}, l, true)
		set.Load(Mem{Base: gp}, g, true)
		for r := range rows {
			m := matrix.At(bases, r, 0)
			if set.Wide() {
				VFNMADD213PD_BCST(m, l, u(r))
			} else {
				VBROADCASTSD(m, square)
				VFNMADD213PD(square, l, u(r))
			}
			VMULPD(u(r), u(r), square)
			VFMADD231PD(g, square, sum(r))
		}
		SUBQ(at(pivotNext), lp)
		SUBQ(at(pivotNext), gp)
		for _, base := range bases {
			SUBQ(U8(8), base)
		}
		DECQ(n)
		JNZ(LabelRef(label + "depth"))
		for r := range rows {
			set.Store(sum(r), Mem{Base: out}, true)
			ADDQ(at(pivotOuts), out)
		}
		next := GP64()
		IMUL3Q(U8(rows), matrix.Once, next)
		ADDQ(next, c)
		SUBQ(U8(rows), left)
		JMP(LabelRef(label))
		Label(label + "end")
	}
	asm.End()
}
