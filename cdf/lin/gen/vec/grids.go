package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// grids writes what is done with the nodes of a grid of filters, four at a time.
func grids() {
	along()
	means()
	logWeights()
	lower()
}

// arguments loads those of the names.
func arguments(names ...string) (all []reg.GPVirtual) {
	for _, name := range names {
		all = append(all, asm.Argument(name))
	}
	return all
}

func along() {
	TEXT("avx2Along", NOSPLIT, "func(mean, variance, m, v, r, mu, s *float64, n int)")
	p := arguments("mean", "variance", "m", "v", "r", "mu", "s")
	mean, variance, m, v, r, mu, s := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	asm.Fours(asm.Argument("n"), func() {
		x, y := YMM(), YMM()
		VMOVUPD(Mem{Base: r}, x)
		VMULPD(x, x, y)
		VMULPD(Mem{Base: mu}, x, x)
		VADDPD(Mem{Base: m}, x, x)
		VMOVUPD(x, Mem{Base: mean})
		VMULPD(Mem{Base: s}, y, y)
		VADDPD(Mem{Base: v}, y, y)
		VMOVUPD(y, Mem{Base: variance})
	}, p...)
	asm.End()
}

func means() {
	TEXT("avx2Means", NOSPLIT, "func(prior, least, sse, er, rr, mu, v, rate, factor *float64, n int)")
	p := arguments("prior", "least", "sse", "er", "rr", "mu", "v", "rate", "factor")
	prior, least, sse, er, rr, mu, v, rate, factor := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]
	one, half, zero := YMM(), YMM(), YMM()
	VBROADCASTSD(constant(math.Float64bits(1)), one)
	VBROADCASTSD(constant(math.Float64bits(0.5)), half)
	VXORPD(zero, zero, zero)
	asm.Fours(asm.Argument("n"), func() {
		x, grown, e, left := YMM(), YMM(), YMM(), YMM()
		VMOVUPD(Mem{Base: prior}, x)
		VMULPD(Mem{Base: rr}, x, grown)
		VADDPD(grown, one, grown)
		VDIVPD(grown, x, x)
		VMOVUPD(x, Mem{Base: v})
		VMOVUPD(Mem{Base: er}, e)
		VMULPD(e, x, x)
		VMOVUPD(x, Mem{Base: mu})
		VMULPD(Mem{Base: factor}, grown, grown)
		VMOVUPD(grown, Mem{Base: factor})
		VMULPD(e, x, x)
		VMOVUPD(Mem{Base: sse}, left)
		VSUBPD(x, left, left)
		VMULPD(half, left, left)
		VMAXPD(left, zero, left) // NaN stays
		VADDPD(Mem{Base: least}, left, left)
		VMOVUPD(left, Mem{Base: rate})
	}, p...)
	asm.End()
}

func logWeights() {
	TEXT("avx2LogWeights", NOSPLIT, "func(log, prior, logs, rate *float64, n int, shape float64, top *[4]float64) int")
	p := arguments("log", "prior", "logs", "rate")
	log, prior, logs, rate := p[0], p[1], p[2], p[3]
	tops := asm.Argument("top")
	shape, half, top, nan := YMM(), YMM(), YMM(), YMM()
	asm.Everywhere("shape", shape)
	VBROADCASTSD(constant(math.Float64bits(0.5)), half)
	VXORPD(nan, nan, nan)
	VMOVUPD(Mem{Base: tops}, top)
	asm.Fours(asm.Argument("n"), func() {
		x, y := YMM(), YMM()
		VMOVUPD(Mem{Base: logs}, x)
		VADDPD(Mem{Base: log}, x, x)
		VMULPD(half, x, x)
		VMOVUPD(Mem{Base: prior}, y)
		VSUBPD(x, y, y)
		VMULPD(Mem{Base: rate}, shape, x)
		VSUBPD(x, y, y)
		VMOVUPD(y, Mem{Base: log})
		VMAXPD(top, y, top)
		const unordered = 3
		VCMPPD(U8(unordered), y, y, y)
		VORPD(y, nan, nan)
	}, p...)
	VMOVUPD(top, Mem{Base: tops})
	signs := GP32()
	VMOVMSKPD(nan, signs)
	Store(signs.As64(), ReturnIndex(0))
	asm.End()
}

func lower() {
	TEXT("avx2Lower", NOSPLIT, "func(x *float64, n int, top, least float64)")
	x := asm.Argument("x")
	top, least := YMM(), YMM()
	asm.Everywhere("top", top)
	asm.Everywhere("least", least)
	asm.Fours(asm.Argument("n"), func() {
		v := YMM()
		VMOVUPD(Mem{Base: x}, v)
		VSUBPD(top, v, v)
		VMAXPD(v, least, v)
		VMOVUPD(v, Mem{Base: x})
	}, x)
	asm.End()
}
