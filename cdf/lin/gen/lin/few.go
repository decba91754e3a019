package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// columnBytes is what lies between columns of a block of few of them, and fewMost how many they are at most.
const columnBytes, fewMost = 8 * 240, 8

// few writes the passes over columns of a block: sums of products with the first of them, and the same behind a reflection, which
// is taken off them before. Vectors are four rows.
func few() {
	for _, reflects := range []bool{false, true} {
		name, most := "avx2FewDots", fewMost
		if reflects {
			name, most = "avx2FewReflect", fewMost-1
		}
		TEXT(name, NOSPLIT, "func(p *byte)")
		all := asm.Fields(5)
		b, fours, by, dot, columns := all[0], all[1], all[2], all[3], all[4]
		byColumns(columns, most, func(c int) {
			if reflects {
				fewReflect(c, b, fours, by, dot)
			} else {
				fewDots(c, b, fours, dot)
			}
		})
	}
}

// byColumns writes body for each number of columns, and ends the function.
func byColumns(columns reg.GPVirtual, most int, body func(c int)) {
	for c := 1; c < most; c++ {
		CMPQ(columns, U8(c))
		JE(LabelRef(fmt.Sprintf("columns%d", c)))
	}
	for c := most; c > 0; c-- {
		Label(fmt.Sprintf("columns%d", c))
		if body(c); c > 1 {
			JMP(LabelRef("end"))
		}
	}
	Label("end")
	asm.End()
}

func fewDots(c int, b, fours, dot reg.GPVirtual) {
	y, sum := asm.Y[8], asm.Y[:c]
	for _, s := range sum {
		VXORPD(s, s, s)
	}
	next := fmt.Sprintf("dots%d", c)
	Label(next)
	VMOVUPD(Mem{Base: b}, y)
	VFMADD231PD(y, y, sum[0])
	for l := 1; l < c; l++ {
		VFMADD231PD(Mem{Base: b, Disp: columnBytes * l}, y, sum[l])
	}
	fewNext(next, b, fours)
	fewSums(sum, dot)
}

func fewReflect(c int, b, fours, by, dot reg.GPVirtual) {
	x, y, v, sum, times := asm.Y[13], asm.Y[14], asm.Y[15], asm.Y[:c], asm.Y[c:min(2*c, 13)]
	for _, s := range sum {
		VXORPD(s, s, s)
	}
	for l, t := range times {
		VBROADCASTSD(Mem{Base: by, Disp: 8 * l}, t)
	}
	next := fmt.Sprintf("reflect%d", c)
	Label(next)
	VMOVUPD(Mem{Base: b}, x)
	for l := range c {
		at := Mem{Base: b, Disp: columnBytes * (l + 1)}
		to := v
		if l == 0 {
			to = y
		}
		if l < len(times) {
			VMOVUPD(at, to)
			VFNMADD231PD(times[l], x, to)
		} else {
			VBROADCASTSD(Mem{Base: by, Disp: 8 * l}, to)
			VFNMADD213PD(at, x, to)
		}
		VMOVUPD(to, at)
		VFMADD231PD(to, y, sum[l])
	}
	fewNext(next, b, fours)
	fewSums(sum, dot)
}

func fewNext(label string, b, fours reg.GPVirtual) {
	ADDQ(U8(32), b)
	DECQ(fours)
	JNZ(LabelRef(label))
}

// fewSums stores the sums of lanes: of two neighbours, then of these.
func fewSums(sum []reg.VecPhysical, dot reg.GPVirtual) {
	high := asm.Low(asm.Y[15])
	for l, s := range sum {
		VHADDPD(s, s, s)
		VEXTRACTF128(U8(1), s, high)
		VADDSD(high, asm.Low(s), asm.Low(s))
		VMOVSD(asm.Low(s), Mem{Base: dot, Disp: 8 * l})
	}
}

// fewRows is what lies between columns of rows side by side, in bytes.
const fewRows = 8 * 64

