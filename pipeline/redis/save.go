package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"github.com/credence-stream/credence/pipeline"
)

// Save implements pipeline.Store. After any error but ErrFenced and
// ErrDamaged the checkpoint may have been applied: read the meta and compare
// owner and watermark before the same checkpoint is saved again. One save
// of a lease runs at a time. Origin counts in the first checkpoint; later
// ones leave it, and leave Topic, Configured and Gaps where theirs are empty. A
// checkpoint with To equal to From may have no changes. What does not fit into
// one script is written beforehand, in calls between which the server answers
// others.
func (s *Store) Save(ctx context.Context, lease pipeline.Lease, c pipeline.Checkpoint) error {
	k, err := s.leased(lease)
	if err != nil {
		return err
	}
	if c.From < -1 || c.To < 0 || c.To < c.From || c.To == c.From && len(c.Changes) > 0 {
		return fmt.Errorf("save %s: a checkpoint from %d to %d with %d changes", lease.Partition, c.From, c.To, len(c.Changes))
	}
	ctx, err = s.guard.claimed(ctx)
	if err != nil {
		return fmt.Errorf("save %s from %d to %d: %w", lease.Partition, c.From, c.To, err)
	}
	if err := s.save(ctx, k, lease, c); err != nil {
		return fmt.Errorf("save %s from %d to %d: %w", lease.Partition, c.From, c.To, err)
	}
	return nil
}

func (s *Store) save(ctx context.Context, k space, lease pipeline.Lease, c pipeline.Checkpoint) error {
	ref := lease.Token + ":" + strconv.FormatInt(c.To, 10)
	blobs := apart(c.Changes, len(k.blob("", ref))+len(ref), s.room())
	if err := s.stage(ctx, k, lease, c, ref, blobs); err != nil {
		return err
	}
	keys := k.fixed(len(blobs))
	words, err := metaWords(c)
	if err != nil {
		return err
	}
	args := make([]any, 0, 4+len(words)+len(blobs)+2*len(c.Changes)+3*min(buckets, len(c.Changes)))
	args = append(args, lease.Token, c.From, len(words))
	args = append(args, words...)
	args = append(args, len(blobs))
	for _, i := range blobs {
		keys = append(keys, k.blob(c.Changes[i].Key, ref))
		args = append(args, len(c.Changes[i].Value))
	}
	room, _ := s.rooms.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	cells, all := cellsOf(*room, c.Changes, blobs, ref)
	_, err = s.run(ctx, saveScript, keys, appendChanges(args, c.Changes, cells))
	if s.settle(len(all), err); err != nil {
		return err // some connection may still be writing
	}
	*room = all
	s.rooms.Put(room)
	return nil
}

// cellsOf returns what the hashes will hold of the changes, "" of those that are
// deleted. The values lie in room, or in a larger one, which is returned: a cell is
// valid until that is written to again.
func cellsOf(room []byte, changes []pipeline.Change, blobs []int, ref string) (cells []string, all []byte) {
	cells, elsewhere := make([]string, len(changes)), string([]byte{pointer})+ref
	size := 0
	for i := range changes {
		size += 1 + len(changes[i].Value)
	}
	for _, i := range blobs {
		cells[i] = elsewhere
		size -= len(changes[i].Value)
	}
	all = slices.Grow(room[:0], size) // it is not moved below
	for i := range changes {
		if changes[i].Value == nil || cells[i] != "" {
			continue
		}
		at := len(all)
		all = append(append(all, inline), changes[i].Value...)
		cells[i] = unsafe.String(&all[at], len(all)-at)
	}
	return cells, all
}

// appendChanges appends the changes bucket by bucket: its number, the number of
// values to set and to delete, pairs of key and cell, keys. These are appended as
// pointers, which need no memory of their own.
func appendChanges(args []any, changes []pipeline.Change, cells []string) []any {
	// A slot is a bucket's changes of one kind: to set, to delete.
	slots, begin := make([]int, len(changes)), [2*buckets + 1]int{}
	for i := range changes {
		slots[i] = 2 * bucket(changes[i].Key)
		if changes[i].Value == nil {
			slots[i]++
		}
		begin[slots[i]+1]++
	}
	for s := range 2 * buckets {
		begin[s+1] += begin[s]
	}
	order, next := make([]int, len(changes)), begin
	for i, s := range slots {
		order[next[s]] = i
		next[s]++
	}
	for b := range buckets {
		set, del := order[begin[2*b]:begin[2*b+1]], order[begin[2*b+1]:begin[2*b+2]]
		if len(set)+len(del) == 0 {
			continue
		}
		args = append(args, b, len(set), len(del))
		for _, i := range set {
			args = append(args, &changes[i].Key, &cells[i])
		}
		for _, i := range del {
			args = append(args, &changes[i].Key)
		}
	}
	return args
}

// metaWords returns the fields of meta that a checkpoint sets, each followed by
// its value. The first checkpoint sets them all.
func metaWords(c pipeline.Checkpoint) ([]any, error) {
	words := []any{"watermark", c.To, "format", pipeline.StateFormat}
	if c.From == -1 {
		words = append(words, "origin", c.Origin)
	}
	if c.Topic != "" {
		words = append(words, "topic", c.Topic)
	}
	for _, field := range []struct {
		name  string
		value any
		set   bool
	}{
		{"last", c.Last, true},
		{"fingerprints", c.Configured, c.Configured != nil || c.From == -1},
		{"gaps", c.Gaps, c.Gaps != nil || c.From == -1},
		{"weights", c.Weights, c.Weights.Bytes != nil},
		{"minutes", c.Minutes, c.Minutes.By != nil},
	} {
		if !field.set {
			continue
		}
		text, err := json.Marshal(field.value)
		if err != nil {
			return nil, err
		}
		words = append(words, field.name, text)
	}
	return words, nil
}
