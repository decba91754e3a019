package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// Save implements pipeline.Store. After any error but ErrFenced and
// ErrDamaged the checkpoint may have been applied: read the meta and compare
// owner and watermark before the same checkpoint is saved again. One save
// of a lease runs at a time. Origin counts in the first checkpoint; later
// ones leave it, and leave Topic, Configured and Gaps where theirs are empty. A
// checkpoint with To equal to From may have no changes. Values must add up to a few megabytes, not counting those above
// BlobBytes; the server does nothing else meanwhile.
func (s *Store) Save(ctx context.Context, lease pipeline.Lease, c pipeline.Checkpoint) error {
	k, err := s.leased(lease)
	if err != nil {
		return err
	}
	if c.From < -1 || c.To < 0 || c.To < c.From || c.To == c.From && len(c.Changes) > 0 {
		return fmt.Errorf("save %s: a checkpoint from %d to %d with %d changes", lease.Partition, c.From, c.To, len(c.Changes))
	}
	if err := s.save(ctx, k, lease, c); err != nil {
		return fmt.Errorf("save %s from %d to %d: %w", lease.Partition, c.From, c.To, err)
	}
	return nil
}

func (s *Store) save(ctx context.Context, k space, lease pipeline.Lease, c pipeline.Checkpoint) error {
	ref := lease.Token + ":" + strconv.FormatInt(c.To, 10)
	blobs, err := s.writeBlobs(ctx, k, lease, c, ref)
	if err != nil {
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
	_, err = s.run(ctx, saveScript, keys, appendChanges(args, c.Changes, ref))
	return err
}

// writeBlobs announces and writes the values that are too large for a script
// and returns their places in c.Changes. Until a save points to them nobody
// sees them.
func (s *Store) writeBlobs(ctx context.Context, k space, lease pipeline.Lease, c pipeline.Checkpoint, ref string) ([]int, error) {
	var blobs []int
	keys, args := []string{k.meta(), k.pending()}, []any{lease.Token, c.From}
	for i, change := range c.Changes {
		if len(change.Value) > BlobBytes {
			blobs = append(blobs, i)
			keys = append(keys, k.blob(change.Key, ref))
			args = append(args, pendingEntry(change.Key, ref))
		}
	}
	if len(blobs) == 0 {
		return nil, nil
	}
	if _, err := s.run(ctx, announceScript, keys, args); err != nil {
		return nil, err
	}
	for n, i := range blobs {
		// Where the announced blob was swept nothing is written, and the
		// save that follows says why.
		err := s.client.SetArgs(ctx, keys[2+n], []byte(c.Changes[i].Value), goredis.SetArgs{Mode: "XX"}).Err()
		if err != nil && !errors.Is(err, goredis.Nil) {
			return nil, err
		}
	}
	return blobs, nil
}

// pendingEntry is how pending names a blob; the bucket is in it because Lua
// has no CRC-32C.
func pendingEntry(key, ref string) string {
	return strconv.Itoa(bucket(key)) + ":" + key + ":" + ref
}

// appendChanges appends the changes bucket by bucket: its number, the number of
// values to set and to delete, pairs of key and cell, keys.
func appendChanges(args []any, changes []pipeline.Change, ref string) []any {
	var set, del [buckets][]int
	for i, change := range changes {
		if b := bucket(change.Key); change.Value != nil {
			set[b] = append(set[b], i)
		} else {
			del[b] = append(del[b], i)
		}
	}
	for b := range buckets {
		if len(set[b])+len(del[b]) == 0 {
			continue
		}
		args = append(args, b, len(set[b]), len(del[b]))
		for _, i := range set[b] {
			args = append(args, changes[i].Key, cellOf(changes[i].Value, ref))
		}
		for _, i := range del[b] {
			args = append(args, changes[i].Key)
		}
	}
	return args
}

// cellOf returns what the hash holds for a value.
func cellOf(v pipeline.Stored, ref string) []byte {
	if len(v) > BlobBytes {
		return append([]byte{pointer}, ref...)
	}
	return append([]byte{inline}, v...)
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
