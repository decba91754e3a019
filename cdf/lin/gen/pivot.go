package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
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

// pivots writes the function that solves with unit bidiagonal matrices, one in
// every lane, and adds the weighted squares of the solutions.
func pivots(set string, sizes []int, lanes int) {
	TEXT(set+"Pivots", NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	c, matrix, out, left := GP64(), newStrides(), GP64(), GP64()
	MOVQ(at(pivotC), c)
	MOVQ(at(pivotStride), matrix.stride)
	matrix.triple()
	MOVQ(at(pivotOut), out)
	MOVQ(at(pivotRows), left)
	v := func(i int) reg.VecPhysical { return zmm[i] }
	if lanes == 4 {
		v = func(i int) reg.VecPhysical { return ymm[i] }
		VMOVUPD(at(pivotMask), ymm[15])
	} else {
		KMOVW(at(pivotBits), reg.K1)
	}
	load, store := func(m Mem, x reg.VecPhysical) { VMASKMOVPD(m, ymm[15], x) }, func(x reg.VecPhysical, m Mem) { VMASKMOVPD(x, ymm[15], m) }
	if lanes == 8 {
		load, store = func(m Mem, x reg.VecPhysical) { VMOVUPD_Z(m, reg.K1, x) }, func(x reg.VecPhysical, m Mem) { VMOVUPD(x, reg.K1, m) }
	}
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
			load(Mem{Base: to}, sum(r))
			ADDQ(at(pivotOuts), to)
			VXORPD(low(u(r)), low(u(r)), low(u(r)))
		}
		bases := []reg.GPVirtual{GP64()}
		MOVQ(c, bases[0])
		if rows > 4 {
			bases = append(bases, GP64())
			LEAQ(Mem{Base: c, Index: matrix.stride, Scale: 4}, bases[1])
		}
		lp, gp, n := GP64(), GP64(), GP64()
		MOVQ(at(pivotL), lp)
		MOVQ(at(pivotG), gp)
		MOVQ(at(pivotDepth), n)
		Label(label + "depth")
		load(Mem{Base: lp}, l)
		load(Mem{Base: gp}, g)
		for r := range rows {
			m := matrix.at(bases, r, 0)
			if lanes == 8 {
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
			store(sum(r), Mem{Base: out})
			ADDQ(at(pivotOuts), out)
		}
		next := GP64()
		IMUL3Q(U8(rows), matrix.stride, next)
		ADDQ(next, c)
		SUBQ(U8(rows), left)
		JMP(LabelRef(label))
		Label(label + "end")
	}
	VZEROUPPER()
	RET()
}
