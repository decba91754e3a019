package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// A network sorts rows of eight numbers, of which entry r of lane l is number l*rows + r: what lies
// within a lane is compared row by row, without a permutation.

// rowBytes is the size of a row.
const rowBytes = 64

// networks writes the steps of a network for both sets of instructions.
func networks() {
	for _, s := range []asm.Set{asm.AVX512, asm.AVX2} {
		block := 2 * s.Lanes // rows that registers hold
		inRegisters(s, "SortRows", block, oddEven(block))
		inRegisters(s, "CleanRows", block, halves(block))
		flipRows(s)
		distantRows(s)
		for _, lanes := range []int{2, 4, 8} {
			crossLanes(s, lanes)
		}
		withinRows(s)
		distanceKeys(s)
		extremes(s)
	}
}

// oddEven are the pairs of Batcher's odd-even merge sort of n numbers.
func oddEven(n int) (pairs [][2]int) {
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := 0; i < min(k, n-j-k); i++ {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						pairs = append(pairs, [2]int{i + j, i + j + k})
					}
				}
			}
		}
	}
	return pairs
}

// halves are the pairs that sort n numbers which first fall and then rise, or the other way round.
func halves(n int) (pairs [][2]int) {
	for d := n / 2; d > 0; d /= 2 {
		for i := range n {
			if i&d == 0 {
				pairs = append(pairs, [2]int{i, i + d})
			}
		}
	}
	return pairs
}

// fresh is a vector register that nothing has.
func fresh(s asm.Set) reg.VecVirtual {
	if s.Wide() {
		return ZMM()
	}
	return YMM()
}

// columnsOf are where the vectors of a row begin in it.
func columnsOf(s asm.Set) []int {
	if s.Wide() {
		return []int{0}
	}
	return []int{0, 32}
}

// ordered returns the less and the greater of each lane.
func ordered(s asm.Set, a, b Op) (less, greater reg.VecVirtual) {
	less, greater = fresh(s), fresh(s)
	VMINPD(b, a, less)
	VMAXPD(b, a, greater)
	return less, greater
}

// inRegisters lets pairs of rows of each block of them be compared.
func inRegisters(s asm.Set, name string, block int, pairs [][2]int) {
	TEXT(s.Name+name, NOSPLIT, "func(x *float64, blocks int)")
	x, blocks := asm.Argument("x"), asm.Argument("blocks")
	Label("block")
	for _, c := range columnsOf(s) {
		v := make([]reg.VecVirtual, block)
		for i := range v {
			v[i] = fresh(s)
			VMOVUPD(Mem{Base: x, Disp: rowBytes*i + c}, v[i])
		}
		for _, p := range pairs {
			v[p[0]], v[p[1]] = ordered(s, v[p[0]], v[p[1]])
		}
		for i := range v {
			VMOVUPD(v[i], Mem{Base: x, Disp: rowBytes*i + c})
		}
	}
	ADDQ(U32(rowBytes*block), x)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	asm.End()
}

// flipRows compares, in each group of so many rows, the first with the last and so on.
func flipRows(s asm.Set) {
	TEXT(s.Name+"FlipRows", NOSPLIT, "func(x *float64, groups, size int)")
	x, groups, size := asm.Argument("x"), asm.Argument("groups"), asm.Argument("size")
	SHLQ(U8(6), size)
	first, last := GP64(), GP64()
	Label("group")
	MOVQ(x, first)
	LEAQ(Mem{Base: x, Index: size, Scale: 1, Disp: -rowBytes}, last)
	ADDQ(size, x)
	Label("pair")
	for _, c := range columnsOf(s) {
		a := fresh(s)
		VMOVUPD(Mem{Base: first, Disp: c}, a)
		less, greater := ordered(s, a, Mem{Base: last, Disp: c})
		VMOVUPD(less, Mem{Base: first, Disp: c})
		VMOVUPD(greater, Mem{Base: last, Disp: c})
	}
	ADDQ(U8(rowBytes), first)
	SUBQ(U8(rowBytes), last)
	CMPQ(first, last)
	JLT(LabelRef("pair"))
	DECQ(groups)
	JNZ(LabelRef("group"))
	asm.End()
}

