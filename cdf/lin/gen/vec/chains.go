package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/credence-stream/credence/cdf/lin/gen/asm"
)

// chains writes what is done with eight chains that lie beside each other, a lane each: every sum is
// one lane's, in the order of the rows.
func chains() {
	for _, s := range []asm.Set{asm.AVX512, asm.AVX2} {
		chainMoments(s)
		chainLags(s)
		chainLagsOn(s)
	}
}

// vectorsOf are as many sums as a row has vectors, at 0.
func vectorsOf(s asm.Set) row {
	var r row
	for range columnsOf(s) {
		v := fresh(s)
		s.Zero(v)
		r = append(r, v)
	}
	return r
}

// chainMoments finds means and variances: the mean of what rounding left of the sum is added
// to the means, and taken off the sums of squares.
func chainMoments(s asm.Set) {
	TEXT(s.Name+"ChainMoments", NOSPLIT, "func(x *float64, n int, count, less float64, mean, variance *float64)")
	begin, n := asm.Argument("x"), asm.Argument("n")
	x, left := GP64(), GP64()
	count, less := fresh(s), fresh(s)
	asm.Everywhere("count", count)
	asm.Everywhere("less", less)
	loop := func(label string, body func(i, c int)) {
		MOVQ(begin, x)
		MOVQ(n, left)
		Label(label)
		for i, c := range columnsOf(s) {
			body(i, c)
		}
		ADDQ(U8(rowBytes), x)
		DECQ(left)
		JNZ(LabelRef(label))
	}
	mean := vectorsOf(s)
	loop("sums", func(i, c int) { VADDPD(Mem{Base: x, Disp: c}, mean[i], mean[i]) })
	for _, m := range mean {
		VDIVPD(count, m, m)
	}
	squares, rest := vectorsOf(s), vectorsOf(s)
	loop("squares", func(i, c int) {
		d := fresh(s)
		VMOVUPD(Mem{Base: x, Disp: c}, d)
		VSUBPD(mean[i], d, d)
		VADDPD(d, rest[i], rest[i])
		VMULPD(d, d, d)
		VADDPD(d, squares[i], squares[i])
	})
	for i, r := range rest {
		q := fresh(s)
		VMULPD(r, r, q)
		VDIVPD(count, q, q)
		VSUBPD(q, squares[i], squares[i])
		VDIVPD(less, squares[i], squares[i])
		VDIVPD(count, r, r)
		VADDPD(r, mean[i], mean[i])
	}
	storeRow(s, mean, asm.Argument("mean"))
	storeRow(s, squares, asm.Argument("variance"))
	asm.End()
}

// chainLags centres four rows or more and sums products at the lags 0 to 3.
func chainLags(s asm.Set) {
	const lags = 4
	TEXT(s.Name+"ChainLags", NOSPLIT, "func(x *float64, n int, mean, sums *float64)")
	begin, n, means, to := asm.Argument("x"), asm.Argument("n"), asm.Argument("mean"), asm.Argument("sums")
	x, left := GP64(), GP64()
	for i, c := range columnsOf(s) {
		label := [2]string{"first", "second"}[i]
		mean := fresh(s)
		VMOVUPD(Mem{Base: means, Disp: c}, mean)
		var sum [lags]reg.VecVirtual
		for k := range sum {
			sum[k] = vectorsOf(s)[0]
		}
		centred := func(k int) reg.VecVirtual { // the number k rows on, which is stored
			v := fresh(s)
			VMOVUPD(Mem{Base: x, Disp: rowBytes*k + c}, v)
			VSUBPD(mean, v, v)
			VMOVUPD(v, Mem{Base: x, Disp: rowBytes*k + c})
			return v
		}
		add := func(k int, v, w reg.VecVirtual) {
			product := fresh(s)
			VMULPD(v, w, product)
			VADDPD(product, sum[k], sum[k])
		}
		MOVQ(begin, x)
		MOVQ(n, left)
		SUBQ(U8(lags-1), left)
		window := []reg.VecVirtual{centred(0), centred(1), centred(2)}
		Label(label)
		next := centred(3)
		add(0, window[0], window[0])
		add(1, window[1], window[0])
		add(2, window[2], window[0])
		add(3, next, window[0])
		VMOVAPD(window[1], window[0])
		VMOVAPD(window[2], window[1])
		VMOVAPD(next, window[2])
		ADDQ(U8(rowBytes), x)
		DECQ(left)
		JNZ(LabelRef(label))
		add(0, window[0], window[0]) // three are left
		add(1, window[1], window[0])
		add(2, window[2], window[0])
		add(0, window[1], window[1])
		add(1, window[2], window[1])
		add(0, window[2], window[2])
		for k := range sum {
			VMOVUPD(sum[k], Mem{Base: to, Disp: rowBytes*k + c})
		}
	}
	asm.End()
}

// chainLagsOn sums products of centred chains at a lag and the next, n those at the next.
func chainLagsOn(s asm.Set) {
	TEXT(s.Name+"ChainLagsOn", NOSPLIT, "func(x, later *float64, n int, sums *float64)")
	x, later, n, to := asm.Argument("x"), asm.Argument("later"), asm.Argument("n"), asm.Argument("sums")
	at, next := vectorsOf(s), vectorsOf(s)
	add := func(sum row, displaced int) {
		for i, v := range loadRow(s, x) {
			VMULPD(Mem{Base: later, Disp: displaced + columnsOf(s)[i]}, v, v)
			VADDPD(v, sum[i], sum[i])
		}
	}
	Label("next")
	add(at, 0)
	add(next, rowBytes)
	ADDQ(U8(rowBytes), x)
	ADDQ(U8(rowBytes), later)
	DECQ(n)
	JNZ(LabelRef("next"))
	add(at, 0)
	storeRow(s, at, to)
	ADDQ(U8(rowBytes), to)
	storeRow(s, next, to)
	asm.End()
}
