package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.application.
const (
	applyV     = 0
	applyRows  = 8
	applyA     = 16
	applyApart = 24
	applyHead  = 32
	applyMinus = 40
	applyR     = 48
	applyStep  = 56
	applyBits  = 64
)

// applications writes the functions of AVX-512 that apply a panel of reflections to one, two or three
// panels.
func applications() {
	for panels := 1; panels <= 3; panels++ {
		apply(panels, "", func(v reg.VecPhysical) reg.VecPhysical { return v })
		apply(panels, "Half", asm.Middle)
	}
}

// apply writes it for so many panels, of which a row is as many vectors; that of the last panel is a part of them. The sums of the
// reflections with the columns, and then what is taken off, stay in registers.
func apply(panels int, name string, part func(reg.VecPhysical) reg.VecPhysical) {
	const reflections = 8
	TEXT(fmt.Sprintf("avx512Apply%d%s", panels, name), NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	wide := func(v reg.VecPhysical, q int) reg.VecPhysical {
		if q == panels-1 {
			return part(v)
		}
		return v
	}
	sum := func(i, q int) reg.VecPhysical { return wide(asm.Z[i*panels+q], q) }
	col := func(q int) reg.VecPhysical { return wide(asm.Z[24+q], q) }
	factor := func(i int) reg.VecPhysical { return asm.Z[27+i%4] }
	set := asm.AVX512
	KMOVW(at(applyBits), reg.K1)
	apart := asm.Loaded(at(applyApart))

	// Each row of the factor begins a little less than one before further on.
	rows := func(f func(row reg.GPVirtual, i int)) {
		row, step := asm.Loaded(at(applyR)), asm.Loaded(at(applyStep))
		for i := range reflections {
			f(row, i)
			ADDQ(step, row)
			SUBQ(U8(8), step)
		}
	}
	head := asm.Loaded(at(applyHead))
	rows(func(row reg.GPVirtual, i int) {
		VBROADCASTSD(Mem{Base: head, Disp: 8 * i}, factor(i))
		for q := range panels {
			set.Load(Mem{Base: row, Disp: 64 * q}, sum(i, q), q == panels-1)
			VMULPD(wide(factor(i), q), sum(i, q), sum(i, q))
		}
	})

	// below calls f for the rows below, of which v and a are at.
	below := func(label string, f func(v func(i int) Mem, a func(q int) Mem)) {
		rowsBelow(label, at(applyV), at(applyRows), []Mem{at(applyA)}, func(rows int, v func(r, i int) Mem, a []reg.GPVirtual) {
			for r := range rows {
				f(func(i int) Mem { return v(r, i) }, func(q int) Mem {
					m := Mem{Base: a[0], Disp: panelRow * r}
					if q > 0 {
						m.Index, m.Scale = apart, uint8(q)
					}
					return m
				})
			}
		})
	}
	below("sums", func(v func(i int) Mem, a func(q int) Mem) {
		for q := range panels {
			VMOVUPD(a(q), col(q))
		}
		for i := range reflections {
			multiply(v(i), factor(i), wide, panels, col, func(q int) reg.VecPhysical { return sum(i, q) })
		}
	})

	minus := asm.Loaded(at(applyMinus))
	for i := reflections - 1; i >= 0; i-- {
		for q := range panels {
			set.Zero(col(q))
		}
		for l := range i + 1 {
			multiply(Mem{Base: minus, Disp: 8 * (reflections*l + i)}, factor(l), wide, panels, func(q int) reg.VecPhysical { return sum(l, q) }, col)
		}
		for q := range panels {
			VMOVAPD(col(q), sum(i, q))
		}
	}

	rows(func(row reg.GPVirtual, i int) {
		VBROADCASTSD(Mem{Base: head, Disp: 8 * i}, factor(i))
		for q := range panels {
			m, last, other := Mem{Base: row, Disp: 64 * q}, q == panels-1, wide(asm.Z[31], q)
			set.Load(m, other, last)
			VMULPD(wide(factor(i), q), sum(i, q), col(q))
			VADDPD(col(q), other, other)
			set.Store(other, m, last)
		}
	})
	below("off", func(v func(i int) Mem, a func(q int) Mem) {
		for q := range panels {
			VMOVUPD(a(q), col(q))
		}
		for i := range reflections {
			multiply(v(i), factor(i), wide, panels, func(q int) reg.VecPhysical { return sum(i, q) }, col)
		}
		for q := range panels {
			VMOVUPD(col(q), a(q))
		}
	})
	asm.End()
}

// multiply adds x times vectors to others.
func multiply(x Mem, factor reg.VecPhysical, wide func(v reg.VecPhysical, q int) reg.VecPhysical, vectors int, from, to func(q int) reg.VecPhysical) {
	if vectors == 1 {
		VFMADD231PD_BCST(x, from(0), to(0))
		return
	}
	VBROADCASTSD(x, factor)
	for q := range vectors {
		VFMADD231PD(from(q), wide(factor, q), to(q))
	}
}

const panelRow = 64 // bytes of a row of a panel

// rowsBelow calls f for rows of reflections below those of the factor, and for those of what begins at a: four at a time in a loop, and
// then one by one. Of the reflections four rows are vectors of a column each.
func rowsBelow(label string, v, rows Mem, begins []Mem, f func(rows int, v func(r, i int) Mem, a []reg.GPVirtual)) {
	from, a := asm.Loaded(v), make([]reg.GPVirtual, len(begins))
	for q, m := range begins {
		a[q] = asm.Loaded(m)
	}
	for _, count := range []int{4, 1} {
		name := fmt.Sprint(label, count)
		left := asm.Loaded(rows)
		if count == 4 {
			SHRQ(U8(2), left)
		} else {
			ANDQ(U8(3), left)
		}
		JZ(LabelRef(name + "end"))
		Label(name)
		f(count, func(r, i int) Mem { return Mem{Base: from, Disp: 32*i + 8*r} }, a)
		if count == 4 {
			ADDQ(U32(4*panelRow), from)
		} else {
			ADDQ(U8(8), from)
		}
		for _, to := range a {
			ADDQ(U32(panelRow*count), to)
		}
		DECQ(left)
		JNZ(LabelRef(name))
		Label(name + "end")
	}
}
