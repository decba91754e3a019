package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.BatchReader = (*Store)(nil)

// GetBatch implements pipeline.BatchReader in two round trips: the sizes of all
// values, then those that fit. What a pointer stands for is left to Get.
func (s *Store) GetBatch(ctx context.Context, p pipeline.Partition, keys []string, bytes int64) ([]pipeline.Stored, error) {
	k, err := s.space(p)
	if err != nil {
		return nil, err
	}
	sizes := make([]*goredis.Cmd, len(keys))
	if err := s.together(ctx, len(keys), func(pipe goredis.Pipeliner, i int) {
		sizes[i] = pipe.Do(ctx, "hstrlen", k.state(bucket(keys[i])), keys[i])
	}); err != nil {
		return nil, fmt.Errorf("sizes of %d values of %s: %w", len(keys), p, err)
	}
	n := 0
	for sum := int64(0); n < len(keys); n++ {
		size, err := sizes[n].Int64()
		if err != nil {
			return nil, fmt.Errorf("size of key %q of %s: %w", keys[n], p, err)
		}
		if sum += size; sum > bytes && n > 0 {
			break
		}
	}
	cells := make([]*goredis.StringCmd, n)
	if err := s.together(ctx, n, func(pipe goredis.Pipeliner, i int) {
		cells[i] = pipe.HGet(ctx, k.state(bucket(keys[i])), keys[i])
	}); err != nil {
		return nil, fmt.Errorf("get %d values of %s: %w", n, p, err)
	}
	values := make([]pipeline.Stored, n)
	for i, c := range cells {
		if cell := c.Val(); cell != "" && cell[0] == inline {
			values[i] = pipeline.Stored(cell[1:])
		}
	}
	return values, nil
}

// together sends n commands at once and returns the first error that is not
// an absent value.
func (s *Store) together(ctx context.Context, n int, add func(goredis.Pipeliner, int)) error {
	cmds, err := s.client.Pipelined(ctx, func(pipe goredis.Pipeliner) error {
		for i := range n {
			add(pipe, i)
		}
		return nil
	})
	if len(cmds) == 0 {
		return err
	}
	for _, c := range cmds {
		if err := c.Err(); err != nil && !errors.Is(err, goredis.Nil) {
			return err
		}
	}
	return nil
}
