package admin

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/credence-stream/credence/pipeline"
)

// moveBytes is what one change of a partition holds at most, unless one value is larger.
const moveBytes = 2 << 20

// copyAll puts the keys that leave their partitions into those that they belong to, and
// looks whether they are there, once the replicas of the store have them: a master that
// dies later has them in its successor. Nothing is taken away yet: it may be done again.
func (r *Rescale) copyAll(ctx context.Context, m *pipeline.Moving) error {
	targets := make([]*target, m.To)
	for id := range targets {
		var err error
		if targets[id], err = r.open(ctx, m, id); err != nil {
			return err
		}
	}
	moved := 0
	for id := range m.From {
		err := r.leaving(ctx, m, id, func(key string, home int32, value pipeline.Stored) error {
			moved++
			t := targets[home]
			if !slices.Contains(t.sources, id) {
				t.sources = append(t.sources, id)
			}
			return t.put(ctx, key, value)
		})
		if err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := t.end(ctx, m); err != nil {
			return err
		}
	}
	r.Say("%d keys are copied to their new partitions", moved)
	if err := r.Layouts.Replicated(ctx, r.Topic, m.To); err != nil {
		return err
	}
	return r.compare(ctx, m)
}

// leaving calls visit for each key of a former partition that belongs to another one now,
// with the value as that one holds it.
func (r *Rescale) leaving(ctx context.Context, m *pipeline.Moving, id int, visit func(key string, home int32, value pipeline.Stored) error) error {
	p := r.partition(id)
	leaves := func(key string) bool { return r.Home([]byte(key), m.To) != p.ID }
	return Each(ctx, r.Reader, p, leaves, func(key string, value pipeline.Stored, err error) error {
		if err == nil && value == nil {
			err = &goneError{p, key}
		}
		if err == nil {
			value, err = pipeline.MoveStored(key, value, p.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		return visit(key, r.Home([]byte(key), m.To), value)
	})
}

// compare reads back what was copied.
func (r *Rescale) compare(ctx context.Context, m *pipeline.Moving) error {
	for id := range m.From {
		err := r.leaving(ctx, m, id, func(key string, home int32, value pipeline.Stored) error {
			got, err := r.Reader.Get(ctx, r.partition(int(home)), key)
			if err != nil {
				return err
			}
			if !bytes.Equal(got, value) {
				return fmt.Errorf("key %q is not in partition %d as it is in partition %d: the store has lost what it had acknowledged; run it again", key, home, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// target is a partition that keys come to.
type target struct {
	layouts pipeline.LayoutAdmin
	lease   pipeline.Lease
	at      int64
	last    pipeline.Last
	held    []pipeline.Change
	bytes   int
	sources []int // partitions that keys came from
}

// open takes a partition over, and begins one that has no state. One that has gone on
// since the states were settled is refused.
func (r *Rescale) open(ctx context.Context, m *pipeline.Moving, id int) (*target, error) {
	p := r.partition(id)
	t := &target{layouts: r.Layouts, lease: pipeline.NewLease(p)}
	meta, err := r.Store.Claim(ctx, t.lease)
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", p, err)
	}
	want := int64(0)
	if id < m.From {
		want = m.Era.Partitions[id].To
	}
	if meta.Exists && meta.Watermark != want {
		return nil, fmt.Errorf("%s: its states are at offset %d and were at %d when they were settled: the store was put back, or a consumer went on; "+
			"restore the store, or import an export of %d partitions by state import --force", p, meta.Watermark, want, m.To)
	}
	t.at, t.last = want, meta.Last
	if meta.Exists {
		return t, nil
	}
	identity, err := r.Log.Identity(ctx, p, 0)
	if err != nil {
		return nil, err
	}
	return t, r.Store.Save(ctx, t.lease, pipeline.Checkpoint{
		From: -1, To: want, Origin: want, Topic: identity.Topic, Last: t.last, Configured: r.Rules.Recorded(want),
	})
}

func (t *target) put(ctx context.Context, key string, value pipeline.Stored) error {
	if t.bytes > 0 && t.bytes+len(key)+len(value) > moveBytes {
		if err := t.flush(ctx, nil); err != nil {
			return err
		}
	}
	t.held = append(t.held, pipeline.Change{Key: key, Value: value})
	t.bytes += len(key) + len(value)
	return nil
}

func (t *target) flush(ctx context.Context, gaps []pipeline.Gap) error {
	err := t.layouts.Amend(ctx, t.lease, pipeline.Checkpoint{From: t.at, To: t.at, Last: t.last, Gaps: gaps, Changes: t.held})
	t.held, t.bytes = nil, 0
	return err
}

// end writes the rest. What was given up of the partitions that keys came from was given
// up of these keys.
func (t *target) end(ctx context.Context, m *pipeline.Moving) error {
	if len(t.sources) == 0 {
		return nil
	}
	gaps := []pipeline.Gap{}
	if id := int(t.lease.ID); id < m.From {
		gaps = append(gaps, m.Era.Partitions[id].Gaps...)
	}
	for _, id := range t.sources {
		gaps = append(gaps, m.Era.Partitions[id].Gaps...)
	}
	return t.flush(ctx, gaps)
}

// dropKeys is how many keys one change deletes at most.
const dropKeys = 1000

// drop deletes the keys that were copied from where they were, and counts what there is,
// once the replicas of the store know. A partition that no key came to may have been lost
// with its master.
func (r *Rescale) drop(ctx context.Context, m *pipeline.Moving) error {
	for id := range m.To {
		t, err := r.open(ctx, m, id)
		if err != nil {
			return err
		}
		if id >= m.From {
			continue
		}
		err = r.eachKey(ctx, r.partition(id), func(key string) error {
			if r.Home([]byte(key), m.To) == int32(id) {
				return nil
			}
			if t.held = append(t.held, pipeline.Change{Key: key}); len(t.held) < dropKeys {
				return nil
			}
			return t.flush(ctx, nil)
		})
		if err == nil && len(t.held) > 0 {
			err = t.flush(ctx, nil)
		}
		if err != nil {
			return err
		}
	}
	if err := r.Layouts.Replicated(ctx, r.Topic, m.To); err != nil {
		return err
	}
	return r.count(ctx, m)
}

// count compares the number of keys with that of before.
func (r *Rescale) count(ctx context.Context, m *pipeline.Moving) error {
	var were, are int64
	for _, s := range m.Era.Partitions {
		were += s.Keys
	}
	for id := range m.To {
		meta, err := r.Store.Meta(ctx, r.partition(id))
		if err != nil {
			return err
		}
		if !meta.Exists {
			return fmt.Errorf("%s: its beginning is not in the store any more: run it again", r.partition(id))
		}
		are += meta.Keys
	}
	if are > were {
		return fmt.Errorf("topic %s: there are %d keys and were %d: the store has some again that were deleted; run it again", r.Topic, are, were)
	}
	if are < were {
		return fmt.Errorf("topic %s: there are %d keys and were %d: the store has lost what it had acknowledged; restore it as it was before", r.Topic, are, were)
	}
	r.Say("%d keys are in %d partitions", are, m.To)
	return nil
}
