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
	oneEverywhere(one, GP64())
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

// oneEverywhere makes all lanes 1, by way of a register.
func oneEverywhere(v reg.VecPhysical, by reg.GPVirtual) {
	MOVQ(U64(0x3ff0000000000000), by)
	VMOVQ(by, asm.Low(v))
	VBROADCASTSD(asm.Low(v), v)
}

// schurLaws writes means and sds under four laws at a time, for one, two and three entries of the core. Products are rounded before
// they are added.
func schurLaws() {
	TEXT("avx2SchurLaws", NOSPLIT, "func(c int, laws *float64, n int, record, core *float64, z, constant float64, mean, sd *float64)")
	c, laws, n, record, core := asm.Argument("c"), asm.Argument("laws"), asm.Argument("n"), asm.Argument("record"), asm.Argument("core")
	mean, sd := asm.Argument("mean"), asm.Argument("sd")
	z, constant, one := asm.Y[0], asm.Y[1], asm.Y[2]
	asm.Everywhere("z", z)
	asm.Everywhere("constant", constant)
	stride, at := GP64(), GP64()
	oneEverywhere(one, stride)
	MOVQ(n, stride)
	SHLQ(U8(3), stride)
	for entries := 1; entries <= 3; entries++ {
		label := fmt.Sprint("laws", entries)
		CMPQ(c, U8(entries))
		JNE(LabelRef(label + "end"))
		Label(label)
		MOVQ(laws, at)
		// next loads the row of the laws that follows.
		next := func(v reg.VecPhysical) {
			VMOVUPD(Mem{Base: at}, v)
			ADDQ(stride, at)
		}
		zi, sum, dot, squares, v, below, product, l := asm.Y[3], asm.Y[4], asm.Y[5], asm.Y[6], asm.Y[7], asm.Y[8], asm.Y[9], asm.Y[10]
		xi := asm.Y[11:]
		next(zi)
		VBROADCASTSD(Mem{Base: record, Disp: 8 * entries}, l)
		VADDPD(l, zi, zi)
		VDIVPD(zi, one, zi)
		VMULPD(zi, z, zi)
		VBROADCASTSD(Mem{Base: record, Disp: 8 * (entries + 1)}, sum)
		VMULPD(zi, sum, sum)
		VADDPD(sum, constant, sum)
		VXORPD(dot, dot, dot)
		VXORPD(squares, squares, squares)
		for i := range entries {
			VBROADCASTSD(Mem{Base: record, Disp: 8 * i}, product)
			VMULPD(product, zi, product)
			VBROADCASTSD(Mem{Base: core, Disp: 8 * i}, v)
			VSUBPD(product, v, v)
			next(l)
			VMULPD(v, l, l)
			VADDPD(l, dot, dot)
			VXORPD(below, below, below)
			for j := range i {
				next(l)
				VMULPD(xi[j], l, l)
				VADDPD(l, below, below)
			}
			VSUBPD(below, v, v)
			next(l)
			VDIVPD(l, v, xi[i])
			VMULPD(xi[i], xi[i], product)
			VADDPD(product, squares, squares)
		}
		VADDPD(dot, sum, sum)
		VMOVUPD(sum, Mem{Base: mean})
		VMULPD(zi, z, zi)
		VADDPD(squares, zi, zi)
		VSQRTPD(zi, zi)
		VMOVUPD(zi, Mem{Base: sd})
		for _, p := range []reg.GPVirtual{laws, mean, sd} {
			ADDQ(U8(32), p)
		}
		SUBQ(U8(4), n)
		JNZ(LabelRef(label))
		Label(label + "end")
	}
	asm.End()
}
