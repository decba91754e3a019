//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

// bounded is what AddBounded is given, of as many columns as a vector has, as the assembly takes it.
// The stride is in bytes.
type bounded struct {
	a                  *float64
	stride             int
	rows               *int32
	count              int
	mean, sum, squares *float64
	most, least        float64
	bits               uint64   // of the columns, for AVX-512
	mask               [4]int64 // the same for AVX2
}

//go:noescape
func avx512AddBounded(p *bounded)

//go:noescape
func avx2AddBounded(p *bounded)

// addBoundedVectors reports whether it has added all: not without vectors.
func addBoundedVectors(a []float64, stride int, rows []int32, mean, sum, squares []float64, far float64) bool {
	if with == isa.Portable {
		return false
	}
	top := uint32(0)
	for _, row := range rows {
		top = max(top, uint32(row))
	}
	_ = a[int(top)*stride+len(mean)-1] // assembly knows no bounds
	p := bounded{stride: 8 * stride, most: far, least: -far}
	for k := 0; k < len(mean); k += with.Lanes() {
		n := min(len(mean)-k, with.Lanes())
		p.mean, p.sum, p.squares, p.bits = &mean[k], &sum[k], &squares[k], 1<<n-1
		isa.Mask(p.mask[:], n)
		for from := 0; from < len(rows); from += most {
			p.a, p.rows, p.count = &a[k], &rows[from], min(len(rows)-from, most)
			if with == isa.AVX512 {
				avx512AddBounded(&p)
			} else {
				avx2AddBounded(&p)
			}
		}
	}
	return true
}
