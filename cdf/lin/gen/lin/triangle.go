package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of lin.fours.
const (
	foursA     = 0
	foursStep  = 8
	foursLess  = 16
	foursX     = 24
	foursY     = 32
	foursQuads = 40
	foursRest  = 48
	foursCount = 56
	foursMask  = 64
)

// triangles writes sums along the rows of a triangle and along its columns, four rows at a time, of which each is one entry shorter
// than the one before. Products are rounded before they are added, as in loops.
func triangles() {
	alongRows("avx2RowDots", false)
	alongRows("avx2RowSquares", true)
	alongColumns("avx2ColumnSums", false)
	alongColumns("avx2ColumnSquares", true)
	scaled()
}

// scaled writes the triangle times a number for each column.
func scaled() {
	TEXT("avx512ScaleColumns", NOSPLIT, "func(p *byte)")
	f := asm.Fields(7)
	dst, src, x, step, less, columns, rows := f[0], f[1], f[2], f[3], f[4], f[5], f[6]
	v := asm.Z[0]
	tail, k, left := GP64(), GP64(), reg.RCX // by which is shifted
	Label("row")
	XORQ(k, k)
	MOVQ(columns, left)
	at := func(base reg.Register) Mem { return Mem{Base: base, Index: k, Scale: 8} }
	JMP(LabelRef("test"))
	Label("eight")
	VMOVUPD(at(src), v)
	VMULPD(at(x), v, v)
	VMOVUPD(v, at(dst))
	ADDQ(U8(8), k)
	Label("test")
	SUBQ(U8(8), left)
	JGE(LabelRef("eight"))
	ADDQ(U8(8), left)
	JZ(LabelRef("next"))
	MOVQ(U32(1), tail)
	SHLQ(reg.CL, tail)
	DECQ(tail)
	KMOVW(tail.As32(), reg.K1)
	VMOVUPD_Z(at(src), reg.K1, v)
	VMULPD_Z(at(x), v, reg.K1, v) // what is beyond the last column is not read
	VMOVUPD(v, reg.K1, at(dst))
	Label("next")
	ADDQ(step, dst)
	ADDQ(step, src)
	SUBQ(less, step)
	ADDQ(U8(8), x)
	DECQ(columns)
	DECQ(rows)
	JNZ(LabelRef("row"))
	asm.End()
}

