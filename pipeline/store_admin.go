package pipeline

import (
	"context"
)

// Audit counts what the store has of a partition, each where it is.
type Audit struct {
	Counted int64 // keys, as meta says
	Held    int64 // values
	Listed  int64 // keys in the list
	// Pending are blobs that were announced and not yet pointed to: those of a
	// checkpoint under way, or what a dead worker left, which the next claim
	// removes.
	Pending []string
}

// Whole reports whether the counts agree, as every claim demands.
func (a Audit) Whole() bool { return a.Counted == a.Held && a.Held == a.Listed }

// StateAdmin looks after stored state where the workers may not: they never guess
// what to do about state that is damaged or not wanted any more.
type StateAdmin interface {
	// Audit counts. Under a running worker the counts are of different moments
	// only if it writes between two of them.
	Audit(ctx context.Context, p Partition) (Audit, error)
	// Clear takes the partition over and forgets all of its state, damaged or
	// not, if meta still has the owner and the watermark of seen; else
	// ErrFenced, and nothing is changed. Afterwards it is as after a first
	// claim by lease. After any other error it may be so already; to clear
	// again, by what is seen then, does no harm.
	Clear(ctx context.Context, lease Lease, seen Meta) error
	// Unpin forgets the partition count of a topic.
	Unpin(ctx context.Context, topic string) error
}

// NewLease returns a lease under a fresh random token, for claims outside of
// a consumer group.
func NewLease(p Partition) Lease { return Lease{Partition: p, Token: newToken(), Generation: -1} }

// BatchReader is a Reader that can read many values in a few round trips.
type BatchReader interface {
	// GetBatch returns the values of the first of keys in their order: at least
	// one, and no more than have the given bytes, or than the store reads at
	// once. A nil says to ask Get, which knows whether there is none, or
	// damage, or another one by now.
	GetBatch(ctx context.Context, p Partition, keys []string, bytes int64) ([]Stored, error)
}
