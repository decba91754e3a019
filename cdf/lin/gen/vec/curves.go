package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of vec.curves.
const (
	curvesA       = 0
	curvesStride  = 8
	curvesScores  = 16
	curvesCount   = 24
	curvesLevel   = 32
	curvesSlope   = 40
	curvesOff     = 48
	curvesSquares = 56
	curvesWeight  = 64
	curvesProduct = 72
	curvesMost    = 80
	curvesLeast   = 88
	curvesBits    = 96
	curvesMask    = 104
)

// curves adds the scores of rows weighted by a square less a line of each column, for as many columns as a vector has: each
// sum is one chain over the rows.
func curves() {
	for _, set := range []asm.Set{asm.AVX512, asm.AVX2} {
		TEXT(set.Name+"AddCurves", NOSPLIT, "func(p *byte)")
		p := Load(Param("p"), GP64())
		at := func(off int) Mem { return Mem{Base: p, Disp: off} }
		a, stride, scores, count := asm.Loaded(at(curvesA)), asm.Loaded(at(curvesStride)), asm.Loaded(at(curvesScores)), asm.Loaded(at(curvesCount))
		set.Prepare(at(curvesBits), at(curvesMask))
		level, slope, most, least := set.R[0], set.R[1], set.R[2], set.R[3]
		off, squares, weight, product := set.R[4], set.R[5], set.R[6], set.R[7]
		x, w, t := set.R[8], set.R[9], set.R[10]
		from := GP64()
		MOVQ(at(curvesLevel), from)
		set.Load(Mem{Base: from}, level, true)
		MOVQ(at(curvesSlope), from)
		set.Load(Mem{Base: from}, slope, true)
		sums := []struct {
			at int
			v  int
		}{{curvesOff, 4}, {curvesSquares, 5}, {curvesWeight, 6}, {curvesProduct, 7}}
		for _, sum := range sums {
			MOVQ(at(sum.at), from)
			set.Load(Mem{Base: from}, set.R[sum.v], true)
		}
		VBROADCASTSD(at(curvesMost), most)
		VBROADCASTSD(at(curvesLeast), least)
		Label("next")
		set.Load(Mem{Base: a}, x, true)
		VMINPD(most, x, x)
		VMAXPD(least, x, x)
		VSUBPD(slope, x, w)
		VBROADCASTSD(Mem{Base: scores}, t)
		VFMSUB213PD(level, x, w)
		VMULPD(w, t, t)
		VADDPD(w, weight, weight)
		VFMADD231PD(w, x, product)
		VADDPD(t, off, off)
		VFMADD231PD(t, t, squares)
		ADDQ(stride, a)
		ADDQ(U8(8), scores)
		DECQ(count)
		JNZ(LabelRef("next"))
		for _, sum := range sums {
			MOVQ(at(sum.at), from)
			set.Store(set.R[sum.v], Mem{Base: from}, true)
		}
		asm.End()
	}
}
