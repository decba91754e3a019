package pipeline

import (
	"context"
	"sync/atomic"
)

// Budget bounds the bytes of records and outputs held at once by all
// partitions of a process. Only fetching waits for it: what grows afterwards
// (decompression, outputs) is added as debt without waiting, so that a lane or
// a barrier never waits for memory that only its own progress can free.
type Budget struct {
	limit int64
	used  atomic.Int64
	freed chan struct{}
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, freed: make(chan struct{}, 1)}
}

// Acquire takes n bytes, waiting while the total is above the limit. One
// request is always let through when nothing is held.
func (b *Budget) Acquire(ctx context.Context, n int64) error {
	for {
		used := b.used.Load()
		if used <= 0 || used+n <= b.limit {
			if b.used.CompareAndSwap(used, used+n) {
				b.wake() // there may be room for the next one too
				return nil
			}
			continue
		}
		select {
		case <-b.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Add takes n bytes without waiting; n may be negative.
func (b *Budget) Add(n int64) {
	b.used.Add(n)
	if n < 0 {
		b.wake()
	}
}

// Used returns the bytes held.
func (b *Budget) Used() int64 { return b.used.Load() }

func (b *Budget) wake() {
	select {
	case b.freed <- struct{}{}:
	default:
	}
}
