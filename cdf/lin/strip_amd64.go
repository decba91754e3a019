//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

//go:generate go run -C gen ./lin -out ../strip_amd64.s

// panel is a strip of up to three vectors, as the assembly takes it. Strides are
// in bytes.
type panel struct {
	a          *float64
	row, deep  int
	b          *float64
	bs         int
	c          *float64
	cs         int
	rows, over int
	bits       uint64     // of the columns in the last vector, for AVX-512
	mask       [4]int64   // the same for AVX2
	_          [3]uintptr // of the assembly
	sets       bool
}

// They add AB to c, in one, two or three vectors of columns.
//
//go:noescape
func avx512x1(p *panel)

//go:noescape
func avx512x2(p *panel)

//go:noescape
func avx512x3(p *panel)

//go:noescape
func avx2x1(p *panel)

//go:noescape
func avx2x2(p *panel)

//go:noescape
func avx2x3(p *panel)

// They do so where the last vector is whole.
//
//go:noescape
func avx2x1Whole(p *panel)

//go:noescape
func avx2x2Whole(p *panel)

//go:noescape
func avx2x3Whole(p *panel)

// strip adds AB to c, rows x cols, over the depth.
func strip(rows, cols, deep int, a factor, b []float64, bs int, c []float64, cs int) {
	if with == isa.Portable {
		portableStrip(rows, cols, deep, a, b, bs, c, cs)
		return
	}
	// Assembly knows no bounds.
	_, _, _ = a.x[(rows-1)*a.row+(deep-1)*a.deep], b[(deep-1)*bs+cols-1], c[(rows-1)*cs+cols-1]
	lanes := with.Lanes()
	p := panel{a: &a.x[0], row: 8 * a.row, deep: 8 * a.deep, bs: 8 * bs, cs: 8 * cs, rows: rows, over: deep, sets: a.sets}
	for j := 0; j < cols; {
		vectors := (cols - j + lanes - 1) / lanes
		switch {
		case vectors == 4:
			vectors = 2 // and two again: a single one would meet too few rows at once
		case vectors > 3:
			vectors = 3
		}
		last := min(cols-j-(vectors-1)*lanes, lanes)
		p.b, p.c, p.bits = &b[j], &c[j], 1<<last-1
		if half := vectors == 1 && last <= isa.AVX2.Lanes(); with == isa.AVX512 && !half {
			switch vectors {
			case 1:
				avx512x1(&p)
			case 2:
				avx512x2(&p)
			default:
				avx512x3(&p)
			}
		} else {
			isa.Mask(p.mask[:], last)
			switch whole := last == isa.AVX2.Lanes(); {
			case vectors == 1 && whole:
				avx2x1Whole(&p)
			case vectors == 1:
				avx2x1(&p)
			case vectors == 2 && whole:
				avx2x2Whole(&p)
			case vectors == 2:
				avx2x2(&p)
			case whole:
				avx2x3Whole(&p)
			default:
				avx2x3(&p)
			}
		}
		j += vectors * lanes
	}
}
