package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ofVec writes the kernels of package vec.
func ofVec() {
	finite()
	standardize()
	toRows()
	fromRows()
	squares()
	ranks()
	pivotProducts()
	pivotSlopes()
	pivotFactors()
	roots()
	elementaries()
	kalmans()
}

func param(name string) reg.GPVirtual {
	return Load(Param(name), GP64()).(reg.GPVirtual)
}

// finite adds the products of the entries with 0, 16 at a time.
func finite() {
	TEXT("avx2Finite", NOSPLIT, "func(x *float64, n int) float64")
	x, n := param("x"), param("n")
	zero := ymm[15]
	for i := range 4 {
		VXORPD(ymm[i], ymm[i], ymm[i])
	}
	VXORPD(zero, zero, zero)
	Label("next")
	for i := range 4 {
		VFMADD231PD(Mem{Base: x, Disp: 32 * i}, zero, ymm[i])
	}
	ADDQ(U32(128), x)
	SUBQ(U8(16), n)
	JNZ(LabelRef("next"))
	VADDPD(ymm[1], ymm[0], ymm[0])
	VADDPD(ymm[3], ymm[2], ymm[2])
	VADDPD(ymm[2], ymm[0], ymm[0])
	VEXTRACTF128(U8(1), ymm[0], low(ymm[1]))
	VADDPD(low(ymm[1]), low(ymm[0]), low(ymm[0]))
	VPERMILPD(U8(1), low(ymm[0]), low(ymm[1]))
	VADDSD(low(ymm[1]), low(ymm[0]), low(ymm[0]))
	Store(reg.X0, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// standardize divides by a constant, four at a time: a product with its inverse and
// two corrections by the remainder. It returns the signs of a vector of which one
// lane is set where a number was too large or too small.
func standardize() {
	data := GLOBL("limits", RODATA|NOPTR)
	DATA(0, U64(0x7fffffffffffffff))
	DATA(8, U64((1023+400)<<52))
	DATA(16, U64((1023-400)<<52))
	TEXT("avx2Standardize", NOSPLIT, "func(dst, v *float64, n int, center, scale, inverse float64) int")
	dst, v, n := param("dst"), param("v"), param("n")
	center, scale, inverse, sign, high, least, zero, bad := ymm[8], ymm[9], ymm[10], ymm[11], ymm[12], ymm[13], ymm[14], ymm[15]
	for _, p := range []struct {
		name string
		to   reg.VecPhysical
	}{{"center", center}, {"scale", scale}, {"inverse", inverse}} {
		m, err := Param(p.name).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSD(m.Addr, p.to)
	}
	VBROADCASTSD(data.Offset(0), sign)
	VBROADCASTSD(data.Offset(8), high)
	VBROADCASTSD(data.Offset(16), least)
	VXORPD(zero, zero, zero)
	VXORPD(bad, bad, bad)
	x, q, r, size, other := ymm[0], ymm[1], ymm[2], ymm[3], ymm[4]
	Label("next")
	VMOVUPD(Mem{Base: v}, x)
	VSUBPD(center, x, x)
	VMULPD(inverse, x, q)
	for range 2 {
		VMOVAPD(x, r)
		VFNMADD231PD(q, scale, r)
		VFMADD231PD(r, inverse, q)
	}
	VANDPD(sign, x, size)
	const notAtMost, below, differs = 6, 1, 4
	VCMPPD(U8(below), least, size, r)
	VCMPPD(U8(differs), zero, x, other)
	VANDPD(other, r, r)
	VORPD(r, bad, bad)
	VCMPPD(U8(notAtMost), high, size, r)
	VORPD(r, bad, bad)
	// A quotient of -0 loses its sign in a sum.
	VANDPD(sign, q, q)
	VANDNPD(x, sign, r)
	VORPD(r, q, q)
	VMOVUPD(q, Mem{Base: dst})
	ADDQ(U8(32), v)
	ADDQ(U8(32), dst)
	SUBQ(U8(4), n)
	JNZ(LabelRef("next"))
	signs := GP32()
	VMOVMSKPD(bad, signs)
	Store(signs.As64(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// toRows writes two columns into rows, four at a time.
func toRows() {
	TEXT("avx2ToRows", NOSPLIT, "func(x, y, b *float64, stride, n int)")
	x, y, b, stride, n := param("x"), param("y"), param("b"), param("stride"), param("n")
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	u, w, even, odd := ymm[0], ymm[1], ymm[2], ymm[3]
	Label("next")
	VMOVUPD(Mem{Base: x}, u)
	VMOVUPD(Mem{Base: y}, w)
	VUNPCKLPD(w, u, even)
	VUNPCKHPD(w, u, odd)
	VMOVUPD(low(even), Mem{Base: b})
	VMOVUPD(low(odd), Mem{Base: b, Index: stride, Scale: 1})
	VEXTRACTF128(U8(1), even, Mem{Base: b, Index: stride, Scale: 2})
	VEXTRACTF128(U8(1), odd, Mem{Base: b, Index: stride3, Scale: 1})
	ADDQ(U8(32), x)
	ADDQ(U8(32), y)
	LEAQ(Mem{Base: b, Index: stride, Scale: 4}, b)
	SUBQ(U8(4), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// fromRows is the way back.
func fromRows() {
	TEXT("avx2FromRows", NOSPLIT, "func(a *float64, stride int, x, y *float64, n int)")
	a, stride, x, y, n := param("a"), param("stride"), param("x"), param("y"), param("n")
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	even, odd, u := ymm[0], ymm[1], ymm[2]
	Label("next")
	VMOVUPD(Mem{Base: a}, low(even))
	VMOVUPD(Mem{Base: a, Index: stride, Scale: 1}, low(odd))
	VINSERTF128(U8(1), Mem{Base: a, Index: stride, Scale: 2}, even, even)
	VINSERTF128(U8(1), Mem{Base: a, Index: stride3, Scale: 1}, odd, odd)
	VUNPCKLPD(odd, even, u)
	VMOVUPD(u, Mem{Base: x})
	VUNPCKHPD(odd, even, u)
	VMOVUPD(u, Mem{Base: y})
	ADDQ(U8(32), x)
	ADDQ(U8(32), y)
	LEAQ(Mem{Base: a, Index: stride, Scale: 4}, a)
	SUBQ(U8(4), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// squares sums the squares of columns, four entries at a time.
func squares() {
	TEXT("avx2Squares", NOSPLIT, "func(a *float64, stride, columns int, dst *float64, n int)")
	a, stride, count, dst, n := param("a"), param("stride"), param("columns"), param("dst"), param("n")
	at, left := GP64(), GP64()
	v, sum := ymm[0], ymm[1]
	Label("next")
	VXORPD(sum, sum, sum)
	MOVQ(a, at)
	MOVQ(count, left)
	Label("column")
	VMOVUPD(Mem{Base: at}, v)
	VMULPD(v, v, v)
	VADDPD(v, sum, sum)
	ADDQ(stride, at)
	DECQ(left)
	JNZ(LabelRef("column"))
	VMOVUPD(sum, Mem{Base: dst})
	ADDQ(U8(32), a)
	ADDQ(U8(32), dst)
	SUBQ(U8(4), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// ranks counts for every entry how many are less, for sixteen at a time.
func ranks() {
	TEXT("avx2Ranks", NOSPLIT, "func(x *float64, n int, rank *int)")
	x, n, rank := param("x"), param("n"), param("rank")
	mine, at, left, other := GP64(), GP64(), GP64(), GP64()
	own, count := ymm[:4], ymm[4:8]
	one, less := ymm[8], ymm[9:13]
	MOVQ(x, mine)
	MOVQ(n, left)
	Label("next")
	for i := range own {
		VMOVUPD(Mem{Base: mine, Disp: 32 * i}, own[i])
		VPXOR(count[i], count[i], count[i])
	}
	MOVQ(x, at)
	MOVQ(n, other)
	Label("other")
	VBROADCASTSD(Mem{Base: at}, one)
	const below = 17
	for i := range own {
		VCMPPD(U8(below), own[i], one, less[i])
		VPSUBQ(less[i], count[i], count[i])
	}
	ADDQ(U8(8), at)
	DECQ(other)
	JNZ(LabelRef("other"))
	for i := range own {
		VMOVDQU(count[i], Mem{Base: rank, Disp: 32 * i})
	}
	ADDQ(U32(128), mine)
	ADDQ(U32(128), rank)
	SUBQ(U8(16), left)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}

// roots writes square roots of sums and their inverses, four at a time.
func roots() {
	ones := GLOBL("ones", RODATA|NOPTR)
	DATA(0, F64(1))
	TEXT("avx2Roots", NOSPLIT, "func(root, inverse, x, y *float64, n int)")
	root, inverse, x, y, n := param("root"), param("inverse"), param("x"), param("y"), param("n")
	v, one := ymm[0], ymm[1]
	VBROADCASTSD(ones.Offset(0), one)
	Label("next")
	VMOVUPD(Mem{Base: x}, v)
	VADDPD(Mem{Base: y}, v, v)
	VSQRTPD(v, v)
	VMOVUPD(v, Mem{Base: root})
	VDIVPD(v, one, v)
	VMOVUPD(v, Mem{Base: inverse})
	for _, p := range []reg.GPVirtual{root, inverse, x, y} {
		ADDQ(U8(32), p)
	}
	SUBQ(U8(4), n)
	JNZ(LabelRef("next"))
	VZEROUPPER()
	RET()
}
