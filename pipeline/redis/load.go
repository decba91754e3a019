package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// The first byte of what a hash holds for a key: the value itself follows, or
// the token and offset of its blob.
const (
	inline  = 0
	pointer = 1
)

// Load implements pipeline.Store: two round trips, for a megabyte at most or
// one value. Without keys it only checks the lease, and the length of the list of keys. A
// partition without a checkpoint has the watermark -1.
func (s *Store) Load(ctx context.Context, lease pipeline.Lease, watermarks []int64, keys []string, bytes int64) ([]pipeline.Stored, error) {
	k, err := s.space(lease.Partition)
	if err != nil {
		return nil, err
	}
	ctx, err = s.guard.claimed(ctx)
	if err != nil {
		return nil, fmt.Errorf("load from %s: %w", lease.Partition, err)
	}
	read := func(keys []string, bytes int64) ([]string, error) {
		return s.cells(ctx, loadScript, k, lease.Token, watermarks, keys, bytes)
	}
	cells, err := read(keys, min(bytes, scriptBytes))
	if err != nil {
		return nil, fmt.Errorf("load from %s: %w", lease.Partition, err)
	}
	blobs, err := s.blobs(ctx, k, keys, cells)
	if err != nil {
		return nil, fmt.Errorf("load from %s: %w", lease.Partition, err)
	}
	values := make([]pipeline.Stored, len(cells))
	for i, cell := range cells {
		if values[i] = blobs[i]; values[i] != nil {
			continue
		}
		values[i], err = s.value(ctx, k, keys[i], cell, func() (string, error) {
			again, err := read(keys[i:i+1], scriptBytes)
			if err != nil {
				return "", err
			}
			return again[0], nil
		})
		if err != nil {
			return nil, fmt.Errorf("load key %q from %s: %w", keys[i], lease.Partition, err)
		}
	}
	return values, nil
}

// cells returns what the hashes hold for the first of keys, "" where nothing,
// as many as stand for the given bytes and at least one. The script has the
// fence, if any.
func (s *Store) cells(ctx context.Context, sc script, k space, token string, watermarks []int64, keys []string, bytes int64) ([]string, error) {
	args := make([]any, 0, 3+len(watermarks)+2*len(keys))
	args = append(args, token, len(watermarks))
	for _, w := range watermarks {
		args = append(args, w)
	}
	names, args := k.placed(keys, append(args, bytes))
	reply, err := s.run(ctx, sc, names, args)
	if err != nil {
		return nil, err
	}
	if len(reply) > len(keys) || len(reply) == 0 && len(keys) > 0 {
		return nil, fmt.Errorf("%d values for %d keys", len(reply), len(keys))
	}
	cells := make([]string, len(reply))
	for i := range reply {
		cells[i] = textAt(reply, i)
	}
	return cells, nil
}

// placed returns the names that a script over the hashes of keys has, and appends for each key the
// place of its hash among them, and the key.
func (k space) placed(keys []string, args []any) ([]string, []any) {
	names := []string{k.meta(), k.keys()}
	var place [buckets]int
	for i, key := range keys {
		b := bucket(key)
		if place[b] == 0 {
			names = append(names, k.state(b))
			place[b] = len(names)
		}
		args = append(args, place[b], &keys[i])
	}
	return names, args
}

// blobs returns what cells point to, nil where a cell is no pointer or its blob
// is gone.
func (s *Store) blobs(ctx context.Context, k space, keys, cells []string) ([]pipeline.Stored, error) {
	var at []int
	for i, cell := range cells {
		if cell != "" && cell[0] == pointer {
			at = append(at, i)
		}
	}
	gets := make([]*goredis.StringCmd, len(at))
	if err := s.together(ctx, len(at), func(pipe goredis.Pipeliner, n int) {
		gets[n] = pipe.Get(ctx, k.blob(keys[at[n]], cells[at[n]][1:]))
	}); err != nil {
		names := make([]string, len(at))
		for n, i := range at {
			names[n] = k.blob(keys[i], cells[i][1:])
		}
		return nil, s.named(ctx, err, names...)
	}
	blobs := make([]pipeline.Stored, len(cells))
	for n, i := range at {
		if blob, err := gets[n].Bytes(); err == nil {
			blobs[i] = blob
		}
	}
	return blobs, nil
}

