package offheap

import (
	"runtime"
	"sync/atomic"
)

// mapped is what all blocks of the process have.
var mapped atomic.Int64

// Mapped returns the bytes that all blocks of the process have outside the heap: Go's
// runtime does not count them.
func Mapped() int64 { return mapped.Load() }

// Block is memory that the collector does not know, of zeroes in the beginning. It goes back
// to the system by Release, or some time after the block became unreachable. No slice of it
// keeps it: who holds one holds the block as well.
type Block struct {
	Bytes   []byte // nil after Release
	dropped runtime.Cleanup
}

// New returns n bytes.
func New(n int) *Block {
	b := &Block{Bytes: obtain(n)}
	b.dropped = runtime.AddCleanup(b, giveBack, b.Bytes)
	return b
}

// Release gives the memory back at once. Whoever uses the block afterwards panics.
func (b *Block) Release() {
	b.dropped.Stop()
	giveBack(b.Bytes)
	b.Bytes = nil
}
