package pipeline

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/cdf"
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

// Keeper looks after stored state where the workers may not: they never guess
// what to do about state that is damaged or not wanted any more.
type Keeper interface {
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

// Held is a stored value taken apart, without its model.
type Held struct {
	cdf.Head
	Envelope
	Bytes int // of the value
}

// Look takes the stored value of a key apart, whatever configuration made it.
// ErrDamaged, wrapped, says that the bytes cannot be right. Snapshot and
// Summary alias value.
func Look(key string, value Stored) (Held, error) {
	h := Held{Bytes: len(value)}
	if err := h.UnmarshalBinary(value); err != nil {
		return h, fmt.Errorf("key %q: %w", key, err)
	}
	var err error
	if h.Head, err = cdf.ReadHead(h.Snapshot); err != nil {
		return h, fmt.Errorf("key %q: %w: %w", key, ErrDamaged, err)
	}
	return h, nil
}

// NewLease returns a lease under a fresh random token, for claims outside of
// a consumer group.
func NewLease(p Partition) Lease { return Lease{Partition: p, Token: newToken(), Generation: -1} }

// EachKey calls visit for every key of the partitions of a topic that starts
// with prefix, in byte order, with the partitions that hold it: more than one
// if its records did not all go to the same. It holds a page of keys per
// partition.
func EachKey(ctx context.Context, r Reader, topic string, partitions int, prefix string, visit func(key string, in []Partition) error) error {
	const page = 512
	type list struct {
		keys []string
		last string
		more bool
	}
	lists := make([]list, partitions)
	for i := range lists {
		lists[i].more = true
	}
	for {
		least, found := "", false
		for i := range lists {
			l := &lists[i]
			if len(l.keys) == 0 && l.more {
				keys, err := r.Keys(ctx, Partition{topic, int32(i)}, prefix, l.last, page)
				if err != nil {
					return err
				}
				l.keys, l.more = keys, len(keys) == page
				if len(keys) > 0 {
					l.last = keys[len(keys)-1]
				}
			}
			if len(l.keys) > 0 && (!found || l.keys[0] < least) {
				least, found = l.keys[0], true
			}
		}
		if !found {
			return nil
		}
		var in []Partition
		for i := range lists {
			if l := &lists[i]; len(l.keys) > 0 && l.keys[0] == least {
				l.keys = l.keys[1:]
				in = append(in, Partition{topic, int32(i)})
			}
		}
		if err := visit(least, in); err != nil {
			return err
		}
	}
}
