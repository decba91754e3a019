package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.BatchReader = (*Store)(nil)

// GetBatch implements pipeline.BatchReader: two round trips, for a megabyte at
// most or one value. What is damaged, or replaced meanwhile, is left to Get.
func (s *Store) GetBatch(ctx context.Context, p pipeline.Partition, keys []string, bytes int64) ([]pipeline.Stored, error) {
	k, err := s.space(p)
	if err != nil {
		return nil, err
	}
	cells, err := s.cells(ctx, readScript, k, "", nil, keys, min(bytes, scriptBytes))
	if err != nil {
		return nil, fmt.Errorf("get %d values of %s: %w", len(keys), p, err)
	}
	values, err := s.blobs(ctx, k, keys, cells)
	if err != nil {
		return nil, fmt.Errorf("get %d values of %s: %w", len(cells), p, err)
	}
	for i, cell := range cells {
		if cell != "" && cell[0] == inline {
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
	if !errors.Is(err, goredis.Nil) {
		return err
	}
	for _, c := range cmds {
		if err := c.Err(); err != nil && !errors.Is(err, goredis.Nil) {
			return err
		}
	}
	return nil
}
