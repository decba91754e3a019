package admin_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// What is not as it must be is refused before anything is changed.
func TestRescaleRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, l *topic, store *storetest.Memory) (to int)
		want  string
	}{
		"lag": {func(_ *testing.T, l *topic, _ *storetest.Memory) int {
			l.send(pipelinetest.Records(3, 20))
			return 12
		}, "not applied yet"},
		"an open transaction": {func(_ *testing.T, l *topic, _ *storetest.Memory) int { l.open[2] = 1; return 12 }, "in/2: a transaction is open"},
		"fewer partitions":    {func(*testing.T, *topic, *storetest.Memory) int { return 3 }, "takes none away"},
		"as many partitions":  {func(*testing.T, *topic, *storetest.Memory) int { return 4 }, "already"},
		"other partitions":    {func(_ *testing.T, l *topic, _ *storetest.Memory) int { l.grow(7); return 12 }, "--to 7"},
		"made again with fewer": {func(_ *testing.T, l *topic, _ *storetest.Memory) int {
			l.parts = l.parts[:2]
			return 6
		}, "deleted and created again"},
		"another partitioner": {func(t *testing.T, _ *topic, store *storetest.Memory) int {
			lease := pipeline.NewLease(inPart)
			meta, err := store.Claim(t.Context(), lease)
			if err == nil {
				key := "a"
				for home([]byte(key), 4) == 0 {
					key += "a"
				}
				err = store.Amend(t.Context(), lease, pipeline.Checkpoint{From: meta.Watermark, To: meta.Watermark, Last: meta.Last,
					Changes: []pipeline.Change{{Key: key, Value: pipeline.Stored("x")}}})
			}
			if err != nil {
				t.Fatal(err)
			}
			return 12
		}, "murmur2_random"},
		"another log": {func(_ *testing.T, l *topic, _ *storetest.Memory) int { l.parts[1].Topic = "new"; return 12 }, "recreated: it has the id new, and the state is of the one with the id id. Use a new consumer group"},
		"made again with more": {func(_ *testing.T, l *topic, _ *storetest.Memory) int {
			for _, k := range l.grow(6).parts {
				k.Topic = "new"
			}
			l.send(pipelinetest.Records(3, 20))
			return 6
		}, "recreated: it has the id new, and the state is of the one with the id id. Use a new consumer group"},
		"half an import": {func(t *testing.T, _ *topic, store *storetest.Memory) int {
			lease := pipeline.NewLease(inPart)
			meta, err := store.Claim(t.Context(), lease)
			if err == nil {
				err = store.Amend(t.Context(), lease, pipeline.Checkpoint{From: meta.Watermark, To: meta.Watermark, Last: meta.Last,
					Configured: []pipeline.Configured{{Core: "half an import"}}})
			}
			if err != nil {
				t.Fatal(err)
			}
			return 12
		}, "import"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, store, rules, _ := settledTopic(t, 13, 4)
			to := c.spoil(t, l, store)
			before := contents(t, store, 12)
			err := l.rescale(t, store, rules, to).Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v", name, err)
			}
			layout, lerr := store.Layout(t.Context(), "in")
			if lerr != nil || layout.Partitions != 4 || layout.Moving != nil || !maps.Equal(contents(t, store, 12), before) {
				t.Errorf("%s: something was changed: %+v", name, layout)
			}
		})
	}
}

