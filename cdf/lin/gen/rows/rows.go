// Package rows reads tables of coefficients for four lanes of AVX2, each of which needs a
// row of its own: rows are loaded and transposed, in half the time of gathers.
package rows

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Rows are those of a table that four lanes need.
type Rows struct {
	base reg.GPVirtual
	off  int
	lane [4]reg.GPVirtual
}

// Of finds the rows of the given numbers, a vector that it changes. The table is off bytes
// after base, a row has 1<<shift bytes, and 16 bytes follow the last.
func Of(base reg.GPVirtual, off, shift int, row reg.VecVirtual) Rows {
	r := Rows{base: base, off: off}
	VPSLLQ(U8(shift), row, row)
	high := XMM()
	for i := range r.lane {
		r.lane[i] = GP64()
	}
	VEXTRACTI128(U8(1), row, high)
	VMOVQ(row.AsX(), r.lane[0])
	VPEXTRQ(U8(1), row.AsX(), r.lane[1])
	VMOVQ(high, r.lane[2])
	VPEXTRQ(U8(1), high, r.lane[3])
	return r
}

// Pair returns the entries i and i + 1 of every lane.
func (r Rows) Pair(i int) [2]reg.VecVirtual {
	at := func(lane int) Mem {
		return Mem{Base: r.base, Index: r.lane[lane], Scale: 1, Disp: r.off + 8*i}
	}
	even, odd := YMM(), YMM()
	VMOVUPD(at(0), even) // and what follows, which is overwritten
	VMOVUPD(at(1), odd)
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
