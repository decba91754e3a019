package asm

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Rows are those of a table of coefficients that four lanes of AVX2 need, one each. They are
// loaded and transposed, in half the time of gathers.
type Rows struct {
	Base reg.GPVirtual
	Off  int              // of the table
	Lane [4]reg.GPVirtual // where a lane's row begins in the table
}

// RowsOf finds the rows of the given numbers, a vector that it changes. The table is off bytes
// after base, a row has 1<<shift bytes.
func RowsOf(base reg.GPVirtual, off, shift int, row reg.VecVirtual) Rows {
	r := Rows{Base: base, Off: off}
	VPSLLQ(U8(shift), row, row)
	high := XMM()
	for i := range r.Lane {
		r.Lane[i] = GP64()
	}
	VEXTRACTI128(U8(1), row, high)
	VMOVQ(row.AsX(), r.Lane[0])
	VPEXTRQ(U8(1), row.AsX(), r.Lane[1])
	VMOVQ(high, r.Lane[2])
	VPEXTRQ(U8(1), high, r.Lane[3])
	return r
}

// Pair returns the entries i and i + 1 of every lane.
func (r Rows) Pair(i int) [2]reg.VecVirtual {
	at := func(lane int) Mem {
		return Mem{Base: r.Base, Index: r.Lane[lane], Scale: 1, Disp: r.Off + 8*i}
	}
	even, odd := YMM(), YMM()
	VBROADCASTF128(at(0), even) // into both halves, of which one is overwritten
	VBROADCASTF128(at(1), odd)
	VINSERTF128(U8(1), at(2), even, even)
	VINSERTF128(U8(1), at(3), odd, odd)
	first, second := YMM(), YMM()
	VUNPCKLPD(odd, even, first)
	VUNPCKHPD(odd, even, second)
	return [2]reg.VecVirtual{first, second}
}

// Horner returns the polynomials in d whose coefficients begin the rows, the highest
// power first.
func (r Rows) Horner(terms int, d reg.VecVirtual) reg.VecVirtual {
	var sum reg.VecVirtual
	for i := 0; i < terms; i += 2 {
		two := r.Pair(i)
		if i == 0 {
			sum = two[0]
		} else {
			VFMADD213PD(two[0], d, sum)
		}
		if i+1 < terms {
			VFMADD213PD(two[1], d, sum)
		}
	}
	return sum
}
