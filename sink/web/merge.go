package web

import (
	"context"
	"fmt"
)

// listed is a key and the partition whose state it was found in.
type listed struct {
	key       string
	partition int32
}

// merge walks the keys of all partitions in byte order. A key that two
// partitions have, because its producers disagree on the partitioner, comes
// once.
type merge struct {
	store   Store
	prefix  string
	chunk   int // keys that are asked for at once
	streams []stream
	last    string // key that came last
	any     bool   // one came
	reads   int    // keys read from the store
}

// stream is what is left of the keys that one partition was asked for.
type stream struct {
	keys  []string
	after string
	done  bool // there are no more
}

func newMerge(s Store, partitions int, prefix, after string, chunk int) *merge {
	m := &merge{store: s, prefix: prefix, chunk: max(chunk, 1), streams: make([]stream, partitions)}
	for i := range m.streams {
		m.streams[i].after = after
	}
	return m
}

// next returns the least key that is left, false at the end.
func (m *merge) next(ctx context.Context) (listed, bool, error) {
	for {
		best := -1
		for i := range m.streams {
			s := &m.streams[i]
			if err := m.fill(ctx, int32(i), s); err != nil {
				return listed{}, false, err
			}
			if len(s.keys) > 0 && (best < 0 || s.keys[0] < m.streams[best].keys[0]) {
				best = i
			}
		}
		if best < 0 {
			return listed{}, false, nil
		}
		key := m.streams[best].keys[0]
		m.streams[best].keys = m.streams[best].keys[1:]
		if m.any && key == m.last {
			continue
		}
		m.last, m.any = key, true
		return listed{key, int32(best)}, true, nil
	}
}

// fill reads on where a stream is empty.
func (m *merge) fill(ctx context.Context, partition int32, s *stream) error {
	if len(s.keys) > 0 || s.done {
		return nil
	}
	keys, err := m.store.Keys(ctx, partition, m.prefix, s.after, m.chunk)
	if err != nil {
		return fmt.Errorf("keys of partition %d: %w", partition, err)
	}
	m.reads += len(keys)
	if s.keys, s.done = keys, len(keys) < m.chunk; len(keys) > 0 {
		s.after = keys[len(keys)-1]
	}
	return nil
}
