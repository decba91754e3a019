package admin

import (
	"context"

	"github.com/credence-stream/credence/pipeline"
)

// EachKey calls visit for every key of the partitions of a topic that starts
// with prefix, in byte order, with the partitions that hold it: more than one
// if its records did not all go to the same. It holds a page of keys per
// partition.
func EachKey(ctx context.Context, r pipeline.Reader, topic string, partitions int, prefix string, visit func(key string, in []pipeline.Partition) error) error {
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
				keys, err := r.Keys(ctx, pipeline.Partition{Topic: topic, ID: int32(i)}, prefix, l.last, page)
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
