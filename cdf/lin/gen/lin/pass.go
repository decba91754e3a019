package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.pass.
const (
	passA      = 0
	passStride = 8
	passX      = 16
	passV      = 24
	passU      = 32
	passW      = 40
	passRows   = 48
	passWhole  = 56
	passBits   = 64
	passMask   = 72
)

// passes writes the two passes of lin's reductions, with both sets of
// instructions.
func passes() {
	for _, dot := range []bool{false, true} {
		pass(asm.AVX512, []int{8, 4, 2, 1}, dot)
		pass(asm.AVX2, []int{4, 2, 1}, dot)
	}
}

// pass writes the function that subtracts xu' from a and adds v'a of the result
// to w, or sets x's neighbour v to aw of it: then eight partial sums are kept
// of a row, in one vector or two halves.
func pass(set asm.Set, sizes []int, dot bool) {
	name := "Sum"
	if dot {
		name = "Dot"
	}
	name = set.Name + name
	TEXT(name, NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	g := group{Set: set, dot: dot, halves: 8 / set.Lanes, p: p}
	g.matrix = asm.StridesOf(asm.Loaded(at(passStride)))
	g.a, g.x, g.v, g.left = asm.Loaded(at(passA)), asm.Loaded(at(passX)), asm.Loaded(at(passV)), asm.Loaded(at(passRows))
	if set.Wide() {
		KMOVW(at(passBits), reg.K1)
	}
	for _, r := range sizes {
		g.rows, g.label = r, fmt.Sprintf("rows%d", r)
		Label(g.label)
		CMPQ(g.left, U8(r))
		JLT(LabelRef(g.label + "end"))
		g.write()
		IMUL3Q(U8(r), g.matrix.Once, g.base[0])
		ADDQ(g.base[0], g.a)
		ADDQ(U8(8*r), g.x)
		ADDQ(U8(8*r), g.v)
		SUBQ(U8(r), g.left)
		JMP(LabelRef(g.label))
		Label(g.label + "end")
	}
	asm.End()
}

// group is up to eight rows that a pass takes at once.
type group struct {
	asm.Set
	dot                    bool
	halves, rows           int
	label                  string
	p                      reg.Register
	a, x, v, left, u, w, n reg.GPVirtual
	matrix                 asm.Strides
	base                   [2]reg.GPVirtual
}

// Registers: x of the rows, then v or the sums of each half, then a vector of u,
// one of w, and of a as many as there are; the last of AVX2 is the mask.
func (g *group) factor(r int) reg.VecPhysical { return g.R[r] }

func (g *group) sum(r, half int) reg.VecPhysical { return g.R[(1+half)*g.Lanes+r] }

func (g *group) col(i int) reg.VecPhysical {
	if g.dot {
		return g.R[(1+g.halves)*g.Lanes+i]
	}
	return g.R[2*g.Lanes+i]
}

func (g *group) entry(r int) reg.VecPhysical {
	if g.dot && g.halves == 2 {
		return g.R[14]
	}
	return g.R[2*g.Lanes+2+r]
}

// write takes the rows at once.
func (g *group) write() {
	for r := range g.rows {
		VBROADCASTSD(Mem{Base: g.x, Disp: 8 * r}, g.factor(r))
		if !g.dot {
			VBROADCASTSD(Mem{Base: g.v, Disp: 8 * r}, g.sum(r, 0))
			continue
		}
		for half := range g.halves {
			VXORPD(asm.Low(g.sum(r, half)), asm.Low(g.sum(r, half)), asm.Low(g.sum(r, half)))
		}
	}
	at := func(off int) Mem { return Mem{Base: g.p, Disp: off} }
	g.u, g.w, g.n, g.base[0] = asm.Loaded(at(passU)), asm.Loaded(at(passW)), asm.Loaded(at(passWhole)), GP64()
	MOVQ(g.a, g.base[0])
	if g.rows > 4 {
		g.base[1] = GP64()
		g.matrix.Advance(g.a, g.base[1])
	}
	TESTQ(g.n, g.n)
	JZ(LabelRef(g.label + "tail"))
	Label(g.label + "whole")
	g.eight(false)
	ADDQ(U8(64), g.u)
	ADDQ(U8(64), g.w)
	for i := range (g.rows + 3) / 4 {
		ADDQ(U8(64), g.base[i])
	}
	DECQ(g.n)
	JNZ(LabelRef(g.label + "whole"))
	Label(g.label + "tail")
	CMPQ(Mem{Base: g.p, Disp: passBits}, U8(0))
	JEQ(LabelRef(g.label + "done"))
	g.eight(true)
	Label(g.label + "done")
	if g.dot {
		for r := range g.rows {
			g.total(r)
		}
	}
}

// eight takes eight columns, or as many as the mask has.
func (g *group) eight(masked bool) {
	for half := range g.halves {
		if masked && !g.Wide() {
			VMOVUPD(Mem{Base: g.p, Disp: passMask + 32*half}, g.Mask)
		}
		u, w := g.col(0), g.col(1)
		g.Load(Mem{Base: g.u, Disp: 32 * half}, u, masked)
		g.Load(Mem{Base: g.w, Disp: 32 * half}, w, masked)
		for r := range g.rows {
			m, e := g.matrix.At(g.base[:], r, 32*half), g.entry(r)
			g.Load(m, e, masked)
			VFNMADD231PD(u, g.factor(r), e)
			g.Store(e, m, masked)
			if g.dot {
				VFMADD231PD(e, w, g.sum(r, half))
			} else {
				VFMADD231PD(e, g.sum(r, 0), w)
			}
		}
		if !g.dot {
			g.Store(w, Mem{Base: g.w, Disp: 32 * half}, masked)
		}
	}
}

// total stores the sum of the eight partial sums of a row: the halves, then what
// is two apart, then the two left.
func (g *group) total(r int) {
	s, other := g.sum(r, 0), g.factor(0) // below register 16: nothing of AVX-512 but its foundation is asked for
	if g.halves == 1 {
		VEXTRACTF64X4(U8(1), s, asm.Middle(other))
		VADDPD(asm.Middle(other), asm.Middle(s), asm.Middle(s))
	} else {
		VADDPD(g.sum(r, 1), s, s)
	}
	VEXTRACTF128(U8(1), asm.Middle(s), asm.Low(other))
	VADDPD(asm.Low(other), asm.Low(s), asm.Low(s))
	VPERMILPD(U8(1), asm.Low(s), asm.Low(other))
	VADDSD(asm.Low(other), asm.Low(s), asm.Low(s))
	VMOVSD(asm.Low(s), Mem{Base: g.v, Disp: 8 * r})
}
