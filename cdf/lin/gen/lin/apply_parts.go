package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.part.
const (
	partV     = 0
	partRows  = 8
	partA     = 16 // of each vector
	partHead  = 40
	partMinus = 48
	partR     = 56
	partStep  = 64
	partRoom  = 72
	partMask  = 80
)

// parts writes the functions of AVX2 that apply a panel of reflections to one, two or three vectors of columns.
func parts() {
	for vectors, tiles := range [][]int{{8}, {5, 3}, {4, 4}} {
		applyPart(vectors+1, tiles)
	}
}

// applyPart writes it for so many vectors. There are registers for the sums of some of the reflections, which come one tile after the
// other: all sums are in a room.
func applyPart(vectors int, tiles []int) {
	const reflections = 8
	set := asm.AVX2
	TEXT(fmt.Sprintf("avx2Apply%d", vectors), NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	acc := func(i, q int) reg.VecPhysical { return asm.Y[i*vectors+q] }
	col := func(q int) reg.VecPhysical { return asm.Y[12+q] }
	factor := asm.Y[15] // and the mask
	room := asm.Loaded(at(partRoom))
	kept := func(i, q int) Mem { return Mem{Base: room, Disp: 32 * (vectors*i + q)} }
	head := asm.Loaded(at(partHead))

	// factorRows calls f for the entries of rows of the factor, each of which begins a little less than one before further on.
	factorRows := func() func(f func(m Mem, q int, last bool)) {
		r, step := asm.Loaded(at(partR)), asm.Loaded(at(partStep))
		return func(f func(m Mem, q int, last bool)) {
			for q := range vectors {
				f(Mem{Base: r, Disp: 32 * q}, q, q == vectors-1)
			}
			ADDQ(step, r)
			SUBQ(U8(8), step)
		}
	}
	// below calls f for rows of v and of the vectors.
	below := func(label string, f func(rows int, v func(r, i int) Mem, a func(r, q int) Mem)) {
		begins := make([]Mem, vectors)
		for q := range begins {
			begins[q] = at(partA + 8*q)
		}
		rowsBelow(label, at(partV), at(partRows), begins, func(rows int, v func(r, i int) Mem, a []reg.GPVirtual) {
			f(rows, v, func(r, q int) Mem { return Mem{Base: a[q], Disp: panelRow * r} })
		})
	}
	multiply := func(x Mem, from, to func(q int) reg.VecPhysical) {
		VBROADCASTSD(x, factor)
		for q := range vectors {
			VFMADD231PD(from(q), factor, to(q))
		}
	}

	nextRow, first := factorRows(), 0
	for t, tile := range tiles {
		for i := range tile {
			nextRow(func(m Mem, q int, last bool) {
				if last {
					set.Prepare(Mem{}, at(partMask))
				}
				set.Load(m, acc(i, q), last)
			})
			VBROADCASTSD(Mem{Base: head, Disp: 8 * (first + i)}, factor)
			for q := range vectors {
				VMULPD(factor, acc(i, q), acc(i, q))
			}
		}
		below(fmt.Sprintf("sums%d_", t), func(rows int, v func(r, i int) Mem, a func(r, q int) Mem) {
			for r := range rows {
				for q := range vectors {
					VMOVUPD(a(r, q), col(q))
				}
				for i := range tile {
					multiply(v(r, first+i), col, func(q int) reg.VecPhysical { return acc(i, q) })
				}
			}
		})
		for i := range tile {
			for q := range vectors {
				VMOVUPD(acc(i, q), kept(first+i, q))
			}
		}
		first += tile
	}

	minus := asm.Loaded(at(partMinus))
	for i := reflections - 1; i >= 0; i-- {
		for q := range vectors {
			set.Zero(col(q))
		}
		for l := range i + 1 {
			VBROADCASTSD(Mem{Base: minus, Disp: 8 * (reflections*l + i)}, factor)
			for q := range vectors {
				VFMADD231PD(kept(l, q), factor, col(q))
			}
		}
		for q := range vectors {
			VMOVUPD(col(q), kept(i, q))
		}
	}

	nextRow = factorRows()
	for i := range reflections {
		VBROADCASTSD(Mem{Base: head, Disp: 8 * i}, factor)
		for q := range vectors {
			VMULPD(kept(i, q), factor, col(q))
		}
		nextRow(func(m Mem, q int, last bool) {
			if last {
				set.Prepare(Mem{}, at(partMask))
			}
			set.Load(m, acc(0, q), last)
			VADDPD(col(q), acc(0, q), acc(0, q))
			set.Store(acc(0, q), m, last)
		})
	}
	below("off", func(rows int, v func(r, i int) Mem, a func(r, q int) Mem) {
		for r := range rows {
			for q := range vectors {
				VMOVUPD(a(r, q), acc(r, q))
			}
		}
		for i := range reflections {
			for q := range vectors {
				VMOVUPD(kept(i, q), col(q))
			}
			for r := range rows {
				multiply(v(r, i), col, func(q int) reg.VecPhysical { return acc(r, q) })
			}
		}
		for r := range rows {
			for q := range vectors {
				VMOVUPD(acc(r, q), a(r, q))
			}
		}
	})
	asm.End()
}
