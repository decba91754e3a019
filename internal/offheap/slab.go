//go:build !race

package offheap

// newSlab returns n bytes.
func newSlab(n int) *Block { return New(n) }