// Until the topic has grown a rescaling is taken back: by itself where Kafka refuses or
// something was sent meanwhile, else when it is asked for.
func TestRescaleTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store, rules, rest := settledTopic(t, 14, 4)
		before := contents(t, store, 12)
		is := func(what string, partitions int) {
			t.Helper()
			layout, err := store.Layout(t.Context(), "in")
			if err != nil || layout.Partitions != partitions || !maps.Equal(contents(t, store, 12), before) {
				t.Fatalf("%s: %+v and error %v", what, layout, err)
			}
		}
		r := l.rescale(t, store, rules, 12)
		r.fail = "before grow"
		if err := r.Run(t.Context()); !errors.Is(err, admin.ErrTakenBack) {
			t.Fatalf("Kafka refuses: %v", err)
		}
		is("Kafka refuses", 4)
		// Killed between the journal's begin and the partitions.
		sets := 0
		store.Inject(func(c storetest.Call) storetest.Fault {
			if c.Op == "set layout" {
				if sets++; sets == 2 {
					return storetest.After
				}
			}
			return storetest.None
		})
		if err := l.rescale(t, store, rules, 12).Run(t.Context()); !errors.Is(err, storetest.ErrInjected) {
			t.Fatal(err)
		}
		store.Inject(nil)
		is("killed", pipeline.Rescales)
		if err := l.rescale(t, store, rules, 8).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--to 12") {
			t.Errorf("another number: %v", err)
		}
		b := pipelinetest.StartWith(t, l.parts[0], store, rules)
		if err := b.UntilEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "the command rescale has not come to its end") {
			t.Errorf("a worker in between: %v", err)
		}
		b.Stop(t)
		is("a worker in between", pipeline.Rescales)
		if err := l.rescale(t, store, rules, 4).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		is("taken back", 4)
		l.send(rest)
		l.work(t, store, rules)
		if layout, err := store.Layout(t.Context(), "in"); err != nil || len(layout.Past) != 0 {
			t.Errorf("%+v and error %v", layout, err)
		}
	})
}

// A producer that was not stopped is seen, before the partitions are there and after; one
// that knows them already does no harm.
func TestRescaleSeesProducers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, store, rules, rest := settledTopic(t, 15, 4)
		before := store.Snapshot()
		for _, c := range []struct {
			name string
			when string // op of the store at whose n-th call something is sent
			n    int
			old  bool // as if there were four partitions still
			want string
		}{
			{"at the begin", "set layout", 1, true, "not applied yet"},
			{"before", "set layout", 2, true, "stop the producers"},
			{"after, elsewhere", "amend", 1, true, "does not know of 12 partitions"},
			{"after, where it belongs", "amend", 1, false, ""},
		} {
			store.Restore(before)
			l := newTopic(4)
			l.send(pipelinetest.Records(15, 600)[:350])
			calls := 0
			store.Inject(func(call storetest.Call) storetest.Fault {
				if call.Op == c.when {
					calls++
				}
				if call.Op != c.when || calls != c.n {
					return storetest.None
				}
				if !c.old {
					l.send(rest)
					return storetest.None
				}
				for _, r := range rest[:40] {
					if len(r.Key) > 0 {
						k := l.parts[home(r.Key, 4)]
						r.Offset = int64(len(k.Log))
						k.Log = append(k.Log, r)
					}
				}
				return storetest.None
			})
			err := l.rescale(t, store, rules, 12).Run(t.Context())
			store.Inject(nil)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%s: error %v", c.name, err)
			}
			if c.want == "" {
				l.work(t, store, rules)
				verifyAll(t, l, store, rules)
			}
		}
	})
}

// A worker that the group does not know any more, and that is still about, is fenced before
// it is noted what the log has.
func TestRescaleSettlesUnderAClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store, rules, _ := settledTopic(t, 16, 4)
		lease := pipeline.NewLease(inPart)
		meta, err := store.Claim(t.Context(), lease)
		if err != nil {
			t.Fatal(err)
		}
		r := l.rescale(t, store, rules, 12)
		r.fail = "after grow"
		if err := r.Run(t.Context()); !errors.Is(err, errAway) {
			t.Fatal(err)
		}
		err = store.Save(t.Context(), lease, pipeline.Checkpoint{From: meta.Watermark, To: meta.Watermark + 1})
		if !errors.Is(err, pipeline.ErrFenced) {
			t.Errorf("a worker of before saves: %v", err)
		}
	})
}

