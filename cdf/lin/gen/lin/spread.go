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
	acrossW       = 0
	acrossStride  = 8
	acrossX       = 16
	acrossB       = 24
	acrossDot     = 32
	acrossSquare  = 40
	acrossFirst   = 48
	acrossSeveral = 56
	acrossN       = 64
)

// spreads writes the functions that find, for one, two or three vectors of rows x side by side, x'b and |x'W|^2, of which the
// columns come one by one first, then as many at once as a vector has numbers, and the last of these, but one, together with b.
func spreads() {
	for _, set := range []asm.Set{asm.AVX512, asm.AVX2} {
		for vectors := 1; vectors <= 3; vectors++ {
			spread(set, vectors)
		}
	}
}

// spread writes it for so many vectors. AVX2 has no registers for the sums of squares, which stay in memory.
func spread(set asm.Set, vectors int) {
	last, bytes := set.Lanes-1, 8*set.Lanes
	TEXT(fmt.Sprintf("%sSpread%d", set.Name, vectors), NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	sum := func(i, q int) reg.VecPhysical { return set.R[i*vectors+q] }
	col := func(q int) reg.VecPhysical { return set.R[3*set.Lanes+q] }
	square := func(q int) reg.VecPhysical { return asm.Z[28+q] }
	factors := []reg.VecPhysical{asm.Y[15]}
	if set.Wide() {
		factors = []reg.VecPhysical{asm.Z[27], asm.Z[31]}
	}
	multiply := func(m Mem, i int) {
		if set.Wide() && vectors == 1 {
			VFMADD231PD_BCST(m, col(0), sum(i, 0))
			return
		}
		factor := factors[i%len(factors)]
		VBROADCASTSD(m, factor)
		for q := range vectors {
			VFMADD231PD(col(q), factor, sum(i, q))
		}
	}
	stride, w, deep := asm.Loaded(at(acrossStride)), asm.Loaded(at(acrossW)), GP64()
	from, x, left, b, dst := GP64(), GP64(), GP64(), GP64(), GP64()
	squares := func(q int) Mem { return Mem{Base: dst, Disp: bytes * q} }
	MOVQ(at(acrossSquare), dst)
	for q := range vectors {
		if set.Wide() {
			set.Zero(square(q))
		} else {
			set.Zero(col(q))
			VMOVUPD(col(q), squares(q))
		}
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
			VMOVUPD(Mem{Base: x, Disp: bytes * q}, col(q))
		}
		for i := range columns {
			m := Mem{Base: from, Disp: 8 * i}
			if i == own {
				m = Mem{Base: b}
			}
			multiply(m, i)
		}
		ADDQ(stride, from)
		ADDQ(U32(bytes*vectors), x)
		if columns > own {
			ADDQ(U8(8), b)
		}
		DECQ(left)
		JNZ(LabelRef(label))
		to := square
		if !set.Wide() {
			to = col
			for q := range vectors {
				VMOVUPD(squares(q), to(q))
			}
		}
		for i := range own {
			for q := range vectors {
				VMULPD(sum(i, q), sum(i, q), sum(i, q))
				VADDPD(sum(i, q), to(q), to(q))
			}
		}
		if !set.Wide() {
			for q := range vectors {
				VMOVUPD(to(q), squares(q))
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
	times("several", acrossSeveral, func() {
		ADDQ(U8(set.Lanes), deep)
		tile("some", set.Lanes, set.Lanes)
		ADDQ(U8(bytes), w)
	})
	MOVQ(at(acrossN), deep)
	tile("last", last+1, last)
	if set.Wide() {
		for q := range vectors {
			VMOVUPD(square(q), squares(q))
		}
	}
	MOVQ(at(acrossDot), dst)
	for q := range vectors {
		VMOVUPD(sum(last, q), Mem{Base: dst, Disp: bytes * q})
	}
	asm.End()
}
