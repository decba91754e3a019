// Package isa says which vector instructions there are. Kernels give the same bits with
// all of them.
package isa

// Set is a set of instructions, each part of the next.
type Set int

// The sets that kernels are written for; Portable is Go.
const (
	Portable Set = iota
	AVX2         // with FMA
	AVX512       // its foundation
)

func (s Set) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[s] }