// fours writes body for four rows after the other. Quads are bytes of the vectors that all rows have, behind the first three
// columns.
func fours(name string, body func(p, y, quads reg.Register, a [4]reg.GPVirtual)) {
	TEXT(name, NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	var a [4]reg.GPVirtual
	a[0] = asm.Loaded(at(foursA))
	step, y, quads := asm.Loaded(at(foursStep)), asm.Loaded(at(foursY)), asm.Loaded(at(foursQuads))
	for r := 1; r < 4; r++ {
		a[r] = GP64()
	}
	advance := func(from, to reg.GPVirtual) {
		LEAQ(Mem{Base: from, Index: step, Scale: 1}, to)
		SUBQ(at(foursLess), step)
	}
	Label("rows")
	for r := 1; r < 4; r++ {
		advance(a[r-1], a[r])
	}
	body(p, y, quads, a)
	advance(a[3], a[0])
	ADDQ(U8(32), y)
	SUBQ(U8(32), quads)
	DECQ(at(foursCount))
	JNZ(LabelRef("rows"))
	asm.End()
}

// alongRows writes the products of rows with a vector, or with themselves, in four partial sums.
func alongRows(name string, squares bool) {
	acc, hi, v := asm.Y[:4], asm.Y[4:8], asm.Y[8:12]
	fours(name, func(p, y, quads reg.Register, a [4]reg.GPVirtual) {
		x, k := GP64(), GP64()
		if !squares {
			MOVQ(Mem{Base: p, Disp: foursX}, x)
			ADDQ(U8(32), Mem{Base: p, Disp: foursX})
		}
		// with multiplies a vector, or number, of row r by its partner.
		with := func(r, off int, v reg.VecPhysical, multiply func(ops ...Op)) {
			if squares {
				multiply(v, v, v)
				return
			}
			multiply(Mem{Base: x, Index: k, Scale: 1, Disp: 8*r + off}, v, v)
		}
		vector := func(r, off int) {
			VMOVUPD(Mem{Base: a[r], Index: k, Scale: 1, Disp: off}, v[r])
			with(r, off, v[r], VMULPD)
			VADDPD(v[r], acc[r], acc[r])
		}
		for r := range a {
			asm.AVX2.Zero(acc[r])
		}
		XORQ(k, k)
		JMP(LabelRef("test"))
		Label("quad")
		for r := range a {
			vector(r, 0)
		}
		ADDQ(U8(32), k)
		Label("test")
		CMPQ(k, quads)
		JLT(LabelRef("quad"))
		for rest := range 4 {
			label := fmt.Sprintf("rest%d", rest)
			if rest < 3 {
				CMPQ(Mem{Base: p, Disp: foursRest}, U8(rest))
				JNE(LabelRef(label + "not"))
			}
			for r := range a {
				left, off := rest+3-r, 0
				if left >= 4 {
					vector(r, 0)
					left, off = left-4, 32
				}
				VEXTRACTF128(U8(1), acc[r], asm.Low(hi[r]))
				for i := range left {
					low := asm.Low(v[r])
					VMOVSD(Mem{Base: a[r], Index: k, Scale: 1, Disp: off + 8*i}, low)
					with(r, off+8*i, low, VMULSD)
					VADDSD(low, asm.Low(acc[r]), asm.Low(acc[r]))
				}
			}
			if rest < 3 {
				JMP(LabelRef("ends"))
				Label(label + "not")
			}
		}
		Label("ends")
		for r := range a {
			low, high := asm.Low(acc[r]), asm.Low(hi[r])
			VHADDPD(high, low, low)
			VUNPCKHPD(low, low, high)
			VADDSD(high, low, low)
			VMOVSD(low, Mem{Base: y, Disp: 8 * r})
		}
	})
}

// alongColumns writes what four rows add to the sums of columns: multiples of them, or the squares of their products with a row.
func alongColumns(name string, squares bool) {
	sum, v, factor, scale := asm.Y[0], asm.Y[1:5], asm.Y[5:9], asm.Y[9]
	fours(name, func(p, y, quads reg.Register, a [4]reg.GPVirtual) {
		x, k := GP64(), GP64()
		MOVQ(Mem{Base: p, Disp: foursX}, x)
		ADDQ(U8(32), Mem{Base: p, Disp: foursX})
		if !squares {
			for r := range a {
				VBROADCASTSD(Mem{Base: x, Disp: 8 * r}, factor[r])
			}
		}
		for c := range 3 {
			low, scale := asm.Low(sum), asm.Low(scale)
			VMOVSD(Mem{Base: y, Disp: 8 * c}, low)
			if squares {
				VMOVSD(Mem{Base: x, Disp: 8 * c}, scale)
			}
			for r := range c + 1 {
				v := asm.Low(v[r])
				m := Mem{Base: a[r], Disp: 8 * (c - r)}
				if squares {
					VMULSD(m, scale, v)
					VMULSD(v, v, v)
				} else {
					VMULSD(m, asm.Low(factor[r]), v)
				}
				VADDSD(v, low, low)
			}
			VMOVSD(low, Mem{Base: y, Disp: 8 * c})
		}
		columns := func(masked bool) {
			at := func(base reg.Register, entries int) Mem {
				return Mem{Base: base, Index: k, Scale: 1, Disp: 8 * entries}
			}
			asm.AVX2.Load(at(y, 3), sum, masked)
			if squares {
				asm.AVX2.Load(at(x, 3), scale, masked)
			}
			for r := range a {
				asm.AVX2.Load(at(a[r], 3-r), v[r], masked)
				if squares {
					VMULPD(v[r], scale, v[r])
					VMULPD(v[r], v[r], v[r])
				} else {
					VMULPD(v[r], factor[r], v[r])
				}
				VADDPD(v[r], sum, sum)
			}
			asm.AVX2.Store(sum, at(y, 3), masked)
		}
		XORQ(k, k)
		JMP(LabelRef("test"))
		Label("quad")
		columns(false)
		ADDQ(U8(32), k)
		Label("test")
		CMPQ(k, quads)
		JLT(LabelRef("quad"))
		CMPQ(Mem{Base: p, Disp: foursRest}, U8(0))
		JEQ(LabelRef("whole"))
		asm.AVX2.Prepare(Mem{}, Mem{Base: p, Disp: foursMask})
		columns(true)
		Label("whole")
	})
}
