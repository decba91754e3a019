//go:build !purego

package lin

import (
	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/cdf/vec"
)

// across is Spread of up to three vectors of rows side by side, as the assembly takes it. The stride is in
// bytes.
type across struct {
	w             *float64
	stride        int
	x, b          *float64
	dot, square   *float64
	first, eights int // columns of W that come one by one, and in eights, before the last seven
	n             int
}

//go:noescape
func avx512Spread1(p *across)

//go:noescape
func avx512Spread2(p *across)

//go:noescape
func avx512Spread3(p *across)

// acrossMost is up to how many columns the rows side by side stay in the first cache, farMost up to how many W stays in the second.
const acrossMost, farMost = 128, 504

// spreadVectors is Spread with the vectors across rows: of each column of W no more than eight are
// multiplied that are 0. It reports whether it did.
func spreadVectors(m, n int, x, w, b, dot, square []float64) bool {
	switch {
	case with != isa.AVX512 || n > farMost:
		return false
	case m == 0:
	case n <= fewMost:
		spreadFew(m, n, x, w, b, dot, square)
	case n <= stripCols: // less to clear
		var columns [stripCols * stripCols]float64
		spreadSides(m, n, x, w, b, dot, square, columns[:])
	case n <= acrossMost && m <= panelCols:
		var columns [acrossMost * panelCols]float64
		spreadSides(m, n, x, w, b, dot, square, columns[:])
	case n <= acrossMost:
		var columns [acrossMost * stripCols]float64
		spreadSides(m, n, x, w, b, dot, square, columns[:])
	default:
		spreadFar(m, n, x, w, b, dot, square)
	}
	return true
}

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
	p := across{w: &w[0], stride: 8 * n, x: &columns[0], b: &b[0], first: (n - 7) % 8, eights: (n - 7) / 8, n: n}
	for from := 0; from < m; from += stripCols {
		h := min(m-from, stripCols)
		vectors := (h + 7) / 8
		vec.Transpose(h, n, x[from*n:], n, columns, 8*vectors)
		p.dot, p.square = &dot[from], &square[from]
		if h < 8*vectors {
			p.dot, p.square = &ends[0], &ends[stripCols]
		}
		switch vectors {
		case 1:
			avx512Spread1(&p)
		case 2:
			avx512Spread2(&p)
		default:
			avx512Spread3(&p)
		}
		if h < 8*vectors {
			copy(dot[from:m], ends[:])
			copy(square[from:m], ends[stripCols:])
		}
	}
}

// fewAcross is Spread of few columns, as the assembly takes it.
type fewAcross struct {
	w, b, x     *float64
	dot, square *float64
	eights      int // the last of which may be fewer rows
	columns     int
	bits        uint64 // of these rows
}

//go:noescape
func avx512FewSpread(p *fewAcross)

// spreadFew is Spread of up to eight columns.
func spreadFew(m, n int, x, w, b, dot, square []float64) {
	const rows = 64 // side by side
	var columns [fewMost * rows]float64
	_, _, _, _ = w[n*n-1], b[n-1], dot[m-1], square[m-1] // assembly knows no bounds
	for from := 0; from < m; from += rows {
		h := min(m-from, rows)
		vec.Transpose(h, n, x[from*n:], n, columns[:], rows)
		eights := (h + 7) / 8
		avx512FewSpread(&fewAcross{
			w: &w[0], b: &b[0], x: &columns[0], dot: &dot[from], square: &square[from],
			eights: eights, columns: n, bits: 1<<(h-8*(eights-1)) - 1,
		})
	}
}
