package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// Offsets of the fields of vec.elementary.
const (
	eleX     = 0
	eleY     = 8
	eleCount = 16
	eleOdd   = 24
)

// vector writes arithmetic with all lanes of a set of instructions.
type vector struct {
	asm.Set
	kept map[uint64]reg.VecPhysical // constants, with AVX-512
}

func newVector(set asm.Set) *vector { return &vector{set, map[uint64]reg.VecPhysical{}} }

// keep loads constants for good where there are registers to spare.
func (v *vector) keep(patterns ...uint64) {
	if !v.Wide() {
		return
	}
	for i, bits := range patterns {
		v.kept[bits] = v.R[16+i]
		VBROADCASTSD(constant(bits), v.R[16+i])
	}
}

// bits returns a register with a constant, good for the next instruction.
func (v *vector) bits(pattern uint64) reg.VecPhysical {
	if r, ok := v.kept[pattern]; ok {
		return r
	}
	VBROADCASTSD(constant(pattern), v.R[15])
	return v.R[15]
}

func (v *vector) num(x float64) reg.VecPhysical { return v.bits(math.Float64bits(x)) }

var constants = map[uint64]Mem{}

// constant returns where the one number is, which all functions share.
func constant(bits uint64) Mem {
	m, ok := constants[bits]
	if !ok {
		m = ConstData(fmt.Sprintf("number%016x", bits), U64(bits))
		constants[bits] = m
	}
	return m
}

func (v *vector) or(a, b, to reg.VecPhysical) {
	if v.Wide() {
		VPORQ(a, b, to)
	} else {
		VPOR(a, b, to)
	}
}

func (v *vector) and(a, b, to reg.VecPhysical) {
	if v.Wide() {
		VPANDQ(a, b, to)
	} else {
		VPAND(a, b, to)
	}
}

// oneWhere writes 1 where a is at most b, else 0.
func (v *vector) oneWhere(a, b, to reg.VecPhysical) {
	const notLess = 5
	if v.Wide() {
		VCMPPD(U8(notLess), a, b, reg.K1)
		VMOVAPD_Z(v.num(1), reg.K1, to)
	} else {
		VCMPPD(U8(notLess), a, b, to)
		v.and(to, v.num(1), to)
	}
}

// half returns the part of a register that has as many 32-bit integers.
func (v *vector) half(r reg.VecPhysical) reg.Register {
	if v.Wide() {
		return r.(reg.Vec).AsY()
	}
	return r.(reg.Vec).AsX()
}