// distantRows compares each row with that d rows on, and these with those half as far on: in groups of
// 2d rows, d even.
func distantRows(s asm.Set) {
	TEXT(s.Name+"DistantRows", NOSPLIT, "func(x *float64, groups, d int)")
	x, groups, d := asm.Argument("x"), asm.Argument("groups"), asm.Argument("d")
	SHLQ(U8(5), d) // half of it, in bytes
	near, far, left := GP64(), GP64(), GP64()
	Label("group")
	LEAQ(Mem{Base: x, Index: d, Scale: 2}, far)
	MOVQ(x, near)
	MOVQ(d, left)
	Label("pair")
	at := func(i, c int) Mem {
		m := Mem{Base: []reg.Register{near, near, far, far}[i], Disp: c}
		if i%2 == 1 {
			m.Index, m.Scale = d, 1
		}
		return m
	}
	for _, c := range columnsOf(s) {
		var v [4]reg.VecVirtual
		for i := range v {
			v[i] = fresh(s)
			VMOVUPD(at(i, c), v[i])
		}
		for _, p := range halves(4) {
			v[p[0]], v[p[1]] = ordered(s, v[p[0]], v[p[1]])
		}
		for i := range v {
			VMOVUPD(v[i], at(i, c))
		}
	}
	ADDQ(U8(rowBytes), near)
	ADDQ(U8(rowBytes), far)
	SUBQ(U8(rowBytes), left)
	JNZ(LabelRef("pair"))
	LEAQ(Mem{Base: x, Index: d, Scale: 4}, x)
	DECQ(groups)
	JNZ(LabelRef("group"))
	asm.End()
}

// A whole row is one vector of AVX-512 or two of AVX2.
type row []reg.VecVirtual

func loadRow(s asm.Set, at reg.Register) row {
	var r row
	for _, c := range columnsOf(s) {
		v := fresh(s)
		VMOVUPD(Mem{Base: at, Disp: c}, v)
		r = append(r, v)
	}
	return r
}

func storeRow(s asm.Set, r row, at reg.Register) {
	for i, c := range columnsOf(s) {
		VMOVUPD(r[i], Mem{Base: at, Disp: c})
	}
}

// upper are the masks of the lanes that have bit 0, 1 or 2 in their number.
var upper = [3]reg.Register{reg.K1, reg.K2, reg.K3}

// laneMasks sets them up.
func laneMasks(s asm.Set) {
	if !s.Wide() {
		return
	}
	bits := GP32()
	for i, m := range []uint32{0xaa, 0xcc, 0xf0} {
		MOVL(U32(m), bits)
		KMOVW(bits, upper[i])
	}
}

// crossed returns the row whose lane l is lane l^with of r.
func crossed(s asm.Set, r row, with int) row {
	out := make(row, len(r))
	for i, v := range r {
		from := v
		if with&4 != 0 {
			if s.Wide() {
				from = fresh(s)
				VSHUFF64X2(U8(0x4e), v, v, from)
			} else {
				from = r[1-i]
			}
		}
		if with&3 == 0 {
			out[i] = from
			continue
		}
		out[i] = fresh(s)
		switch with & 3 {
		case 1:
			VPERMILPD(U8(0x55), from, out[i])
		case 2:
			VPERMPD(U8(0x4e), from, out[i])
		case 3:
			VPERMPD(U8(0x1b), from, out[i])
		}
	}
	return out
}

// split returns the less of a and b, and in lanes that have the bit the greater.
func split(s asm.Set, a, b row, bit int) row {
	out := make(row, len(a))
	for i := range a {
		switch {
		case s.Wide():
			out[i] = fresh(s)
			VMINPD(b[i], a[i], out[i])
			VMAXPD(b[i], a[i], upper[bit], out[i])
		case bit == 2:
			out[i] = fresh(s)
			if i == 0 {
				VMINPD(b[i], a[i], out[i])
			} else {
				VMAXPD(b[i], a[i], out[i])
			}
		default:
			less, greater := ordered(s, a[i], b[i])
			out[i] = fresh(s)
			VBLENDPD(U8([2]uint8{0xa, 0xc}[bit]), greater, less, out[i])
		}
	}
	return out
}

// within sorts what falls and rises within each group of 2<<top lanes of a row.
func within(s asm.Set, r row, top int) row {
	for bit := top; bit >= 0; bit-- {
		r = split(s, r, crossed(s, r, 1<<bit), bit)
	}
	return r
}