// value follows a pointer. A blob that is gone was replaced, so again reads
// the cell anew; when the same pointer stands and its blob is missing a
// second time, it is lost.
func (s *Store) value(ctx context.Context, k space, key, cell string, again func() (string, error)) (pipeline.Stored, error) {
	missing := 0
	for range 16 {
		if cell == "" {
			return nil, nil
		}
		switch cell[0] {
		case inline:
			return pipeline.Stored(cell[1:]), nil
		case pointer:
		default:
			return nil, fmt.Errorf("%w: neither value nor pointer", pipeline.ErrDamaged)
		}
		name := k.blob(key, cell[1:])
		blob, err := s.client.Get(ctx, name).Bytes()
		if err == nil {
			return blob, nil
		}
		if !errors.Is(err, goredis.Nil) {
			return nil, s.named(ctx, err, name)
		}
		next, err := again()
		if err != nil {
			return nil, err
		}
		if next != cell {
			cell, missing = next, 0
		} else if missing++; missing == 2 {
			return nil, fmt.Errorf("%w: blob %s is missing", pipeline.ErrDamaged, cell[1:])
		}
	}
	return nil, errors.New("the value changes faster than it can be read")
}

// Get implements pipeline.Reader.
func (s *Store) Get(ctx context.Context, p pipeline.Partition, key string) (pipeline.Stored, error) {
	k, err := s.space(p)
	if err != nil {
		return nil, err
	}
	read := func() (string, error) {
		name := k.state(bucket(key))
		cell, err := s.client.HGet(ctx, name, key).Result()
		if errors.Is(err, goredis.Nil) {
			return "", nil
		}
		return cell, s.named(ctx, err, name)
	}
	cell, err := read()
	if err != nil {
		return nil, fmt.Errorf("get key %q from %s: %w", key, p, err)
	}
	value, err := s.value(ctx, k, key, cell, read)
	if err != nil {
		return nil, fmt.Errorf("get key %q from %s: %w", key, p, err)
	}
	return value, nil
}

// Keys implements pipeline.Reader. An empty after means from the first key
// on; a limit below 1 gives none.
func (s *Store) Keys(ctx context.Context, p pipeline.Partition, prefix, after string, limit int) ([]string, error) {
	k, err := s.space(p)
	if err != nil || limit < 1 {
		return nil, err
	}
	span := &goredis.ZRangeBy{Count: int64(limit)}
	if span.Min, span.Max = spanOf(prefix); after != "" && after >= prefix {
		span.Min = "(" + after
	}
	keys, err := s.client.ZRangeByLex(ctx, k.keys(), span).Result()
	if err != nil {
		return nil, fmt.Errorf("list keys of %s: %w", p, s.named(ctx, err, k.keys()))
	}
	return keys, nil
}

// weighedKeys is how many keys are weighed at once, and the memory that their names take.
const weighedKeys = 1000

// Weigh implements pipeline.Store.
func (s *Store) Weigh(ctx context.Context, p pipeline.Partition, prefix string, most int) (sum quota.Sum, err error) {
	k, err := s.space(p)
	if err != nil {
		return sum, err
	}
	for after := ""; ; {
		some := min(weighedKeys, most-int(sum.Keys))
		if some <= 0 {
			return sum, nil
		}
		keys, err := s.Keys(ctx, p, prefix, after, some)
		if err != nil {
			return sum, err
		}
		if len(keys) > 0 {
			names, args := k.placed(keys, nil)
			reply, err := s.run(ctx, weighScript, names, args)
			var bytes int64
			if err == nil {
				err = scanInt(reply, 0, &bytes)
			}
			if err != nil {
				return sum, fmt.Errorf("weigh states of %s: %w", p, err)
			}
			sum.Keys, sum.Bytes = sum.Keys+int64(len(keys)), sum.Bytes+bytes
		}
		if len(keys) < some {
			return sum, nil
		}
		after = keys[len(keys)-1]
	}
}

// Count implements pipeline.Reader.
func (s *Store) Count(ctx context.Context, p pipeline.Partition, prefix string) (int64, error) {
	k, err := s.space(p)
	if err != nil {
		return 0, err
	}
	least, most := spanOf(prefix)
	n, err := s.client.ZLexCount(ctx, k.keys(), least, most).Result()
	if err != nil {
		return 0, fmt.Errorf("count keys of %s: %w", p, s.named(ctx, err, k.keys()))
	}
	return n, nil
}

// spanOf returns the bounds of the strings that start with prefix, as Redis has them.
func spanOf(prefix string) (least, most string) {
	if end := successor(prefix); end != "" {
		return "[" + prefix, "(" + end
	}
	return "[" + prefix, "+"
}

// successor returns the first string above every string that starts with
// prefix, "" when there is none.
func successor(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}
