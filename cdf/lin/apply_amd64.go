//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// application is what reflections are applied to, as the assembly takes it. Strides are in
// bytes.
type application struct {
	v     *float64 // the panel of the reflections, as avx512Reduce leaves it
	rows  int
	a     *float64 // the first panel they are applied to
	apart int
	head  *float64
	minus *float64
	r     *float64 // the first row of the factor
	step  int      // to its next row, whence it is 8 less
	bits  uint64   // of the columns in the last panel
}

// They apply eight reflections to one, two or three panels.
//
//go:noescape
func avx512Apply1(p *application)

//go:noescape
func avx512Apply2(p *application)

//go:noescape
func avx512Apply3(p *application)

// They do so where the last panel has four columns at most, half of a vector: with n = 52 UpdateQR takes 0.9 of the time, a shard of
// linear of 50 columns 0.97 with 100 rows and 0.96 with 1,000, in turns on an EPYC (Zen 4).
//
//go:noescape
func avx512Apply1Half(p *application)

//go:noescape
func avx512Apply2Half(p *application)

//go:noescape
func avx512Apply3Half(p *application)

// part is what reflections are applied to by AVX2: up to three vectors of columns. Strides are in bytes.
type part struct {
	v     *float64 // the panel of the reflections, as avx2Reduce leaves it
	rows  int
	a     [3]*float64 // where each vector begins
	head  *float64
	minus *float64
	r     *float64 // the first row of the factor
	step  int      // to its next row, whence it is 8 less
	room  *float64
	mask  [4]int64 // of the columns in the last vector
}

//go:noescape
func avx2Apply1(p *part)

//go:noescape
func avx2Apply2(p *part)

//go:noescape
func avx2Apply3(p *part)

// applyParts is applyVectors by AVX2, whose registers hold the sums of some of the reflections at a time.
func (h *reflections) applyParts(r []float64, n, j, k int, x, a []float64, m, apart int) (done int) {
	const lanes, most = 4, 3
	done = min(most*panelCols, n-j-k)
	vectors, first := (done+lanes-1)/lanes, PackedRow(n, j)+k
	// Assembly knows no bounds.
	_, _, _ = x[m*panelCols-1], a[(panels(done)-1)*apart+m*panelCols-1], r[PackedRow(n, j+panelCols-1)+k-panelCols+done]
	p := part{v: &x[0], rows: m, head: &h.head[0], minus: &h.minus[0], room: &h.sums[0]}
	isa.Mask(p.mask[:], lanes)
	for at := 0; at < vectors; at += most {
		count := min(most, vectors-at)
		for q := range count {
			p.a[q] = &a[(at+q)*lanes/panelCols*apart+(at+q)*lanes%panelCols]
		}
		p.r, p.step = &r[first+at*lanes], 8*(n-j-1)
		if at+count == vectors {
			isa.Mask(p.mask[:], done-(vectors-1)*lanes)
		}
		switch count {
		case 1:
			avx2Apply1(&p)
		case 2:
			avx2Apply2(&p)
		default:
			avx2Apply3(&p)
		}
	}
	return done
}

// applyVectors is apply for up to three panels. It returns how many columns it is done with, 0 without
// vectors.
func (h *reflections) applyVectors(r []float64, n, j, k int, x, a []float64, m, apart int) (done int) {
	switch with {
	case isa.Portable:
		return 0
	case isa.AVX2:
		return h.applyParts(r, n, j, k, x, a, m, apart)
	}
	done = min(3*panelCols, n-j-k)
	vectors, first := panels(done), PackedRow(n, j)+k
	last := done - (vectors-1)*panelCols
	// Assembly knows no bounds.
	_, _, _ = x[m*panelCols-1], a[(vectors-1)*apart+m*panelCols-1], r[PackedRow(n, j+panelCols-1)+k-panelCols+done]
	p := application{
		v: &x[0], rows: m, a: &a[0], apart: 8 * apart, head: &h.head[0], minus: &h.minus[0],
		r: &r[first], step: 8 * (n - j - 1), bits: 1<<last - 1,
	}
	half := last <= panelCols/2
	switch {
	case vectors == 1 && half:
		avx512Apply1Half(&p)
	case vectors == 1:
		avx512Apply1(&p)
	case vectors == 2 && half:
		avx512Apply2Half(&p)
	case vectors == 2:
		avx512Apply2(&p)
	case half:
		avx512Apply3Half(&p)
	default:
		avx512Apply3(&p)
	}
	return done
}
