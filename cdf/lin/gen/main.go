// Command gen writes the assembly of cdf/lin, cdf/vec and cdf/normal. It is a module of its own, so
// that the generator is no dependency of the project.
package main

import (
	"flag"
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of lin.panel.
const (
	offA     = 0
	offAS    = 8
	offAD    = 16
	offB     = 24
	offBD    = 32
	offC     = 40
	offCS    = 48
	offRows  = 56
	offDepth = 64
	offBits  = 72
	offMask  = 80
	offNextA = 112 // where the tile begins: not pointers to Go, for they end one past the matrices
	offNextC = 120
	offLeft  = 128
)

func main() {
	of := flag.String("of", "lin", "package: lin, vec or normal")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *of {
	case "vec":
		ofVec()
	case "normal":
		ofNormal()
	default:
		ofLin()
	}
	Generate()
}

// ofLin writes the kernels of package lin.
func ofLin() {
	for v, rows := range [][]int{{8, 4, 2, 1}, {12, 4, 2, 1}, {8, 4, 2, 1}} {
		kernel("avx512", 64, v+1, rows, wide{})
	}
	for v, rows := range [][]int{{12, 8, 4, 2, 1}, {6, 4, 2, 1}, {4, 2, 1}} {
		kernel("avx2", 32, v+1, rows, narrow{columns: v + 1})
	}
	passes()
	reflects("avx512", 1)
	reflects("avx2", 2)
	pivots("avx512", []int{8, 4, 2, 1}, 8)
	pivots("avx2", []int{4, 2, 1}, 4)
	for _, vectors := range []int{8, 4, 2, 1} {
		rotations("avx512", 8, vectors)
	}
	for _, vectors := range []int{4, 2, 1} {
		rotations("avx2", 4, vectors)
	}
}

// set is a set of vector instructions.
type set interface {
	acc(i int) reg.VecPhysical
	col(v int) reg.VecPhysical
	prepare(p reg.Register)                                   // makes the mask of the last vector of a row
	load(p reg.Register, m Mem, last bool, v reg.VecPhysical) // a vector of a row
	store(p reg.Register, v reg.VecPhysical, m Mem, last bool)
	row(r int, x Mem, columns int) // adds x times the vectors of b to row r of the tile
}

// kernel writes the function that adds AB to c, for v vectors of columns and
// any number of rows. Tiles of c stay in registers over the whole depth; each
// entry is one chain of fused multiply-adds in the order of the depth.
func kernel(name string, bytes, v int, sizes []int, s set) {
	name = fmt.Sprintf("%sx%d", name, v)
	TEXT(name, NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	a, ad, bd := newStrides(), GP64(), GP64()
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	tmp := GP64()
	for _, f := range [][2]int{{offA, offNextA}, {offC, offNextC}, {offRows, offLeft}} {
		MOVQ(at(f[0]), tmp)
		MOVQ(tmp, at(f[1]))
	}
	MOVQ(at(offAS), a.stride)
	MOVQ(at(offAD), ad)
	MOVQ(at(offBD), bd)
	a.triple()
	s.prepare(p)
	for _, r := range sizes {
		label := fmt.Sprintf("rows%d", r)
		Label(label)
		CMPQ(at(offLeft), U8(r))
		JLT(LabelRef(label + "end"))
		tile(bytes, v, r, s, p, a, ad, bd, label)
		SUBQ(U8(r), at(offLeft))
		JMP(LabelRef(label))
		Label(label + "end")
	}
	VZEROUPPER()
	RET()
}

// tile adds to r rows.
func tile(bytes, v, r int, s set, p reg.Register, a strides, ad, bd reg.GPVirtual, label string) {
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	// walk calls f for every vector of the tile in c.
	walk := func(f func(m Mem, row, col int)) reg.GPVirtual {
		c, cs := GP64(), GP64()
		MOVQ(at(offNextC), c)
		MOVQ(at(offCS), cs)
		for i := range r {
			for j := range v {
				f(Mem{Base: c, Disp: j * bytes}, i, j)
			}
			ADDQ(cs, c)
		}
		return c
	}
	walk(func(m Mem, i, j int) { s.load(p, m, j == v-1, s.acc(i*v+j)) })

	bases := make([]reg.GPVirtual, (r+3)/4)
	for i := range bases {
		bases[i] = GP64()
		if i == 0 {
			MOVQ(at(offNextA), bases[i])
		} else {
			LEAQ(Mem{Base: bases[i-1], Index: a.stride, Scale: 4}, bases[i])
		}
	}
	b, d := GP64(), GP64()
	MOVQ(at(offB), b)
	MOVQ(at(offDepth), d)
	Label(label + "depth")
	for j := range v {
		s.load(p, Mem{Base: b, Disp: j * bytes}, j == v-1, s.col(j))
	}
	for i := range r {
		s.row(i, a.at(bases, i, 0), v)
	}
	ADDQ(bd, b)
	for _, base := range bases {
		ADDQ(ad, base)
	}
	DECQ(d)
	JNZ(LabelRef(label + "depth"))

	c := walk(func(m Mem, i, j int) { s.store(p, s.acc(i*v+j), m, j == v-1) })
	MOVQ(c, at(offNextC))
	next := GP64()
	IMUL3Q(U8(r), a.stride, next)
	ADDQ(next, at(offNextA))
}

// wide is AVX-512: 24 registers of the tile, three of b.
type wide struct{}

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

func (wide) acc(i int) reg.VecPhysical { return zmm[i] }
func (wide) col(v int) reg.VecPhysical { return zmm[24+v] }
func (wide) prepare(p reg.Register)    { KMOVW(Mem{Base: p, Disp: offBits}, reg.K1) }

func (wide) load(_ reg.Register, m Mem, last bool, v reg.VecPhysical) {
	if last {
		VMOVUPD_Z(m, reg.K1, v)
	} else {
		VMOVUPD(m, v)
	}
}

func (wide) store(_ reg.Register, v reg.VecPhysical, m Mem, last bool) {
	if last {
		VMOVUPD(v, reg.K1, m)
	} else {
		VMOVUPD(v, m)
	}
}

func (s wide) row(r int, x Mem, columns int) {
	if columns == 1 {
		VFMADD231PD_BCST(x, s.col(0), s.acc(r))
		return
	}
	factor := zmm[27+r%4]
	VBROADCASTSD(x, factor)
	for j := range columns {
		VFMADD231PD(s.col(j), factor, s.acc(r*columns+j))
	}
}

// narrow is AVX2: 12 registers of the tile, as many of b as there are columns;
// the mask shares one with the factors where all others are taken.
type narrow struct{ columns int }

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

func (narrow) acc(i int) reg.VecPhysical { return ymm[i] }
func (narrow) col(v int) reg.VecPhysical { return ymm[12+v] }

func (s narrow) prepare(p reg.Register) {
	if s.columns < 3 {
		VMOVUPD(Mem{Base: p, Disp: offMask}, ymm[15])
	}
}

// mask returns the register of the mask.
func (s narrow) mask(p reg.Register) reg.VecPhysical {
	if s.columns == 3 {
		VMOVUPD(Mem{Base: p, Disp: offMask}, ymm[15])
	}
	return ymm[15]
}

func (s narrow) load(p reg.Register, m Mem, last bool, v reg.VecPhysical) {
	if last {
		VMASKMOVPD(m, s.mask(p), v)
	} else {
		VMOVUPD(m, v)
	}
}

func (s narrow) store(p reg.Register, v reg.VecPhysical, m Mem, last bool) {
	if last {
		VMASKMOVPD(v, s.mask(p), m)
	} else {
		VMOVUPD(v, m)
	}
}

func (s narrow) row(r int, x Mem, columns int) {
	factor := ymm[12+columns]
	VBROADCASTSD(x, factor)
	for j := range columns {
		VFMADD231PD(s.col(j), factor, s.acc(r*columns+j))
	}
}
