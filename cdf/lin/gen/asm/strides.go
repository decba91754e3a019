package asm

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Strides are what addresses rows: once and three times what lies between two.
type Strides struct{ Once, Three reg.GPVirtual }

// StridesOf returns those of so many bytes.
func StridesOf(once reg.GPVirtual) Strides {
	s := Strides{once, GP64()}
	LEAQ(Mem{Base: once, Index: once, Scale: 2}, s.Three)
	return s
}

// At is where row r begins, displaced. There is a base for every four rows: the
// others are one, two and three strides on.
func (s Strides) At(bases []reg.GPVirtual, r, displaced int) Mem {
	m := Mem{Base: bases[r/4], Disp: displaced}
	switch r % 4 {
	case 1, 2:
		m.Index, m.Scale = s.Once, uint8(r%4)
	case 3:
		m.Index, m.Scale = s.Three, 1
	}
	return m
}

// Advance takes the base to what is four rows on.
func (s Strides) Advance(from, to reg.GPVirtual) {
	LEAQ(Mem{Base: from, Index: s.Once, Scale: 4}, to)
}
