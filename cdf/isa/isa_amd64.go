//go:build !purego

package isa

import "golang.org/x/sys/cpu"

// Best is the widest set of instructions that the processor and the system have.
// GODEBUG=cpu.avx512f=off and cpu.avx2=off take them away.
func Best() Set {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return AVX512
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return AVX2
	}
	return Portable
}
