//go:build !purego

package lin

import (
	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/cdf/vec"
)

// across is Spread of up to three vectors of rows side by side, as the assembly takes it. The stride is in
// bytes.
type across struct {
	w              *float64
	stride         int
	x, b           *float64
	dot, square    *float64
	first, several int // columns of W that come one by one, and in vectors, before the last but one of a vector
	n              int
}

//go:noescape
func avx512Spread1(p *across)

//go:noescape
func avx512Spread2(p *across)

//go:noescape
func avx512Spread3(p *across)

//go:noescape
func avx2Spread1(p *across)

//go:noescape
func avx2Spread2(p *across)

//go:noescape
func avx2Spread3(p *across)

// farMost is up to how many columns W stays in the second cache.
const farMost = 504

// spreadVectors is Spread with the vectors across rows: of each column of W no more than a vector's numbers are
// multiplied that are 0. It reports whether it did.
func spreadVectors(m, n int, x, w, b, dot, square []float64) bool {
	lanes := with.Lanes()
	room := n * lanes * min((m+lanes-1)/lanes, 3)
	switch { // the less room, the less to clear
	case with == isa.Portable || n > farMost:
		return false
	case m == 0:
	case n <= fewMost:
		spreadFew(m, n, x, w, b, dot, square)
	case n < lanes-1:
		return false
	case room <= smallRoom:
		var columns [smallRoom]float64
		spreadSides(m, n, x, w, b, dot, square, columns[:])
	case room <= 2*smallRoom:
		var columns [2 * smallRoom]float64
		spreadSides(m, n, x, w, b, dot, square, columns[:])
	case room <= 6*smallRoom:
		var columns [6 * smallRoom]float64
		spreadSides(m, n, x, w, b, dot, square, columns[:])
	default:
		spreadFar(m, n, x, w, b, dot, square)
	}
	return true
}

// smallRoom is that of as many columns as a strip has, by AVX-512.
const smallRoom = stripCols * stripCols

// spreadFar has room for many columns, apart, so that others who spread need no such stack.
//
//go:noinline
func spreadFar(m, n int, x, w, b, dot, square []float64) {
	var columns [farMost * stripCols]float64
	spreadSides(m, n, x, w, b, dot, square, columns[:])
}

// spreadSides takes as many rows side by side as a strip has columns, in the given room.
func spreadSides(m, n int, x, w, b, dot, square, columns []float64) {
	var ends [2 * stripCols]float64
	_, _, _, _ = w[n*n-1], b[n-1], dot[m-1], square[m-1] // assembly knows no bounds
	lanes := with.Lanes()
	p := across{w: &w[0], stride: 8 * n, x: &columns[0], b: &b[0], first: (n + 1) % lanes, several: (n + 1 - lanes) / lanes, n: n}
	for from := 0; from < m; from += 3 * lanes {
		h := min(m-from, 3*lanes)
		vectors := (h + lanes - 1) / lanes
		vec.Transpose(h, n, x[from*n:], n, columns, lanes*vectors)
		p.dot, p.square = &dot[from], &square[from]
		if h < lanes*vectors {
			p.dot, p.square = &ends[0], &ends[stripCols]
		}
		switch wide := with == isa.AVX512; {
		case wide && vectors == 1:
			avx512Spread1(&p)
		case wide && vectors == 2:
			avx512Spread2(&p)
		case wide:
			avx512Spread3(&p)
		case vectors == 1:
			avx2Spread1(&p)
		case vectors == 2:
			avx2Spread2(&p)
		default:
			avx2Spread3(&p)
		}
		if h < lanes*vectors {
			copy(dot[from:m], ends[:])
			copy(square[from:m], ends[stripCols:])
		}
	}
}

// fewAcross is Spread of few columns, as the assembly takes it.
type fewAcross struct {
	w, b, x     *float64
	dot, square *float64
	vectors     int // the last of which may be fewer rows
	columns     int
	bits        uint64 // of these rows, with AVX-512
}

//go:noescape
func avx512FewSpread(p *fewAcross)

//go:noescape
func avx2FewSpread(p *fewAcross)

// spreadFew is Spread of up to eight columns.
func spreadFew(m, n int, x, w, b, dot, square []float64) {
	const rows = 64 // side by side
	var columns [fewMost * rows]float64
	var ends [2 * rows]float64
	_, _, _, _ = w[n*n-1], b[n-1], dot[m-1], square[m-1] // assembly knows no bounds
	lanes := with.Lanes()
	for from := 0; from < m; from += rows {
		h := min(m-from, rows)
		vec.Transpose(h, n, x[from*n:], n, columns[:], rows)
		p := fewAcross{w: &w[0], b: &b[0], x: &columns[0], dot: &dot[from], square: &square[from], vectors: (h + lanes - 1) / lanes, columns: n}
		switch {
		case with == isa.AVX512:
			p.bits = 1<<(h-lanes*(p.vectors-1)) - 1
			avx512FewSpread(&p)
		case h%lanes == 0:
			avx2FewSpread(&p)
		default:
			p.dot, p.square = &ends[0], &ends[rows]
			avx2FewSpread(&p)
			copy(dot[from:m], ends[:])
			copy(square[from:m], ends[rows:])
		}
	}
}
