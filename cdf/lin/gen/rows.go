package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// strides are what addresses rows: once and three times what lies between two.
type strides struct{ stride, three reg.GPVirtual }

// newStrides returns registers for them.
func newStrides() strides { return strides{GP64(), GP64()} }

// triple finds the threefold.
func (s strides) triple() {
	LEAQ(Mem{Base: s.stride, Index: s.stride, Scale: 2}, s.three)
}

// at is where row r begins, displaced. There is a base for every four rows: the
// others are one, two and three strides on.
func (s strides) at(bases []reg.GPVirtual, r, displaced int) Mem {
	m := Mem{Base: bases[r/4], Disp: displaced}
	switch r % 4 {
	case 1, 2:
		m.Index, m.Scale = s.stride, uint8(r%4)
	case 3:
		m.Index, m.Scale = s.three, 1
	}
	return m
}
