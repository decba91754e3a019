package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
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
		pass("avx512", []int{8, 4, 2, 1}, dot, 1)
		pass("avx2", []int{4, 2, 1}, dot, 2)
	}
}

// pass writes the function that subtracts xu' from a and adds v'a of the result
// to w, or sets x's neighbour v to aw of it: then eight partial sums are kept
// of a row, in one vector or two halves.
func pass(set string, sizes []int, dot bool, halves int) {
	name := "Sum"
	if dot {
		name = "Dot"
	}
	name = set + name
	TEXT(name, NOSPLIT, "func(p *byte)")
	g := group{dot: dot, halves: halves, p: Load(Param("p"), GP64())}
	for _, r := range []struct {
		off int
		to  *reg.GPVirtual
	}{{passA, &g.a}, {passStride, &g.matrix.stride}, {passX, &g.x}, {passV, &g.v}, {passRows, &g.left}} {
		*r.to = GP64()
		MOVQ(Mem{Base: g.p, Disp: r.off}, *r.to)
	}
	g.matrix.three = GP64()
	g.matrix.triple()
	if halves == 1 {
		KMOVW(Mem{Base: g.p, Disp: passBits}, reg.K1)
	}
	for _, r := range sizes {
		g.rows, g.label = r, fmt.Sprintf("rows%d", r)
		Label(g.label)
		CMPQ(g.left, U8(r))
		JLT(LabelRef(g.label + "end"))
		g.write()
		IMUL3Q(U8(r), g.matrix.stride, g.base[0])
		ADDQ(g.base[0], g.a)
		ADDQ(U8(8*r), g.x)
		ADDQ(U8(8*r), g.v)
		SUBQ(U8(r), g.left)
		JMP(LabelRef(g.label))
		Label(g.label + "end")
	}
	VZEROUPPER()
	RET()
}

// group is up to eight rows that a pass takes at once.
type group struct {
	dot                    bool
	halves, rows           int
	label                  string
	p                      reg.Register
	a, x, v, left, u, w, n reg.GPVirtual
	matrix                 strides
	base                   [2]reg.GPVirtual
}

// Registers: x of the rows, then v or the sums of each half, then a vector of u,
// one of w, and of a as many as there are; the last of AVX2 is the mask.
func (g *group) reg(i int) reg.VecPhysical {
	if g.halves == 1 {
		return zmm[i]
	}
	return ymm[i]
}

func (g *group) most() int {
	if g.halves == 1 {
		return 8
	}
	return 4
}

func (g *group) factor(r int) reg.VecPhysical { return g.reg(r) }

func (g *group) sum(r, half int) reg.VecPhysical { return g.reg((1+half)*g.most() + r) }

func (g *group) col(i int) reg.VecPhysical {
	if g.dot {
		return g.reg((1+g.halves)*g.most() + i)
	}
	return g.reg(2*g.most() + i)
}

func (g *group) entry(r int) reg.VecPhysical {
	if g.dot && g.halves == 2 {
		return g.reg(14)
	}
	return g.reg(2*g.most() + 2 + r)
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
			VXORPD(low(g.sum(r, half)), low(g.sum(r, half)), low(g.sum(r, half)))
		}
	}
	g.u, g.w, g.n, g.base[0] = GP64(), GP64(), GP64(), GP64()
	MOVQ(Mem{Base: g.p, Disp: passU}, g.u)
	MOVQ(Mem{Base: g.p, Disp: passW}, g.w)
	MOVQ(Mem{Base: g.p, Disp: passWhole}, g.n)
	MOVQ(g.a, g.base[0])
	if g.rows > 4 {
		g.base[1] = GP64()
		LEAQ(Mem{Base: g.a, Index: g.matrix.stride, Scale: 4}, g.base[1])
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
		load, store := func(m Mem, v reg.VecPhysical) { VMOVUPD(m, v) }, func(v reg.VecPhysical, m Mem) { VMOVUPD(v, m) }
		switch {
		case masked && g.halves == 1:
			load, store = func(m Mem, v reg.VecPhysical) { VMOVUPD_Z(m, reg.K1, v) }, func(v reg.VecPhysical, m Mem) { VMOVUPD(v, reg.K1, m) }
		case masked:
			VMOVUPD(Mem{Base: g.p, Disp: passMask + 32*half}, ymm[15])
			load, store = func(m Mem, v reg.VecPhysical) { VMASKMOVPD(m, ymm[15], v) }, func(v reg.VecPhysical, m Mem) { VMASKMOVPD(v, ymm[15], m) }
		}
		u, w := g.col(0), g.col(1)
		load(Mem{Base: g.u, Disp: 32 * half}, u)
		load(Mem{Base: g.w, Disp: 32 * half}, w)
		for r := range g.rows {
			m, e := g.matrix.at(g.base[:], r, 32*half), g.entry(r)
			load(m, e)
			VFNMADD231PD(u, g.factor(r), e)
			store(e, m)
			if g.dot {
				VFMADD231PD(e, w, g.sum(r, half))
			} else {
				VFMADD231PD(e, g.sum(r, 0), w)
			}
		}
		if !g.dot {
			store(w, Mem{Base: g.w, Disp: 32 * half})
		}
	}
}

// total stores the sum of the eight partial sums of a row: the halves, then what
// is two apart, then the two left.
func (g *group) total(r int) {
	s, other := g.sum(r, 0), g.factor(0) // below register 16: nothing of AVX-512 but its foundation is asked for
	if g.halves == 1 {
		VEXTRACTF64X4(U8(1), s, middle(other))
		VADDPD(middle(other), middle(s), middle(s))
	} else {
		VADDPD(g.sum(r, 1), s, s)
	}
	VEXTRACTF128(U8(1), middle(s), low(other))
	VADDPD(low(other), low(s), low(s))
	VPERMILPD(U8(1), low(s), low(other))
	VADDSD(low(other), low(s), low(s))
	VMOVSD(low(s), Mem{Base: g.v, Disp: 8 * r})
}

func middle(v reg.VecPhysical) reg.VecPhysical { return v.AsY().(reg.VecPhysical) }
func low(v reg.VecPhysical) reg.VecPhysical    { return v.AsX().(reg.VecPhysical) }
