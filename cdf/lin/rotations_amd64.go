//go:build !purego

package lin

import "github.com/credence-stream/credence/cdf/isa"

// rotations are those of some columns, as the assembly takes them: from the last row
// up. The stride is in bytes.
type rotations struct {
	z      *float64
	stride int
	c, s   *float64
	count  int
	bits   uint64   // of the columns in the last vector, for AVX-512
	mask   [4]int64 // the same for AVX2
}

//go:noescape
func avx512Rotate8(p *rotations)

//go:noescape
func avx512Rotate4(p *rotations)

//go:noescape
func avx512Rotate2(p *rotations)

//go:noescape
func avx512Rotate1(p *rotations)

//go:noescape
func avx2Rotate4(p *rotations)

//go:noescape
func avx2Rotate2(p *rotations)

//go:noescape
func avx2Rotate1(p *rotations)

// rotate applies the rotations to all columns, as many vectors at a time as there are.
func rotate(n, lo, m int, z, c, s []float64) {
	if with == isa.Portable {
		rotateEach(n, lo, m, z, c, s)
		return
	}
	// Assembly knows no bounds.
	_, _, _, _ = z[(m+1)*n-1], z[lo*n], c[m-1], s[m-1]
	p := rotations{stride: 8 * n, c: &c[m-1], s: &s[m-1], count: m - lo}
	for j := 0; j < n; {
		p.z = &z[m*n+j]
		if with == isa.AVX512 {
			j += p.wide(n - j)
		} else {
			j += p.narrow(n - j)
		}
	}
}

// wide rotates up to 64 columns and returns how many.
func (p *rotations) wide(columns int) int {
	vectors := (columns + 7) / 8
	switch {
	case vectors >= 8:
		vectors = 8
	case vectors >= 4:
		vectors = 4
	case vectors == 3:
		vectors = 2
	}
	here := min(columns, 8*vectors)
	p.bits = 1<<(here-8*(vectors-1)) - 1
	switch vectors {
	case 8:
		avx512Rotate8(p)
	case 4:
		avx512Rotate4(p)
	case 2:
		avx512Rotate2(p)
	default:
		avx512Rotate1(p)
	}
	return here
}

// narrow is wide of AVX2, for up to 16 columns.
func (p *rotations) narrow(columns int) int {
	vectors := (columns + 3) / 4
	switch {
	case vectors >= 4:
		vectors = 4
	case vectors == 3:
		vectors = 2
	}
	here := min(columns, 4*vectors)
	isa.Mask(p.mask[:], here-4*(vectors-1))
	switch vectors {
	case 4:
		avx2Rotate4(p)
	case 2:
		avx2Rotate2(p)
	default:
		avx2Rotate1(p)
	}
	return here
}
