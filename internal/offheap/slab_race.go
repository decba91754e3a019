//go:build race

package offheap

// newSlab returns n bytes of the heap: the race detector sees no other memory, and pools are what
// several goroutines use.
func newSlab(n int) *Block { return &Block{Bytes: make([]byte, n)} }