// fewSpread finds, for rows x side by side, eight in a vector, x'b and |x'W|^2 of few columns: those of W are multiplied to the diagonal.
func fewSpread() {
	TEXT("avx512FewSpread", NOSPLIT, "func(p *byte)")
	all := asm.Fields(8)
	columns, bits := all[6], all[7]
	KMOVW(bits.As32(), reg.K1)
	byColumns(columns, fewMost, func(n int) { fewSpreadOf(n, all) })

	TEXT("avx2FewSpread", NOSPLIT, "func(p *byte)")
	all = asm.Fields(7)
	byColumns(all[6], fewMost, func(n int) { fewSpreadOfHalves(n, all) })
}

// fewSpreadOfHalves is fewSpreadOf for AVX2, which stores whole vectors. A column of W has a register at a time.
func fewSpreadOfHalves(n int, p []reg.GPVirtual) {
	w, b, x, dot, square, fours := p[0], p[1], p[2], p[3], p[4], p[5]
	in, mean, sum := asm.Y[:n], asm.Y[8], asm.Y[9]
	z, factor := func(j int) reg.VecPhysical { return asm.Y[10+j%3] }, func(l int) reg.VecPhysical { return asm.Y[13+l%3] }
	add := func(l int, m Mem, to reg.VecPhysical) {
		VBROADCASTSD(m, factor(l))
		VFMADD231PD(factor(l), in[l], to)
	}
	next := fmt.Sprintf("four%d", n)
	Label(next)
	for l := range n {
		VMOVUPD(Mem{Base: x, Disp: fewRows * l}, in[l])
	}
	VXORPD(mean, mean, mean)
	VXORPD(sum, sum, sum)
	for l := range n {
		add(l, Mem{Base: b, Disp: 8 * l}, mean)
	}
	for j := range n {
		VXORPD(z(j), z(j), z(j))
		for l := range j + 1 {
			add(l, Mem{Base: w, Disp: 8 * (l*n + j)}, z(j))
		}
		VMULPD(z(j), z(j), z(j))
		VADDPD(z(j), sum, sum)
	}
	VMOVUPD(mean, Mem{Base: dot})
	VMOVUPD(sum, Mem{Base: square})
	for _, v := range []reg.GPVirtual{x, dot, square} {
		ADDQ(U8(32), v)
	}
	DECQ(fours)
	JNZ(LabelRef(next))
}

func fewSpreadOf(n int, p []reg.GPVirtual) {
	w, b, x, dot, square, eights := p[0], p[1], p[2], p[3], p[4], p[5]
	in, z, mean, sum := asm.Z[:n], asm.Z[8:8+n], asm.Z[16], asm.Z[17]
	next := fmt.Sprintf("eight%d", n)
	// The last eight may be fewer, whose lanes K1 has.
	all := GP32()
	MOVL(U32(0xff), all)
	KMOVW(all, reg.K2)
	Label(next)
	CMPQ(eights, U8(1))
	JNE(LabelRef(next + "whole"))
	KMOVW(reg.K1, reg.K2)
	Label(next + "whole")
	for l := range n {
		VMOVUPD_Z(Mem{Base: x, Disp: fewRows * l}, reg.K2, in[l])
	}
	for _, v := range append([]reg.VecPhysical{mean, sum}, z...) {
		VPXORQ(v, v, v)
	}
	for l := range n {
		VFMADD231PD_BCST(Mem{Base: b, Disp: 8 * l}, in[l], mean)
		for j := l; j < n; j++ {
			VFMADD231PD_BCST(Mem{Base: w, Disp: 8 * (l*n + j)}, in[l], z[j])
		}
	}
	for _, v := range z {
		VMULPD(v, v, v)
		VADDPD(v, sum, sum)
	}
	VMOVUPD(mean, reg.K2, Mem{Base: dot})
	VMOVUPD(sum, reg.K2, Mem{Base: square})
	for _, v := range []reg.GPVirtual{x, dot, square} {
		ADDQ(U8(64), v)
	}
	DECQ(eights)
	JNZ(LabelRef(next))
}
