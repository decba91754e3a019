//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// fours are groups of four rows of a triangle, as the assembly takes them. Step and less are in bytes.
type fours struct {
	a          *float64
	step, less int
	x, y       *float64
	quads      int // bytes of the vectors that all rows of the first group have, behind its first three columns
	rest       int // entries behind these, the same in all groups
	count      int
	mask       [4]int64 // of the rest
}

//go:noescape
func avx2RowDots(p *fours)

//go:noescape
func avx2RowSquares(p *fours)

//go:noescape
func avx2ColumnSums(p *fours)

//go:noescape
func avx2ColumnSquares(p *fours)

// vectors returns how many rows it is done with.
func (t Triangle) vectors(do sums, x, y []float64) (done int) {
	const most = 1 << 16 // entries of a call, which takes less than 100 us: assembly is not preempted
	if with == isa.Portable || t.n < shortest {
		return 0
	}
	// Assembly knows no bounds.
	_, _ = t.row(t.n - 1)[0], y[t.n-1]
	p := fours{less: 8 * t.less}
	for t.n-done >= 4 {
		left := t.n - done
		count := min(left/4, max(most/(4*left), 1))
		p.a, p.step, p.y = &t.row(done)[0], 8*(t.step-done*t.less), &y[done]
		p.quads, p.rest, p.count = (left-3)/4*32, (left-3)%4, count
		if do != rowSquares {
			p.x = &x[done:t.n][0]
		}
		switch do {
		case rowDots:
			avx2RowDots(&p)
		case rowSquares:
			avx2RowSquares(&p)
		case columnSums:
			isa.Mask(p.mask[:], p.rest)
			avx2ColumnSums(&p)
		case columnSquares:
			isa.Mask(p.mask[:], p.rest)
			avx2ColumnSquares(&p)
		}
		done += 4 * count
	}
	return done
}

// scaled is a triangle whose columns are multiplied, as the assembly takes it. Step and less are in bytes.
type scaled struct {
	dst, src, x *float64
	step, less  int
	columns     int // of the first row
	rows        int
}

//go:noescape
func avx512ScaleColumns(p *scaled)

// scaleVectors is ScaleColumns. It reports false where it is not written for the instructions there are.
func (t Triangle) scaleVectors(x []float64, dst Triangle) bool {
	const most = 1 << 16 // entries of a call, which takes less than 100 us: assembly is not preempted
	if with != isa.AVX512 {
		return false
	}
	// Assembly knows no bounds.
	_, _, _ = t.row(t.n - 1)[0], dst.row(t.n - 1)[0], x[t.n-1]
	for done := 0; done < t.n; {
		left := t.n - done
		p := scaled{
			dst: &dst.row(done)[0], src: &t.row(done)[0], x: &x[done], step: 8 * (t.step - done*t.less), less: 8 * t.less,
			columns: left, rows: min(left, max(most/left, 1)),
		}
		avx512ScaleColumns(&p)
		done += p.rows
	}
	return true
}
