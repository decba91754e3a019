package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of vec.bounded.
const (
	boundedA       = 0
	boundedStride  = 8
	boundedRows    = 16
	boundedCount   = 24
	boundedMean    = 32
	boundedSum     = 40
	boundedSquares = 48
	boundedMost    = 56
	boundedLeast   = 64
	boundedBits    = 72
	boundedMask    = 80
)

// bounded adds the distances of rows from the mean of each column, and their squares, for as many
// columns as a vector has: each sum is one chain over the rows.
func bounded() {
	for _, set := range []asm.Set{asm.AVX512, asm.AVX2} {
		TEXT(set.Name+"AddBounded", NOSPLIT, "func(p *byte)")
		p := Load(Param("p"), GP64())
		at := func(off int) Mem { return Mem{Base: p, Disp: off} }
		a, stride, rows, count := asm.Loaded(at(boundedA)), asm.Loaded(at(boundedStride)), asm.Loaded(at(boundedRows)), asm.Loaded(at(boundedCount))
		sums, squares := asm.Loaded(at(boundedSum)), asm.Loaded(at(boundedSquares))
		set.Prepare(at(boundedBits), at(boundedMask))
		mean, sum, square, most, least, d := set.R[0], set.R[1], set.R[2], set.R[3], set.R[4], set.R[5]
		row := asm.Loaded(at(boundedMean))
		set.Load(Mem{Base: row}, mean, true)
		set.Load(Mem{Base: sums}, sum, true)
		set.Load(Mem{Base: squares}, square, true)
		VBROADCASTSD(at(boundedMost), most)
		VBROADCASTSD(at(boundedLeast), least)
		Label("next")
		MOVLQSX(Mem{Base: rows}, row)
		IMULQ(stride, row)
		set.Load(Mem{Base: a, Index: row, Scale: 1}, d, true)
		VSUBPD(mean, d, d)
		VMINPD(d, most, d) // NaN stays
		VMAXPD(d, least, d)
		VADDPD(d, sum, sum)
		VMULPD(d, d, d)
		VADDPD(d, square, square)
		ADDQ(U8(4), rows)
		DECQ(count)
		JNZ(LabelRef("next"))
		set.Store(sum, Mem{Base: sums}, true)
		set.Store(square, Mem{Base: squares}, true)
		asm.End()
	}
}
