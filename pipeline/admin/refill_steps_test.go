package admin_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// exported is what a file has of a topic of two partitions.
type exported struct {
	parts map[int32]admin.Export
	rows  []admin.Row
	holds map[string]string // as contents says it
}

const refilled = 2 // partitions

func exportAll(t *testing.T, store *storetest.Memory) exported {
	t.Helper()
	f := exported{parts: map[int32]admin.Export{}, holds: contents(t, store, refilled)}
	for id := range int32(refilled) {
		e, ok, err := admin.Collect(t.Context(), store, store, pipeline.Partition{Topic: "in", ID: id}, 1, nil, nil, func(key string, v pipeline.Stored) error {
			f.rows = append(f.rows, admin.Row{Partition: id, Key: key, Value: v})
			return nil
		})
		if err != nil || !ok {
			t.Fatalf("%t, %v", ok, err)
		}
		f.parts[id] = e
	}
	return f
}

// stepped is a store whose user stops before every call, and is killed where it may not go on.
type stepped struct {
	*storetest.Memory
	may  func() bool
	dead bool
}

var errKilled = errors.New("killed")

func (s *stepped) step() error {
	if s.dead || !s.may() {
		s.dead = true
		return errKilled
	}
	return nil
}

func (s *stepped) Layout(ctx context.Context, topic string) (pipeline.Layout, error) {
	if err := s.step(); err != nil {
		return pipeline.Layout{}, err
	}
	return s.Memory.Layout(ctx, topic)
}

func (s *stepped) SetLayout(ctx context.Context, topic string, was, is pipeline.Layout) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Memory.SetLayout(ctx, topic, was, is)
}

func (s *stepped) Replicated(ctx context.Context, topic string, n int) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Memory.Replicated(ctx, topic, n)
}

func (s *stepped) Meta(ctx context.Context, p pipeline.Partition) (pipeline.Meta, error) {
	if err := s.step(); err != nil {
		return pipeline.Meta{}, err
	}
	return s.Memory.Meta(ctx, p)
}

func (s *stepped) Claim(ctx context.Context, l pipeline.Lease) (pipeline.Meta, error) {
	if err := s.step(); err != nil {
		return pipeline.Meta{}, err
	}
	return s.Memory.Claim(ctx, l)
}

func (s *stepped) Save(ctx context.Context, l pipeline.Lease, c pipeline.Checkpoint) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Memory.Save(ctx, l, c)
}

func (s *stepped) Audit(ctx context.Context, p pipeline.Partition) (pipeline.Audit, error) {
	if err := s.step(); err != nil {
		return pipeline.Audit{}, err
	}
	return s.Memory.Audit(ctx, p)
}

func (s *stepped) Clear(ctx context.Context, l pipeline.Lease, seen pipeline.Meta) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Memory.Clear(ctx, l, seen)
}

// importing is an import that goes on step by step.
type importing struct {
	next func() (struct{}, bool)
	kill func()
	over bool
	err  error
	at   map[int32]pipeline.GroupOffset // noted
}

// begin is an import as the command does it: it looks first, and then replaces what it has seen.
func (f exported) begin(ctx context.Context, store *storetest.Memory, id string, force bool) *importing {
	im := &importing{}
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		s := &stepped{Memory: store, may: func() bool { return yield(struct{}{}) }}
		im.err = f.run(ctx, s, id, force, func(at map[int32]pipeline.GroupOffset) error {
			if err := s.step(); err != nil {
				return err
			}
			im.at = at
			return nil
		})
	})
	im.next, im.kill = next, func() { stop(); im.over = true }
	return im
}

// steps goes on for so many calls, or to the end where there are not as many.
func (im *importing) steps(n int) (done int) {
	for done < n && !im.over {
		if _, ok := im.next(); !ok {
			im.over = true
			break
		}
		done++
	}
	return done
}

// refillStore is what an import asks of a store.
type refillStore interface {
	pipeline.Store
	pipeline.StateAdmin
	pipeline.LayoutAdmin
}

// run looks first, and then replaces what it has seen.
func (f exported) run(ctx context.Context, s refillStore, id string, force bool, note func(map[int32]pipeline.GroupOffset) error) error {
	layout, err := s.Layout(ctx, "in")
	if err == nil {
		layout, err = admin.TakeBack(ctx, s, s, "in", refilled, layout)
	}
	if err != nil {
		return err
	}
	var metas []pipeline.Meta
	for id := range int32(refilled) {
		m, err := s.Meta(ctx, pipeline.Partition{Topic: "in", ID: id})
		if err != nil {
			return err
		}
		metas = append(metas, m)
	}
	rows := f.rows
	r := &admin.Refill{
		Topic: "in", Count: refilled, Force: force, Parts: f.parts, Metas: metas, Layout: layout,
		Mark: pipeline.Importing{ID: id, File: id + ".arrows", Since: 1795660589280},
		Next: func() (admin.Row, error) {
			if len(rows) == 0 {
				return admin.Row{}, io.EOF
			}
			row := rows[0]
			rows = rows[1:]
			return row, nil
		},
		Store: s, Admin: s, Layouts: s,
		MayNote: func(context.Context) error { return nil },
		Note:    func(_ context.Context, at map[int32]pipeline.GroupOffset) error { return note(at) },
		Unnote:  func(context.Context) error { return note(nil) },
	}
	return r.Run(ctx)
}

func noted(map[int32]pipeline.GroupOffset) error { return nil }

// files are a store of before, and two exports of later states.
func files(t *testing.T) (before storetest.Snapshot, was map[string]string, x, y exported) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l, store, rules, rest := settledTopic(t, 12, refilled)
		before, was = store.Snapshot(), contents(t, store, refilled)
		l.send(rest[:100])
		l.work(t, store, rules)
		x = exportAll(t, store)
		l.send(rest[100:])
		l.work(t, store, rules)
		y = exportAll(t, store)
	})
	return before, was, x, y
}

// whole fails where workers may go on, unless all that they find is of one of these.
func whole(t *testing.T, store *storetest.Memory, what string, may ...map[string]string) {
	t.Helper()
	layout, err := store.Layout(t.Context(), "in")
	if err != nil {
		t.Fatal(err)
	}
	if layout.Partitions == pipeline.Rescales {
		if why, remedy := layout.Elsewhere("in", refilled); !strings.Contains(why, layout.Importing.File) || remedy == "" {
			t.Fatalf("%s: workers halt for %q, %q", what, why, remedy)
		}
		return
	}
	now := contents(t, store, refilled)
	for _, m := range may {
		if maps.Equal(now, m) {
			return
		}
	}
	t.Fatalf("%s: workers may go on with states that are those of no export: %+v", what, layout)
}
