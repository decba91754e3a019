//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// reduction is what assembly works on. Strides are in bytes.
type reduction struct {
	b       *float64 // the panel, which comes by rows
	fours   int
	r       *float64 // the first row of the factor, at the panel's first column
	step    int      // to the next one, whence it is 8 less
	columns int
	bits    uint64 // of the panel's columns
	head    *[panelCols]float64
	dot     *[panelCols]float64
	minus   *[panelCols * panelCols]float64 // nil: nothing is right of the panel
	mask    [panelCols]int64                // of AVX2, as bits
}

//go:noescape
func avx512Reduce(p *reduction)

//go:noescape
func avx2Reduce(p *reduction)

// reduceVectors is reduce in one call. It reports false where it is not written for the instructions there are.
func (h *reflections) reduceVectors(r []float64, n, j, w, columns int, b []float64, m int) bool {
	if with == isa.Portable {
		return false
	}
	fours := (m + 3) / 4
	// Assembly knows no bounds.
	_, _ = b[4*fours*panelCols-1], r[PackedRow(n, j+columns-1)+w-columns]
	p := reduction{
		b: &b[0], fours: fours, r: &r[PackedRow(n, j)], step: 8 * (n - j - 1), columns: columns, bits: 1<<w - 1,
		head: &h.head, dot: &h.dot,
	}
	if j+w < n {
		p.minus = &h.minus
	}
	if with == isa.AVX512 {
		avx512Reduce(&p)
	} else {
		isa.Mask(p.mask[:], w)
		avx2Reduce(&p)
	}
	return true
}

// fewColumns is a pass over columns of few, as the assembly takes it.
type fewColumns struct {
	b       *float64
	fours   int
	by, dot *[fewMost]float64
	columns int
}

//go:noescape
func avx2FewDots(p *fewColumns)

//go:noescape
func avx2FewReflect(p *fewColumns)

// fewDots is fewDotRows.
func fewDots(columns, fours int, b []float64, dot *[fewMost]float64) {
	if with == isa.Portable {
		fewDotRows(columns, fours, b, dot)
		return
	}
	_ = b[(columns-1)*PanelRows+4*fours-1] // assembly knows no bounds
	avx2FewDots(&fewColumns{b: &b[0], fours: fours, dot: dot, columns: columns})
}

// fewReflect is fewReflectRows.
func fewReflect(columns, fours int, b []float64, by, dot *[fewMost]float64) {
	if with == isa.Portable {
		fewReflectRows(columns, fours, b, by, dot)
		return
	}
	_ = b[columns*PanelRows+4*fours-1] // assembly knows no bounds
	avx2FewReflect(&fewColumns{b: &b[0], fours: fours, by: by, dot: dot, columns: columns})
}

// puts is what assembly puts into panels.
type puts struct {
	x, y  *float64
	whole int    // panels before the last
	bits  uint64 // of what is left of a row in the last
	last  uint64 // of y there
	b     *float64
	apart int // of the panels, in bytes
	rows  int
	step  int              // what is left of a row, in bytes
	lefts [panelCols]int64 // bits and last as AVX2 has them
	lasts [panelCols]int64
}

//go:noescape
func avx512PutRows(p *puts)

//go:noescape
func avx2PutRows(p *puts)

// putVectors is PutRows of a panel's columns or more. It reports false where it is not written for the instructions there are.
//
// It replaces rows put one by one: 0.3 of the time for 10 rows of 51 columns, 0.6 for 100 and 1,000, 0.82 to 0.93 of 501, in turns on a
// Xeon beside other work. UpdateQR with it takes 0.94, 0.92 and 0.94, with AVX2 0.95, 0.93 and 0.93, 0.79 for 100 rows of 21.
func putVectors(b, x, y []float64, n int) bool {
	if with == isa.Portable {
		return false
	}
	const most = 1 << 16 // numbers of a call, which takes less than 100 us: assembly is not preempted
	whole, left := n/panelCols, n%panelCols
	p := puts{whole: whole, bits: 1<<left - 1, last: 1 << left, apart: 8 * panelLen, step: 8 * left}
	isa.Mask(p.lefts[:], left)
	p.lasts[left] = -1
	for i := 0; i < len(y); i += p.rows {
		p.rows = min(len(y)-i, max(most/n, 1))
		_, _ = x[(i+p.rows)*n-1], b[whole*panelLen+(i+p.rows)*panelCols-1] // assembly knows no bounds
		p.x, p.y, p.b = &x[i*n], &y[i], &b[i*panelCols]
		if with == isa.AVX512 {
			avx512PutRows(&p)
		} else {
			avx2PutRows(&p)
		}
	}
	return true
}