// crossLanes compares the first number of each group of so many lanes with its last and so on, and
// goes on within the rows.
func crossLanes(s asm.Set, lanes int) {
	top := map[int]int{2: 0, 4: 1, 8: 2}[lanes]
	TEXT(s.Name+map[int]string{2: "CrossTwo", 4: "CrossFour", 8: "CrossEight"}[lanes], NOSPLIT, "func(x *float64, rows int)")
	first, rows := asm.Argument("x"), asm.Argument("rows")
	last := GP64()
	SHLQ(U8(6), rows)
	LEAQ(Mem{Base: first, Index: rows, Scale: 1, Disp: -rowBytes}, last)
	laneMasks(s)
	Label("pair")
	a, b := loadRow(s, first), loadRow(s, last)
	c := split(s, a, crossed(s, b, lanes-1), top)
	d := split(s, b, crossed(s, a, lanes-1), top)
	storeRow(s, within(s, c, top-1), first)
	storeRow(s, within(s, d, top-1), last)
	ADDQ(U8(rowBytes), first)
	SUBQ(U8(rowBytes), last)
	CMPQ(first, last)
	JLT(LabelRef("pair"))
	asm.End()
}

// withinRows compares lanes of each row: four on, two on and one on.
func withinRows(s asm.Set) {
	TEXT(s.Name+"WithinRows", NOSPLIT, "func(x *float64, rows int)")
	x, rows := asm.Argument("x"), asm.Argument("rows")
	laneMasks(s)
	Label("row")
	storeRow(s, within(s, loadRow(s, x), 2), x)
	ADDQ(U8(rowBytes), x)
	DECQ(rows)
	JNZ(LabelRef("row"))
	asm.End()
}

// distanceKeys writes distances from a center with numbers from 0 on in the place of their last bits, a
// vector at a time.
func distanceKeys(s asm.Set) {
	first := GLOBL(s.Name+"numbers", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(uint64(i)))
	}
	DATA(64, U64(0x7fffffffffffffff))
	DATA(72, U64(uint64(s.Lanes)))
	TEXT(s.Name+"DistanceKeys", NOSPLIT, "func(dst, x *float64, n int, center float64, mask uint64)")
	dst, x, n := asm.Argument("dst"), asm.Argument("x"), asm.Argument("n")
	center, mask, number, more, v := fresh(s), fresh(s), fresh(s), fresh(s), fresh(s)
	asm.Everywhere("center", center)
	asm.Everywhere("mask", mask) // of the bits that stay, without that of the sign
	VBROADCASTSD(first.Offset(72), more)
	VMOVUPD(first.Offset(0), number)
	Label("next")
	VMOVUPD(Mem{Base: x}, v)
	VSUBPD(center, v, v)
	if s.Wide() {
		VPANDQ(mask, v, v)
		VPORQ(number, v, v)
		VPADDQ(more, number, number)
	} else {
		VPAND(mask, v, v)
		VPOR(number, v, v)
		VPADDQ(more, number, number)
	}
	VMOVUPD(v, Mem{Base: dst})
	ADDQ(U8(8*s.Lanes), x)
	ADDQ(U8(8*s.Lanes), dst)
	SUBQ(U8(s.Lanes), n)
	JNZ(LabelRef("next"))
	asm.End()
}

// extremes finds the least and the greatest number, of which there are two vectors or more.
func extremes(s asm.Set) {
	TEXT(s.Name+"Extremes", NOSPLIT, "func(x *float64, n int, least, greatest *float64)")
	x, n := asm.Argument("x"), asm.Argument("n")
	const at = 2 // once
	low, high := row{fresh(s), fresh(s)}, row{fresh(s), fresh(s)}
	load := func(i int) Mem { return Mem{Base: x, Disp: 8 * s.Lanes * i} }
	for i := range at {
		VMOVUPD(load(i), low[i])
		VMOVUPD(load(i), high[i])
	}
	Label("next")
	for i := range at {
		VMINPD(load(i), low[i], low[i])
		VMAXPD(load(i), high[i], high[i])
	}
	ADDQ(U8(8*s.Lanes*at), x)
	SUBQ(U8(s.Lanes*at), n)
	JNZ(LabelRef("next"))
	VMINPD(low[1], low[0], low[0])
	VMAXPD(high[1], high[0], high[0])
	VMOVUPD(low[0], Mem{Base: asm.Argument("least")})
	VMOVUPD(high[0], Mem{Base: asm.Argument("greatest")})
	asm.End()
}
