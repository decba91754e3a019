// Command vec writes the assembly of cdf/vec.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

func main() {
	asm.Generated(finite, standardize, standardizeWide, transposes, twoRows, twoColumns, squares, ranks,
		pivotProducts, pivotSlopes, pivotFactors, roots, elementaries, kalmans, bounded, networks, chains, cubics, grids, levels, across, acrossHalves, each, affine, curves, schurSums, schurLaws)
}

// finite adds the products of the entries with 0, 16 at a time. It fetches ahead: at the end of each
// page the processor begins anew to see that a column is read, and the next one may follow.
func finite() {
	TEXT("avx2Finite", NOSPLIT, "func(x *float64, n int) float64")
	x, n := asm.Argument("x"), asm.Argument("n")
	zero := asm.Y[15]
	for i := range 4 {
		VXORPD(asm.Y[i], asm.Y[i], asm.Y[i])
	}
	VXORPD(zero, zero, zero)
	Label("next")
	for i := range 4 {
		VFMADD231PD(Mem{Base: x, Disp: 32 * i}, zero, asm.Y[i])
	}
	for i := range 2 {
		PREFETCHT0(Mem{Base: x, Disp: 2048 + 64*i})
	}
	ADDQ(U32(128), x)
	SUBQ(U8(16), n)
	JNZ(LabelRef("next"))
	VADDPD(asm.Y[1], asm.Y[0], asm.Y[0])
	VADDPD(asm.Y[3], asm.Y[2], asm.Y[2])
	VADDPD(asm.Y[2], asm.Y[0], asm.Y[0])
	VEXTRACTF128(U8(1), asm.Y[0], asm.Low(asm.Y[1]))
	VADDPD(asm.Low(asm.Y[1]), asm.Low(asm.Y[0]), asm.Low(asm.Y[0]))
	VPERMILPD(U8(1), asm.Low(asm.Y[0]), asm.Low(asm.Y[1]))
	VADDSD(asm.Low(asm.Y[1]), asm.Low(asm.Y[0]), asm.Low(asm.Y[0]))
	Store(reg.X0, ReturnIndex(0))
	asm.End()
}

// standardize divides by a constant, four at a time: a product with its inverse and
// two corrections by the remainder. It returns the signs of a vector of which one
// lane is set where a number was too large or too small.
func standardize() {
	limits = GLOBL("limits", RODATA|NOPTR)
	DATA(0, U64(0x7fffffffffffffff))
	DATA(8, U64((1023+400)<<52))
	DATA(16, U64((1023-400)<<52))
	TEXT("avx2Standardize", NOSPLIT, "func(dst, v *float64, n int, center, scale, inverse float64) int")
	dst, v, n := asm.Argument("dst"), asm.Argument("v"), asm.Argument("n")
	center, scale, inverse := asm.Y[8], asm.Y[9], asm.Y[10]
	asm.Everywhere("center", center)
	asm.Everywhere("scale", scale)
	asm.Everywhere("inverse", inverse)
	w := watchOf(asm.Y[11:])
	x, q, r, size, other := asm.Y[0], asm.Y[1], asm.Y[2], asm.Y[3], asm.Y[4]
	asm.Fours(n, func() {
		quotients(v, center, scale, inverse, x, q, r)
		w.look(x, q, r, size, other)
		VMOVUPD(q, Mem{Base: dst})
	}, v, dst)
	asm.EndWithSigns(w.bad)
}

var limits Mem

// watch are the registers of AVX2 in which numbers that must be divided are seen: bad has the sign of a lane in which there was one.
type watch struct{ sign, high, least, zero, bad reg.VecPhysical }

func watchOf(free []reg.VecPhysical) watch {
	w := watch{free[0], free[1], free[2], free[3], free[4]}
	VBROADCASTSD(limits.Offset(0), w.sign)
	VBROADCASTSD(limits.Offset(8), w.high)
	VBROADCASTSD(limits.Offset(16), w.least)
	VXORPD(w.zero, w.zero, w.zero)
	VXORPD(w.bad, w.bad, w.bad)
	return w
}

// look looks at numbers x, whose signs their quotients get.
func (w watch) look(x, q, r, size, other reg.VecPhysical) {
	const notAtMost, below, differs = 6, 1, 4
	VANDPD(w.sign, x, size)
	VCMPPD(U8(below), w.least, size, r)
	VCMPPD(U8(differs), w.zero, x, other)
	VANDPD(other, r, r)
	VORPD(r, w.bad, w.bad)
	VCMPPD(U8(notAtMost), w.high, size, r)
	VORPD(r, w.bad, w.bad)
	// A quotient of -0 loses its sign in a sum.
	VANDPD(w.sign, q, q)
	VANDNPD(x, w.sign, r)
	VORPD(r, q, q)
}

// quotients loads numbers at v into x, less the center, and makes q what they are over the scale, to the
// last digit: its inverse gives them up to two corrections by what is left, r.
func quotients(v reg.Register, center, scale, inverse, x, q, r reg.VecPhysical) {
	VMOVUPD(Mem{Base: v}, x)
	VSUBPD(center, x, x)
	quotientsOf(scale, inverse, x, q, r)
}

func quotientsOf(scale, inverse, x, q, r reg.VecPhysical) {
	VMULPD(inverse, x, q)
	for range 2 {
		VMOVAPD(x, r)
		VFNMADD231PD(q, scale, r)
		VFMADD231PD(r, inverse, q)
	}
}

