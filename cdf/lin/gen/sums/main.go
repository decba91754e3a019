// Command sums writes the assembly of cdf/normal.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/rows"
)

// Offsets of the fields of normal.curve, and how many coefficients there are.
const (
	shift = 0
	half  = 8
	table = 64
	by    = table + 16*128

	terms = 13
)

func main() {
	ConstraintExpr("!purego")
	wide()
	narrow()
	Generate()
}

// arguments loads the fields of normal.points.
func arguments() (c, x, y, n reg.GPVirtual) {
	p := Load(Param("p"), GP64())
	all := [4]reg.GPVirtual{}
	for i := range all {
		all[i] = GP64()
		MOVQ(Mem{Base: p, Disp: 8 * i}, all[i])
	}
	return all[0], all[1], all[2], all[3]
}

// wide writes the function for AVX-512: four groups of eight at once, so that one does not
// wait for another's chain, then what is left. The halves of a table of sixteen are vectors
// to pick from.
func wide() {
	TEXT("avx512Curve", NOSPLIT, "func(p *byte)")
	c, x, y, n := arguments()
	vShift, vHalf := ZMM(), ZMM()
	VBROADCASTSD(Mem{Base: c, Disp: shift}, vShift)
	VBROADCASTSD(Mem{Base: c, Disp: half}, vHalf)
	for _, k := range []int{4, 1} {
		label := []string{"", "one", "two", "three", "four"}[k]
		each := func(do func(i int)) {
			for i := range k {
				do(i)
			}
		}
		several := func() []reg.VecVirtual {
			v := make([]reg.VecVirtual, k)
			each(func(i int) { v[i] = ZMM() })
			return v
		}
		Label(label)
		CMPQ(n, U8(k))
		JLT(LabelRef(label + "end"))
		d, piece, sum, low, high := several(), several(), several(), ZMM(), ZMM()
		each(func(i int) { VMOVUPD(Mem{Base: x, Disp: 64 * i}, d[i]) })
		each(func(i int) { VSUBPD(vHalf, d[i], d[i]) })
		each(func(i int) { VADDPD(vShift, d[i], piece[i]) })
		each(func(i int) { VSUBPD(vShift, piece[i], sum[i]) })
		each(func(i int) { VSUBPD(sum[i], d[i], d[i]) })
		for j := range terms {
			VMOVUPD(Mem{Base: c, Disp: by + 128*j}, low)
			VMOVUPD(Mem{Base: c, Disp: by + 128*j + 64}, high)
			to := sum
			if j > 0 {
				to = several()
			}
			each(func(i int) { VMOVAPD(low, to[i]) })
			each(func(i int) { VPERMT2PD(high, piece[i], to[i]) })
			if j > 0 {
				each(func(i int) { VFMADD213PD(to[i], d[i], sum[i]) })
			}
		}
		each(func(i int) { VMOVUPD(sum[i], Mem{Base: y, Disp: 64 * i}) })
		ADDQ(U32(64*k), x)
		ADDQ(U32(64*k), y)
		SUBQ(U8(k), n)
		JMP(LabelRef(label))
		Label(label + "end")
	}
	VZEROUPPER()
	RET()
}

// narrow writes the function for AVX2.
func narrow() {
	TEXT("avx2Curve", NOSPLIT, "func(p *byte)")
	c, x, y, n := arguments()
	vShift, vHalf := YMM(), YMM()
	VBROADCASTSD(Mem{Base: c, Disp: shift}, vShift)
	VBROADCASTSD(Mem{Base: c, Disp: half}, vHalf)
	ADDQ(n, n)
	Label("four")
	d, piece, whole := YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: x}, d)
	VSUBPD(vHalf, d, d)
	VADDPD(vShift, d, piece)
	VSUBPD(vShift, piece, whole)
	VSUBPD(whole, d, d)
	VPSLLQ(U8(60), piece, piece)
	VPSRLQ(U8(60), piece, piece)
	VMOVUPD(rows.Of(c, table, 7, piece).Horner(terms, d), Mem{Base: y})
	ADDQ(U8(32), x)
	ADDQ(U8(32), y)
	DECQ(n)
	JNZ(LabelRef("four"))
	VZEROUPPER()
	RET()
}
