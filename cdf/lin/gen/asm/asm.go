// Package asm is what the programs of this module share, each of which writes the assembly
// of one package of cdf: registers by their numbers, arguments, masked vectors and tables.
// The module is not the project's, which so does not depend on avo.
package asm

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Generated writes what kernels have written, for all builds but those without assembly.
func Generated(kernels ...func()) {
	ConstraintExpr("!purego")
	for _, write := range kernels {
		write()
	}
	Generate()
}

// Argument loads the argument of that name.
func Argument(name string) reg.GPVirtual {
	return Load(Param(name), GP64()).(reg.GPVirtual)
}

// Fours writes a loop of body that counts n down by four and takes the pointers four numbers on.
func Fours(n reg.GPVirtual, body func(), pointers ...reg.GPVirtual) { some(4, n, body, pointers) }

// Ones is Fours by one.
func Ones(n reg.GPVirtual, body func(), pointers ...reg.GPVirtual) { some(1, n, body, pointers) }

func some(count int, n reg.GPVirtual, body func(), pointers []reg.GPVirtual) {
	Label("next")
	body()
	for _, p := range pointers {
		ADDQ(U8(8*count), p)
	}
	SUBQ(U8(count), n)
	JNZ(LabelRef("next"))
}

// End ends a function: what is left in the upper halves of registers makes all code after
// it several times slower.
func End() {
	VZEROUPPER()
	RET()
}

// EndWithSigns ends one whose result are the signs of a vector of AVX2.
func EndWithSigns(v reg.VecPhysical) {
	signs := GP32()
	VMOVMSKPD(v, signs)
	Store(signs.As64(), ReturnIndex(0))
	End()
}

// Everywhere loads the number that is the argument of that name into all lanes.
func Everywhere(name string, to reg.Register) {
	m, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(m.Addr, to)
}

// Loaded returns a register with what is there.
func Loaded(m Mem) reg.GPVirtual {
	r := GP64()
	MOVQ(m, r)
	return r
}

// Fields loads the first n fields, of 8 bytes each, of what the argument p points to.
func Fields(n int) []reg.GPVirtual {
	p := Load(Param("p"), GP64())
	all := make([]reg.GPVirtual, n)
	for i := range all {
		all[i] = Loaded(Mem{Base: p, Disp: 8 * i})
	}
	return all
}

// Y are the registers of AVX2, Z those of AVX-512.
var (
	Y = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
	Z = []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}
)

// Middle is the part of a register that AVX2 has, Low that of SSE.
func Middle(v reg.VecPhysical) reg.VecPhysical { return v.AsY().(reg.VecPhysical) }

// Low is described at Middle.
func Low(v reg.VecPhysical) reg.VecPhysical { return v.AsX().(reg.VecPhysical) }