// standardizeWide is standardize, eight at a time: the same quotients. What was too large or too small is
// seen in the greatest and the least number, less 1 so that 0 is the greatest of all, as integers.
func standardizeWide() {
	wideLimits = GLOBL("widelimits", RODATA|NOPTR)
	const high, least = (1023 + 400) << 52, (1023 - 400) << 52
	DATA(0, U64(0x7fffffffffffffff))
	DATA(8, U64(high))
	DATA(16, U64(least-1))
	DATA(24, U64(1))
	TEXT("avx512Standardize", NOSPLIT, "func(dst, v *float64, n int, center, scale, inverse float64) int")
	dst, v, n := asm.Argument("dst"), asm.Argument("v"), asm.Argument("n")
	center, scale, inverse, sign, one, greatest, smallest := asm.Z[8], asm.Z[9], asm.Z[10], asm.Z[11], asm.Z[12], asm.Z[13], asm.Z[14]
	asm.Everywhere("center", center)
	asm.Everywhere("scale", scale)
	asm.Everywhere("inverse", inverse)
	VPBROADCASTQ(wideLimits.Offset(0), sign)
	VPBROADCASTQ(wideLimits.Offset(24), one)
	VPXORQ(greatest, greatest, greatest)
	VPTERNLOGQ(U8(0xff), smallest, smallest, smallest)
	x, q, r, size := asm.Z[0], asm.Z[1], asm.Z[2], asm.Z[3]
	Label("next")
	quotients(v, center, scale, inverse, x, q, r)
	VPANDQ(sign, x, size)
	VPMAXUQ(size, greatest, greatest)
	VPSUBQ(one, size, size)
	VPMINUQ(size, smallest, smallest)
	VPTERNLOGQ(U8(either), sign, x, q)
	VMOVUPD(q, Mem{Base: dst})
	ADDQ(U8(64), v)
	ADDQ(U8(64), dst)
	SUBQ(U8(8), n)
	JNZ(LabelRef("next"))
	endWithLimits(greatest, smallest, x)
}

// wideLimits are those of standardizeWide.
var wideLimits Mem

// either selects bits of the third where the first has one, else of the second.
const either = 0xe4

// endWithLimits ends a function that returns whether a number was too large or too small.
func endWithLimits(greatest, smallest, x reg.VecPhysical) {
	const less, greater = 1, 6
	VPBROADCASTQ(wideLimits.Offset(8), x)
	VPCMPUQ(U8(greater), x, greatest, reg.K1)
	VPBROADCASTQ(wideLimits.Offset(16), x)
	VPCMPUQ(U8(less), x, smallest, reg.K2)
	KORW(reg.K1, reg.K2, reg.K1)
	odd := GP32()
	KMOVW(reg.K1, odd)
	Store(odd.As64(), ReturnIndex(0))
	asm.End()
}

// squares adds the squares of rows, up to sixteen entries at a time: a sum waits for each
// of its additions.
func squares() {
	TEXT("avx2AddSquares", NOSPLIT, "func(a *float64, stride, rows int, dst *float64, n int)")
	a, stride, count, dst, n := asm.Argument("a"), asm.Argument("stride"), asm.Argument("rows"), asm.Argument("dst"), asm.Argument("n")
	at, left := GP64(), GP64()
	for _, vectors := range []int{4, 2, 1} {
		label := fmt.Sprintf("vectors%d", vectors)
		v, sum := asm.Y[:vectors], asm.Y[4:][:vectors]
		Label(label)
		CMPQ(n, U8(4*vectors))
		JLT(LabelRef(label + "end"))
		for i := range sum {
			VMOVUPD(Mem{Base: dst, Disp: 32 * i}, sum[i])
		}
		MOVQ(a, at)
		MOVQ(count, left)
		Label(label + "row")
		for i := range v {
			VMOVUPD(Mem{Base: at, Disp: 32 * i}, v[i])
			VMULPD(v[i], v[i], v[i])
			VADDPD(v[i], sum[i], sum[i])
		}
		ADDQ(stride, at)
		DECQ(left)
		JNZ(LabelRef(label + "row"))
		for i := range sum {
			VMOVUPD(sum[i], Mem{Base: dst, Disp: 32 * i})
		}
		ADDQ(U32(32*vectors), a)
		ADDQ(U32(32*vectors), dst)
		SUBQ(U8(4*vectors), n)
		JMP(LabelRef(label))
		Label(label + "end")
	}
	asm.End()
}

// ranks counts for every entry how many are less, for sixteen at a time.
func ranks() {
	TEXT("avx2Ranks", NOSPLIT, "func(x *float64, n int, rank *int)")
	x, n, rank := asm.Argument("x"), asm.Argument("n"), asm.Argument("rank")
	mine, at, left, other := GP64(), GP64(), GP64(), GP64()
	own, count := asm.Y[:4], asm.Y[4:8]
	one, less := asm.Y[8], asm.Y[9:13]
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
	asm.End()
}

// roots writes square roots of sums and their inverses, four at a time.
func roots() {
	ones := GLOBL("ones", RODATA|NOPTR)
	DATA(0, F64(1))
	TEXT("avx2Roots", NOSPLIT, "func(root, inverse, x, y *float64, n int)")
	root, inverse, x, y, n := asm.Argument("root"), asm.Argument("inverse"), asm.Argument("x"), asm.Argument("y"), asm.Argument("n")
	v, one := asm.Y[0], asm.Y[1]
	VBROADCASTSD(ones.Offset(0), one)
	asm.Fours(n, func() {
		VMOVUPD(Mem{Base: x}, v)
		VADDPD(Mem{Base: y}, v, v)
		VSQRTPD(v, v)
		VMOVUPD(v, Mem{Base: root})
		VDIVPD(v, one, v)
		VMOVUPD(v, Mem{Base: inverse})
	}, root, inverse, x, y)
	asm.End()
}
