package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/credence-stream/credence/pipeline"
)

// chapter is what the keys of a partition had in an era before, in the partitions that
// had some of them.
type chapter struct {
	count int // partitions of the era
	next  int // and of the one after it
	parts []stretch
}

// history returns the chapters of a partition, and whether the log lacks some of them.
func (v *Verifier) history(ctx context.Context, p pipeline.Partition) (all []chapter, trimmed bool, err error) {
	for i, era := range v.Past {
		c := chapter{count: len(era.Partitions), next: v.Count}
		if i+1 < len(v.Past) {
			c.next = len(v.Past[i+1].Partitions)
		}
		for _, id := range era.Sources(p.ID, v.Count) {
			from := pipeline.Partition{Topic: p.Topic, ID: id}
			start, _, err := v.Log.Bounds(ctx, from)
			if err != nil {
				return nil, false, fmt.Errorf("bounds of %s: %w", from, err)
			}
			was := era.Partitions[id]
			trimmed = trimmed || start > was.From && was.To > was.From
			if start = max(start, was.From); start < was.To {
				c.parts = append(c.parts, stretch{p: from, from: start, through: was.To, watermark: was.To, configured: was.Configured})
			}
		}
		all = append(all, c)
	}
	return all, trimmed, nil
}

// configured returns the configurations under which keys of a partition were made: a key that
// came from another one was or was not made under the limits of that.
func (v *Verifier) configured(p pipeline.Partition, meta pipeline.Meta) []pipeline.Configured {
	all := slices.Clip(meta.Configured)
	for _, era := range v.Past {
		for _, id := range era.Sources(p.ID, v.Count) {
			all = append(all, era.Partitions[id].Configured...)
		}
	}
	return all
}

// Offsets returns how many offsets of former partitions are read to verify a partition,
// if the log has them all.
func (v *Verifier) Offsets(p pipeline.Partition) (n int64) {
	for _, era := range v.Past {
		for _, id := range era.Sources(p.ID, v.Count) {
			n += era.Partitions[id].To - era.Partitions[id].From
		}
	}
	return n
}

// relive takes the keys of the slice through a chapter, and to the partitions that they
// had after it.
func (s *slice) relive(ctx context.Context, c *chapter) error {
	for _, part := range c.parts {
		part.takes = func(key string) bool {
			return s.takes(key) && s.v.Home([]byte(key), s.v.Count) == s.p.ID
		}
		if err := s.read(ctx, part); err != nil {
			return err
		}
	}
	for key, e := range s.entries {
		was, is := s.v.Home([]byte(key), c.count), s.v.Home([]byte(key), c.next)
		if was == is {
			continue
		}
		if err := e.Move(was); err != nil {
			return err
		}
	}
	return nil
}
