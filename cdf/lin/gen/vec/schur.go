package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// schurSums writes the sums over levels, four at a time, for two, three and four entries of the core. A row of sums is one vector, of
// which what is right of the diagonal, or is no entry, is neither read nor written. Products are rounded before they are added.
func schurSums() {
	lanes := GLOBL("schurLanes", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(map[bool]uint64{true: ^uint64(0)}[i < 4]))
	}
	first := func(k int) Mem { return lanes.Offset(8 * (4 - k)) }
	TEXT("avx2SchurSums", NOSPLIT, "func(c int, records *float64, fours int, m float64, lam, h, quad *float64)")
	c, records, fours := asm.Argument("c"), asm.Argument("records"), asm.Argument("fours")
	lam, h, quad := asm.Argument("lam"), asm.Argument("h"), asm.Argument("quad")
	sum, sumH, sumQuad, m, one, w := asm.Y[:4], asm.Y[4], asm.Y[5], asm.Y[6], asm.Y[7], asm.Y[8]
	asm.Everywhere("m", m)
	tmp := GP64()
	MOVQ(U64(0x3ff0000000000000), tmp)
	VMOVQ(tmp, asm.Low(one))
	VBROADCASTSD(asm.Low(one), one)
	for entries := 2; entries <= 4; entries++ {
		label := fmt.Sprint("core", entries)
		CMPQ(c, U8(entries))
		JNE(LabelRef(label + "end"))
		// each calls do for a row of sums, of which the lanes of a mask are some.
		each := func(do func(m Mem, mask, sum reg.VecPhysical)) {
			mask := asm.Y[15]
			for i := range entries {
				VMOVUPD(first(i+1), mask)
				do(Mem{Base: lam, Disp: 8 * entries * i}, mask, sum[i])
			}
			VMOVUPD(first(entries), mask)
			do(Mem{Base: h}, mask, sumH)
		}
		each(func(m Mem, mask, sum reg.VecPhysical) { VMASKMOVPD(m, mask, sum) })
		VMOVSD(Mem{Base: quad}, asm.Low(sumQuad))
		Label(label)
		at := func(r, i int) Mem { return Mem{Base: records, Disp: 8 * ((entries+2)*r + i)} }
		low, high := asm.Low(asm.Y[9]), asm.Low(asm.Y[10])
		VMOVSD(at(0, entries), low)
		VMOVHPD(at(1, entries), low, low)
		VMOVSD(at(2, entries), high)
		VMOVHPD(at(3, entries), high, high)
		VINSERTF128(U8(1), high, asm.Y[9], w)
		VADDPD(m, w, w)
		VDIVPD(w, one, w)
		for r := range 4 {
			// Of two levels after the other registers differ.
			own := asm.Y[9+3*(r%2):]
			b, by, product := own[0], own[1], own[2]
			VMOVUPD(at(r, 0), b)
			if r == 0 {
				VBROADCASTSD(asm.Low(w), by)
			} else {
				VPERMPD(U8(0x55*r), w, by)
			}
			for i := range entries {
				VBROADCASTSD(at(r, i), product)
				VMULPD(product, by, product)
				VMULPD(product, b, product)
				VADDPD(product, sum[i], sum[i])
			}
			VBROADCASTSD(at(r, entries+1), product)
			VMULPD(product, by, by)
			VMULPD(asm.Low(by), asm.Low(product), asm.Low(product))
			VADDSD(asm.Low(product), asm.Low(sumQuad), asm.Low(sumQuad))
			VMULPD(by, b, b)
			VADDPD(b, sumH, sumH)
		}
		ADDQ(U32(32*(entries+2)), records)
		DECQ(fours)
		JNZ(LabelRef(label))
		each(func(m Mem, mask, sum reg.VecPhysical) { VMASKMOVPD(sum, mask, m) })
		VMOVSD(asm.Low(sumQuad), Mem{Base: quad})
		Label(label + "end")
	}
	asm.End()
}
