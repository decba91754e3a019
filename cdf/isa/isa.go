// Package isa says which vector instructions there are. Kernels give the same bits with
// all of them.
package isa

// Set is a set of instructions, each part of the next.
type Set int

// The sets that kernels are written for; Portable is Go.
const (
	Portable Set = iota
	AVX2         // with FMA
	AVX512       // its foundation, with DQ and VL
)

// Lanes is how many numbers a vector has.
func (s Set) Lanes() int { return [...]int{1, 4, 8}[s] }

func (s Set) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[s] }

// Mask masks the first n lanes, as AVX2 wants it.
func Mask(mask []int64, n int) {
	for i := range mask {
		mask[i] = int64(i-n) >> 63
	}
}
