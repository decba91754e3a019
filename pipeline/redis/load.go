package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// The first byte of what a hash holds for a key: the value itself follows, or
// the token and offset of its blob.
const (
	inline  = 0
	pointer = 1
)

// Load implements pipeline.Store. Without keys it only checks the lease. A
// partition without a checkpoint has the watermark -1.
func (s *Store) Load(ctx context.Context, lease pipeline.Lease, watermarks []int64, keys []string) ([]pipeline.Stored, error) {
	k, err := s.space(lease.Partition)
	if err != nil {
		return nil, err
	}
	cells, err := s.cells(ctx, k, lease, watermarks, keys)
	if err != nil {
		return nil, fmt.Errorf("load from %s: %w", lease.Partition, err)
	}
	values := make([]pipeline.Stored, len(keys))
	for i, cell := range cells {
		values[i], err = s.value(ctx, k, keys[i], cell, func() (string, error) {
			again, err := s.cells(ctx, k, lease, watermarks, keys[i:i+1])
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

// cells returns what the hashes hold for keys, "" where nothing, under the
// fence.
func (s *Store) cells(ctx context.Context, k space, lease pipeline.Lease, watermarks []int64, keys []string) ([]string, error) {
	names := []string{k.meta()}
	args := make([]any, 0, 2+len(watermarks)+2*len(keys))
	args = append(args, lease.Token, len(watermarks))
	for _, w := range watermarks {
		args = append(args, w)
	}
	var place [buckets]int
	for _, key := range keys {
		b := bucket(key)
		if place[b] == 0 {
			names = append(names, k.state(b))
			place[b] = len(names)
		}
		args = append(args, place[b], key)
	}
	reply, err := s.run(ctx, loadScript, names, args)
	if err != nil {
		return nil, err
	}
	if len(reply) != len(keys) {
		return nil, fmt.Errorf("%d values for %d keys", len(reply), len(keys))
	}
	cells := make([]string, len(keys))
	for i := range reply {
		cells[i] = textAt(reply, i)
	}
	return cells, nil
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
		blob, err := s.client.Get(ctx, k.blob(key, cell[1:])).Bytes()
		if err == nil {
			return blob, nil
		}
		if !errors.Is(err, goredis.Nil) {
			return nil, err
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
		cell, err := s.client.HGet(ctx, k.state(bucket(key)), key).Result()
		if errors.Is(err, goredis.Nil) {
			return "", nil
		}
		return cell, err
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
	span := &goredis.ZRangeBy{Min: "[" + prefix, Max: "+", Count: int64(limit)}
	if after != "" && after >= prefix {
		span.Min = "(" + after
	}
	if end := successor(prefix); end != "" {
		span.Max = "(" + end
	}
	keys, err := s.client.ZRangeByLex(ctx, k.keys(), span).Result()
	if err != nil {
		return nil, fmt.Errorf("list keys of %s: %w", p, err)
	}
	return keys, nil
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
