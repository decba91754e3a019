// Command lin writes the assembly of cdf/lin.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
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
	offSets  = 136
)

func main() {
	asm.Generated(strips, passes, applications, parts, spreads, pivots, rotations, each, triangles, inverses, reduce, sumsAndSquares, few, fewSpread, puts)
}

// strips writes the functions that add AB to strips of c.
func strips() {
	for v, rows := range [][]int{{8, 4, 2, 1}, {12, 10, 8, 5, 4, 2, 1}, {8, 4, 2, 1}} {
		kernel("", rows, tiles{asm.AVX512, v + 1, true})
	}
	for v, rows := range [][]int{{12, 8, 4, 2, 1}, {6, 5, 4, 3, 2, 1}, {4, 3, 2, 1}} {
		kernel("", rows, tiles{asm.AVX2, v + 1, true})
		kernel("Whole", rows, tiles{asm.AVX2, v + 1, false})
	}
}

// kernel writes the function that adds AB to c, for v vectors of columns and
// any number of rows. Tiles of c stay in registers over the whole depth; each
// entry is one chain of fused multiply-adds in the order of the depth.
func kernel(name string, sizes []int, s tiles) {
	TEXT(fmt.Sprintf("%sx%d%s", s.Name, s.columns, name), NOSPLIT, "func(p *byte)")
	p := Load(Param("p"), GP64())
	at := func(off int) Mem { return Mem{Base: p, Disp: off} }
	tmp := GP64()
	for _, f := range [][2]int{{offA, offNextA}, {offC, offNextC}, {offRows, offLeft}} {
		MOVQ(at(f[0]), tmp)
		MOVQ(tmp, at(f[1]))
	}
	a := asm.StridesOf(asm.Loaded(at(offAS)))
	ad, bd := asm.Loaded(at(offAD)), asm.Loaded(at(offBD))
	s.prepare(p)
	for _, r := range sizes {
		label := fmt.Sprintf("rows%d", r)
		Label(label)
		CMPQ(at(offLeft), U8(r))
		JLT(LabelRef(label + "end"))
		s.tile(r, p, a, ad, bd, label)
		SUBQ(U8(r), at(offLeft))
		JMP(LabelRef(label))
		Label(label + "end")
	}
	asm.End()
}

// tiles are what the rows of c are taken in: of so many vectors of columns. AVX-512 has 24
// registers for a tile and three for b, AVX2 12 and as many as there are columns; its mask
// shares one with the factors where all others are taken. Stores by that mask take an AMD ten cycles and more each.
type tiles struct {
	asm.Set
	columns int
	masked  bool // the last vector may be a part of one
}

// tile adds to r rows.
func (s tiles) tile(r int, p reg.Register, a asm.Strides, ad, bd reg.GPVirtual, label string) {
	v, bytes := s.columns, 8*s.Lanes
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
	CMPB(at(offSets), U8(0))
	JNE(LabelRef(label + "sets"))
	walk(func(m Mem, i, j int) { s.load(p, m, j == v-1, s.acc(i*v+j)) })
	JMP(LabelRef(label + "begin"))
	Label(label + "sets")
	for i := range r * v {
		s.Zero(s.acc(i))
	}
	Label(label + "begin")

	bases := make([]reg.GPVirtual, (r+3)/4)
	for i := range bases {
		bases[i] = GP64()
		if i == 0 {
			MOVQ(at(offNextA), bases[i])
		} else {
			a.Advance(bases[i-1], bases[i])
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
		s.row(i, a.At(bases, i, 0))
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
	IMUL3Q(U8(r), a.Once, next)
	ADDQ(next, at(offNextA))
}

func (s tiles) acc(i int) reg.VecPhysical { return s.R[i] }
func (s tiles) col(v int) reg.VecPhysical { return s.R[3*s.Lanes+v] }

// factor is for an entry of a.
func (s tiles) factor(r int) reg.VecPhysical {
	if s.Wide() {
		return s.R[27+r%4]
	}
	return s.R[12+s.columns]
}

// tight reports whether the mask shares its register.
func (s tiles) tight() bool { return !s.Wide() && s.columns == 3 }

// prepare makes the mask of the last vector of a row.
func (s tiles) prepare(p reg.Register) {
	if s.masked && !s.tight() {
		s.mask(p)
	}
}

func (s tiles) mask(p reg.Register) {
	s.Prepare(Mem{Base: p, Disp: offBits}, Mem{Base: p, Disp: offMask})
}

// load loads a vector of a row.
func (s tiles) load(p reg.Register, m Mem, last bool, v reg.VecPhysical) {
	masked := last && s.masked
	if masked && s.tight() {
		s.mask(p)
	}
	s.Load(m, v, masked)
}

// store stores a vector of a row.
func (s tiles) store(p reg.Register, v reg.VecPhysical, m Mem, last bool) {
	masked := last && s.masked
	if masked && s.tight() {
		s.mask(p)
	}
	s.Store(v, m, masked)
}

// row adds x times the vectors of b to row r of the tile.
func (s tiles) row(r int, x Mem) {
	if s.Wide() && s.columns == 1 {
		VFMADD231PD_BCST(x, s.col(0), s.acc(r))
		return
	}
	factor := s.factor(r)
	VBROADCASTSD(x, factor)
	for j := range s.columns {
		VFMADD231PD(s.col(j), factor, s.acc(r*s.columns+j))
	}
}
