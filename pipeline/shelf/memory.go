package shelf

import "sync/atomic"

// mapped is what all shelves of the process have.
var mapped atomic.Int64

// Mapped returns the bytes that all shelves of the process have outside the heap: Go's
// runtime does not count them.
func Mapped() int64 { return mapped.Load() }