// elementary writes the function that applies f to whole vectors. What f finds odd,
// by the sign, in its first register it hands out.
func elementary(name string, v *vector, f func(v *vector, odd, x reg.VecPhysical), patterns ...uint64) {
	TEXT(v.Name+name, NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	x, y, left := GP64(), GP64(), GP64()
	MOVQ(at(eleX), x)
	MOVQ(at(eleY), y)
	MOVQ(at(eleCount), left)
	v.keep(patterns...)
	odd, in := v.R[0], v.R[1]
	VBROADCASTSD(constant(0), odd)
	Label("next")
	VMOVUPD(Mem{Base: x}, in)
	f(v, odd, in)
	VMOVUPD(in, Mem{Base: y})
	ADDQ(U8(8*v.Lanes), x)
	ADDQ(U8(8*v.Lanes), y)
	DECQ(left)
	JNZ(LabelRef("next"))
	VMOVUPD(odd, at(eleOdd))
	asm.End()
}

// Patterns of the parts of a float.
const (
	leastNormal = 1 << 52
	mantissa    = 1<<52 - 1
	two52       = 0x433 << 52 // bits below it are an integer added to 2^52
)

var logTerms = [...]float64{ // L1 to L7 of FreeBSD's e_log.c, as package math has them
	6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
	1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
}

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// logarithms takes x to log x by the operations of package math on amd64, one by one:
// the bits are the same.
func logarithms(v *vector, odd, x reg.VecPhysical) {
	r := v.R
	k, t, s, s2, s4, half := r[2], r[3], r[4], r[5], r[6], r[7]
	// Odd is what is not positive, normal and finite.
	VPSUBQ(v.bits(leastNormal), x, t)
	v.or(t, odd, odd)
	VPADDQ(v.bits(2*leastNormal), t, t)
	v.or(t, odd, odd)
	// x = f1 2^k, f1 from sqrt(1/2) on
	VPSRLQ(U8(52), x, k)
	v.or(v.bits(two52), k, k)
	VSUBPD(v.num(1<<52+0x3fe), k, k)
	v.and(v.bits(mantissa), x, x)
	v.or(v.num(0.5), x, x)
	v.oneWhere(x, v.num(math.Sqrt2/2), t)
	VSUBPD(t, k, k)
	VADDPD(v.num(1), t, t)
	VMULPD(t, x, x)
	VSUBPD(v.num(1), x, x) // f
	VADDPD(v.num(2), x, s)
	VDIVPD(s, x, s)
	VMULPD(s, s, s2)
	VMULPD(s2, s2, s4)
	VMULPD(v.num(logTerms[6]), s4, t)
	for _, i := range []int{4, 2} {
		VADDPD(v.num(logTerms[i]), t, t)
		VMULPD(s4, t, t)
	}
	VADDPD(v.num(logTerms[0]), t, t)
	VMULPD(t, s2, s2) // t1
	VMULPD(v.num(logTerms[5]), s4, t)
	VADDPD(v.num(logTerms[3]), t, t)
	VMULPD(s4, t, t)
	VADDPD(v.num(logTerms[1]), t, t)
	VMULPD(t, s4, s4) // t2
	VADDPD(s4, s2, s2)
	VMULPD(v.num(0.5), x, half)
	VMULPD(x, half, half)
	VADDPD(half, s2, s2)
	VMULPD(s2, s, s)
	VMULPD(v.num(ln2Lo), k, t)
	VADDPD(t, s, s)
	VSUBPD(s, half, half)
	VSUBPD(x, half, half)
	VMULPD(v.num(ln2Hi), k, k)
	VSUBPD(half, k, x)
}

var expTerms = [...]float64{ // of Taylor's series from the eighth down
	2.4801587301587301587e-5, 1.9841269841269841270e-4, 1.3888888888888888889e-3, 8.3333333333333333333e-3,
	4.1666666666666666667e-2, 1.6666666666666666667e-1, 0.5, 1,
}

const (
	log2e = 1.4426950408889634073599246810018920
	ln2U  = 0.69314718055966295651160180568695068359375
	ln2L  = 0.28235290563031577122588448175013436025525412068e-12
	// farthest is up to where e^x is a normal number.
	farthest = 708
)

// exponentials takes x to e^x by the operations of package math on amd64 with FMA, one
// by one: the bits are the same.
func exponentials(v *vector, odd, x reg.VecPhysical) {
	t, k, n := v.R[2], v.R[3], v.R[4]
	v.and(v.bits(math.MaxInt64), x, t)
	VPSUBQ(t, v.num(farthest), t)
	v.or(t, odd, odd)
	VMULPD(v.num(log2e), x, k)
	if v.Wide() {
		VCVTPD2DQ(k, v.half(n))
	} else {
		VCVTPD2DQY(k, v.half(n))
	}
	VCVTDQ2PD(v.half(n), k)
	VFNMADD231PD(v.num(ln2U), k, x)
	VFNMADD231PD(v.num(ln2L), k, x)
	VMULPD(v.num(0.0625), x, x)
	VMOVAPD(v.num(expTerms[0]), t)
	for _, c := range expTerms[1:] {
		VFMADD213PD(v.num(c), x, t)
	}
	VMULPD(t, x, x)
	for range 3 {
		VADDPD(v.num(2), x, t)
		VMULPD(t, x, x)
	}
	VADDPD(v.num(2), x, t)
	VFMADD213PD(v.num(1), t, x)
	VPMOVSXDQ(v.half(n), n)
	VPADDQ(v.bits(0x3ff), n, n)
	VPSLLQ(U8(52), n, n)
	VMULPD(n, x, x)
}

// pattern returns the bits of numbers.
func pattern(x ...float64) (all []uint64) {
	for _, v := range x {
		all = append(all, math.Float64bits(v))
	}
	return all
}

// elementaries writes logarithms and exponentials for both sets.
func elementaries() {
	logs := append(pattern(0.5, math.Sqrt2/2, 1, 2, ln2Hi, 1<<52+0x3fe), pattern(logTerms[:]...)...)
	exps := append(pattern(2, farthest, log2e, ln2U, ln2L, 0.0625), pattern(expTerms[:]...)...)
	for _, set := range []asm.Set{asm.AVX512, asm.AVX2} {
		elementary("Logs", newVector(set), logarithms, append(logs, leastNormal, two52, mantissa)...)
		elementary("Exps", newVector(set), exponentials, append(exps, 0x3ff)...)
	}
}