// A store that is lost after a rescaling is not rebuilt from the log of a partition, which
// lacks what its keys had elsewhere.
func TestRescaledStoreIsNotRebuilt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, rules, _ := settledTopic(t, 17, 4)
		l.grow(12).parts[7].Noted.Rescaled = "rescaled from 4 to 12 partitions; export /backup/g-12.arrows"
		b := pipelinetest.StartWith(t, l.parts[7], storetest.NewMemory(), rules)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // of the bubble's clock
		defer cancel()
		err := b.UntilEnd(ctx)
		if err == nil || !strings.Contains(err.Error(), "store_lost") || !strings.Contains(err.Error(), "/backup/g-12.arrows") || !strings.Contains(err.Error(), "state import") {
			t.Errorf("%v", err)
		}
		b.Stop(t)
	})
}

// TestForgottenNoteIsWrittenAgain: brokers forget the note of a group without members. A
// worker of it, which may have no record to commit, writes it again, so that a store that is
// lost later is not rebuilt.
func TestForgottenNoteIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store, rules, _ := settledTopic(t, 21, 4)
		if err := l.rescale(t, store, rules, 12).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		b := pipelinetest.StartWith(t, l.parts[7], store, rules)
		b.ReadyWithin(t, time.Minute, true)
		pause(t)
		b.Stop(t)
		if got := l.parts[7].Noted.Rescaled; got != "rescaled from 4 to 12 partitions" {
			t.Fatalf("noted is %q", got)
		}
		b = pipelinetest.StartWith(t, l.parts[7], storetest.NewMemory(), rules)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // of the bubble's clock
		defer cancel()
		if err := b.UntilEnd(ctx); err == nil || !strings.Contains(err.Error(), "store_lost") {
			t.Errorf("%v", err)
		}
		b.Stop(t)
	})
}

// dropping is a reader to which one key has no value where it was copied to.
type dropping struct{ *storetest.Memory }

func (d dropping) Get(ctx context.Context, p pipeline.Partition, key string) (pipeline.Stored, error) {
	if p.ID > 3 {
		return nil, nil
	}
	return d.Memory.Get(ctx, p, key)
}

// What was copied is read back before anything is dropped; and what has gone on since it
// was settled is not written over.
func TestRescaleLooksBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store, rules, _ := settledTopic(t, 18, 4)
		r := l.rescale(t, store, rules, 12)
		r.Reader = dropping{store}
		if err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "has lost what it had acknowledged") {
			t.Fatalf("a copy that is not there: %v", err)
		}
		layout, err := store.Layout(t.Context(), "in")
		if err != nil || layout.Moving == nil || layout.Moving.Step != pipeline.MoveCopy {
			t.Fatalf("%+v and error %v", layout, err)
		}
		lease := pipeline.NewLease(inPart)
		meta, err := store.Claim(t.Context(), lease)
		if err == nil {
			err = store.Save(t.Context(), lease, pipeline.Checkpoint{From: meta.Watermark, To: meta.Watermark + 1, Last: meta.Last})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := l.rescale(t, store, rules, 12).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "when they were settled") {
			t.Errorf("a partition that went on: %v", err)
		}
	})
}

// A worker looks at the layout also after its claim: without, one that was slow to claim
// would work in the middle of a rescaling.
func TestWorkersLookAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store, rules, rest := settledTopic(t, 19, 4)
		l.send(rest)
		claimed := false
		store.Inject(func(c storetest.Call) storetest.Fault {
			switch {
			case c.Op == "claim":
				claimed = true
			case c.Op == "layout" && claimed:
				claimed = false
				return storetest.Before
			}
			return storetest.None
		})
		b := pipelinetest.StartWith(t, l.parts[0], store, rules)
		for range 20 {
			pause(t)
			if ok, why := b.Ready(); ok {
				t.Fatalf("it works without knowing the layout: %s", why)
			}
		}
		store.Inject(nil)
		b.ReadyWithin(t, time.Minute, true)
		b.Stop(t)
	})
}
