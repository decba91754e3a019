package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.across.
const (
	acrossW      = 0
	acrossStride = 8
	acrossX      = 16
	acrossB      = 24
	acrossDot    = 32
	acrossSquare = 40
	acrossFirst  = 48
	acrossEights = 56
	acrossN      = 64
)

// spreads writes the functions that find, for 8, 16 and 24 rows x side by side, x'b and |x'W|^2, of which the
// columns come one by one first, then in eights, and the last seven together with b. AVX2 has
// too few registers.
func spreads() {
	for vectors := 1; vectors <= 3; vectors++ {
		spread(vectors)
	}
}

func spread(vectors int) {
	const last = 7
	TEXT(fmt.Sprintf("avx512Spread%d", vectors), NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	sum := func(i, q int) reg.VecPhysical { return asm.Z[i*vectors+q] }
	col := func(q int) reg.VecPhysical { return asm.Z[24+q] }
	square := func(q int) reg.VecPhysical { return asm.Z[28+q] }
	factors := []reg.VecPhysical{asm.Z[27], asm.Z[31]}
	full := func(v reg.VecPhysical, _ int) reg.VecPhysical { return v }
	set := asm.AVX512
	stride, w, deep := asm.Loaded(at(acrossStride)), asm.Loaded(at(acrossW)), GP64()
	from, x, left, b := GP64(), GP64(), GP64(), GP64()
	for q := range vectors {
		set.Zero(square(q))
	}
	MOVQ(U32(0), deep)

	// tile adds so many columns, of which that after own is b.
	tile := func(label string, columns, own int) {
		for i := range columns {
			for q := range vectors {
				set.Zero(sum(i, q))
			}
		}
		MOVQ(w, from)
		MOVQ(at(acrossX), x)
		MOVQ(deep, left)
		if columns > own {
			MOVQ(at(acrossB), b)
		}
		Label(label)
		for q := range vectors {
			VMOVUPD(Mem{Base: x, Disp: 64 * q}, col(q))
		}
		for i := range columns {
			m := Mem{Base: from, Disp: 8 * i}
			if i == own {
				m = Mem{Base: b}
			}
			multiply(m, factors[i%2], full, vectors, col, func(q int) reg.VecPhysical { return sum(i, q) })
		}
		ADDQ(stride, from)
		ADDQ(U32(64*vectors), x)
		if columns > own {
			ADDQ(U8(8), b)
		}
		DECQ(left)
		JNZ(LabelRef(label))
		for i := range own {
			for q := range vectors {
				VMULPD(sum(i, q), sum(i, q), sum(i, q))
				VADDPD(sum(i, q), square(q), square(q))
			}
		}
	}
	// times repeats body as often as a field says, which may be never.
	times := func(label string, field int, body func()) {
		count := asm.Loaded(at(field))
		Label(label)
		TESTQ(count, count)
		JZ(LabelRef(label + "end"))
		body()
		DECQ(count)
		JMP(LabelRef(label))
		Label(label + "end")
	}
	times("ones", acrossFirst, func() {
		INCQ(deep)
		tile("one", 1, 1)
		ADDQ(U8(8), w)
	})
	times("eights", acrossEights, func() {
		ADDQ(U8(8), deep)
		tile("eight", 8, 8)
		ADDQ(U8(64), w)
	})
	MOVQ(at(acrossN), deep)
	tile("last", last+1, last)
	for _, to := range []struct {
		field int
		of    func(q int) reg.VecPhysical
	}{{acrossDot, func(q int) reg.VecPhysical { return sum(last, q) }}, {acrossSquare, square}} {
		dst := asm.Loaded(at(to.field))
		for q := range vectors {
			VMOVUPD(to.of(q), Mem{Base: dst, Disp: 64 * q})
		}
	}
	asm.End()
}
