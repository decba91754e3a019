//go:build !amd64 || purego

package isa

// Best is the widest set of instructions that the processor and the system have.
func Best() Set { return Portable }
