//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx512SortRows(x *float64, blocks int)

//go:noescape
func avx512CleanRows(x *float64, blocks int)

//go:noescape
func avx512FlipRows(x *float64, groups, size int)

//go:noescape
func avx512DistantRows(x *float64, groups, d int)

//go:noescape
func avx512CrossTwo(x *float64, rows int)

//go:noescape
func avx512CrossFour(x *float64, rows int)

//go:noescape
func avx512CrossEight(x *float64, rows int)

//go:noescape
func avx512WithinRows(x *float64, rows int)

//go:noescape
func avx2SortRows(x *float64, blocks int)

//go:noescape
func avx2CleanRows(x *float64, blocks int)

//go:noescape
func avx2FlipRows(x *float64, groups, size int)

//go:noescape
func avx2DistantRows(x *float64, groups, d int)

//go:noescape
func avx2CrossTwo(x *float64, rows int)

//go:noescape
func avx2CrossFour(x *float64, rows int)

//go:noescape
func avx2CrossEight(x *float64, rows int)

//go:noescape
func avx2WithinRows(x *float64, rows int)

// steps are those of a network by one set of instructions.
type steps struct {
	block                int // rows that are sorted in registers
	sortRows, cleanRows  func(x *float64, blocks int)
	flipRows, distant    func(x *float64, groups, size int)
	two, four, eight, in func(x *float64, rows int)
}

var wideSteps, narrowSteps = steps{
	16, avx512SortRows, avx512CleanRows, avx512FlipRows, avx512DistantRows,
	avx512CrossTwo, avx512CrossFour, avx512CrossEight, avx512WithinRows,
}, steps{
	8, avx2SortRows, avx2CleanRows, avx2FlipRows, avx2DistantRows,
	avx2CrossTwo, avx2CrossFour, avx2CrossEight, avx2WithinRows,
}

// network sorts numbers in rows of eight, of which number r of lane l is the one at
// l*rows + r. In bitonic order they only have to be merged.
func network(x []float64, bitonic bool) bool {
	n := len(x)
	if with == isa.Portable || n < LeastNetwork || n > MostNetwork || n&(n-1) != 0 {
		return false
	}
	s, rows := &narrowSteps, n/8
	if with == isa.AVX512 {
		s = &wideSteps
	}
	if bitonic {
		s.in(&x[0], rows)
		s.clean(x, rows, rows/2)
		return true
	}
	s.sortRows(&x[0], rows/s.block)
	for size := 2 * s.block; size <= rows; size *= 2 {
		s.flipRows(&x[0], rows/size, size)
		s.clean(x, rows, size/4)
	}
	for _, across := range [...]func(x *float64, rows int){s.two, s.four, s.eight} {
		across(&x[0], rows)
		s.clean(x, rows, rows/2)
	}
	return true
}

// clean sorts groups of 2d rows in each lane, which first fall and then rise or the
// other way round.
func (s *steps) clean(x []float64, rows, d int) {
	for ; d >= s.block; d /= 4 {
		s.distant(&x[0], rows/(2*d), d)
	}
	s.cleanRows(&x[0], rows/s.block)
}
