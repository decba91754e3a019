package admin

import (
	"context"

	"github.com/credence-stream/credence/pipeline"
)

// pageKeys is how many keys of a partition are listed at once.
const pageKeys = 512

// Each calls visit for every key of a partition that matches, in byte order,
// with its value, which is nil when it has gone since it was listed, or with
// what keeps it from being read. A nil match takes all keys.
func Each(ctx context.Context, r pipeline.Reader, p pipeline.Partition, match func(string) bool, visit func(string, pipeline.Stored, error) error) error {
	r = Prefetch(r, match)
	for after := ""; ; {
		keys, err := r.Keys(ctx, p, "", after, pageKeys)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if match != nil && !match(key) {
				continue
			}
			value, err := r.Get(ctx, p, key)
			if err := visit(key, value, err); err != nil {
				return err
			}
		}
		if len(keys) < pageKeys {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// EachKey calls visit for every key of the partitions of a topic that starts
// with prefix, in byte order, with the partitions that hold it: more than one
// if its records did not all go to the same. It holds a page of keys per
// partition.
func EachKey(ctx context.Context, r pipeline.Reader, topic string, partitions int, prefix string, visit func(key string, in []pipeline.Partition) error) error {
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
				keys, err := r.Keys(ctx, pipeline.Partition{Topic: topic, ID: int32(i)}, prefix, l.last, pageKeys)
				if err != nil {
					return err
				}
				l.keys, l.more = keys, len(keys) == pageKeys
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
		var in []pipeline.Partition
		for i := range lists {
			if l := &lists[i]; len(l.keys) > 0 && l.keys[0] == least {
				l.keys = l.keys[1:]
				in = append(in, pipeline.Partition{Topic: topic, ID: int32(i)})
			}
		}
		if err := visit(least, in); err != nil {
			return err
		}
	}
}
