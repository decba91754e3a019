package admin_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// collected is an export in memory.
type collected struct {
	admin.Export
	keys   []string
	values map[string]pipeline.Stored
}

func collect(t *testing.T, store *storetest.Memory, attempts int, during func()) (*collected, error) {
	t.Helper()
	c := &collected{values: map[string]pipeline.Stored{}}
	begin := func(int) error { c.keys, c.values = nil, map[string]pipeline.Stored{}; return nil }
	e, _, err := admin.Collect(t.Context(), store, store, inPart, attempts, nil, begin, func(key string, v pipeline.Stored) error {
		during()
		c.keys, c.values[key] = append(c.keys, key), v
		return nil
	})
	c.Export = e
	return c, err
}

// move saves a checkpoint that changes one key, as a worker that goes on.
func move(t *testing.T, store *storetest.Memory, key string, value pipeline.Stored) {
	t.Helper()
	lease := pipeline.NewLease(inPart)
	meta, err := store.Claim(t.Context(), lease)
	if err == nil {
		err = store.Save(t.Context(), lease, pipeline.Checkpoint{From: meta.Watermark, To: meta.Watermark + 1, Last: meta.Last,
			Changes: []pipeline.Change{{Key: key, Value: value}}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An export is of one moment, also under a worker that goes on.
func TestCollectIsOfOneMoment(t *testing.T) {
	store := storetest.NewMemory()
	lease := pipeline.NewLease(inPart)
	if _, err := store.Claim(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	err := store.Save(t.Context(), lease, pipeline.Checkpoint{From: -1, To: 10, Changes: []pipeline.Change{
		{Key: "a", Value: pipeline.Stored("1")}, {Key: "b", Value: pipeline.Stored("1")}}})
	if err != nil {
		t.Fatal(err)
	}
	moves := 0
	got, err := collect(t, store, 5, func() {
		if moves++; moves == 2 { // between the two keys
			move(t, store, "a", pipeline.Stored("2"))
			move(t, store, "b", pipeline.Stored("2"))
		}
	})
	if err != nil || got.Watermark != 12 || string(got.values["a"]) != "2" || string(got.values["b"]) != "2" {
		t.Errorf("%+v %q and error %v", got.Export, got.values, err)
	}
	if _, err = collect(t, store, 3, func() { move(t, store, "c", pipeline.Stored("3")) }); err == nil || !strings.Contains(err.Error(), "moved on 3 times") {
		t.Errorf("a partition that never keeps still: error %v", err)
	}
}

// put imports c into a store; fail makes that save an outage, 0 none.
func putIn(ctx context.Context, store *storetest.Memory, c *collected, fail int) error {
	saves := 0
	store.Inject(func(call storetest.Call) storetest.Fault {
		if call.Op == "save" || call.Op == "amend" {
			if saves++; saves == fail {
				return storetest.Before
			}
		}
		return storetest.None
	})
	defer store.Inject(nil)
	seen, err := store.Meta(ctx, inPart)
	if err != nil {
		return err
	}
	im, err := admin.BeginImport(ctx, store, store, store, inPart, seen, c.Export)
	if err != nil {
		return err
	}
	for _, key := range c.keys {
		if err := im.Put(ctx, key, c.values[key]); err != nil {
			return err
		}
	}
	return im.Finish(ctx)
}

// Wherever an import is killed, a worker halts rather than go on from half of
// it; run again it is whole, and a worker goes on from there.
func TestImportIsWholeOrHalts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(4, 400)
		k, from, rules := &pipelinetest.Kafka{Log: log[:300]}, storetest.NewMemory(), pipelinetest.Rules(t)
		worked(t, k, from, rules)
		c, err := collect(t, from, 1, func() {})
		if err != nil || len(c.keys) < 5 {
			t.Fatalf("%d keys, error %v", len(c.keys), err)
		}
		k.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		worked(t, k, from, rules)
		// Large enough that every key is a checkpoint of its own.
		large := *c
		large.values = map[string]pipeline.Stored{}
		for key, v := range c.values {
			large.values[key] = append(bytes.Clone(v), make([]byte, 2<<20)...)
		}
		for fail := 1; fail <= len(c.keys); fail++ {
			store := storetest.NewMemory()
			if err := putIn(t.Context(), store, &large, fail); !errors.Is(err, storetest.ErrInjected) {
				t.Fatalf("save %d of %d: error %v", fail, len(c.keys), err)
			}
			meta, err := store.Meta(t.Context(), inPart)
			if err != nil || meta.Exists != (fail > 1) || admin.Unfinished(meta) != meta.Exists {
				t.Fatalf("after %d saves: %+v and error %v", fail-1, meta, err)
			}
			if meta.Exists {
				b := pipelinetest.StartWith(t, k, store, rules)
				if why := b.ReadyWithin(t, time.Minute, false); !strings.Contains(why, "claiming") && !strings.Contains(why, "half an import") {
					t.Errorf("after %d saves a worker says %q", fail-1, why)
				}
				if err := b.UntilEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "half an import") {
					t.Errorf("after %d saves: %v", fail-1, err)
				}
				b.Stop(t)
				if now, err := store.Meta(t.Context(), inPart); err != nil || now.Watermark != meta.Watermark {
					t.Errorf("a worker went on from half an import: %+v and error %v", now, err)
				}
			}
			if err := putIn(t.Context(), store, c, 0); err != nil {
				t.Fatal(err)
			}
			worked(t, k, store, rules)
			sameStates(t, from, store)
		}
	})
}

// sameStates compares values and what is stored about them.
func sameStates(t *testing.T, a, b *storetest.Memory) {
	t.Helper()
	x, err := collect(t, a, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	y, err := collect(t, b, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Gaps) == 0 && len(y.Gaps) == 0 {
		x.Gaps, y.Gaps = nil, nil
	}
	if !reflect.DeepEqual(x, y) {
		t.Errorf("two stores differ: %+v and %+v", x.Export, y.Export)
	}
}

// A partition that was reset under its worker is rebuilt to the same bits.
func TestResetUnderAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, store, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(5, 400)}, storetest.NewMemory(), pipelinetest.Rules(t)
		worked(t, k, store, rules)
		want, err := collect(t, store, 1, func() {})
		if err != nil {
			t.Fatal(err)
		}
		b := pipelinetest.StartWith(t, k, store, rules)
		b.ReadyWithin(t, time.Minute, true)
		store.Lose(inPart, "k3") // under its nose
		meta, err := store.Meta(t.Context(), inPart)
		if err != nil {
			t.Fatal(err)
		}
		if err := admin.Reset(t.Context(), store, store, inPart, meta, rules); err != nil {
			t.Fatal(err)
		}
		if err := admin.Reset(t.Context(), store, store, inPart, meta, rules); !errors.Is(err, pipeline.ErrFenced) {
			t.Errorf("a second reset by what was seen before the first: error %v", err)
		}
		b.CatchUp(t)
		b.Stop(t)
		got, err := collect(t, store, 1, func() {})
		if err != nil || !reflect.DeepEqual(got.values, want.values) || got.Watermark != want.Watermark {
			t.Errorf("rebuilt: %+v and error %v, was %+v", got.Export, err, want.Export)
		}
	})
}

// An import takes nothing from a worker: not one that claimed since somebody
// looked, and not one that claims while it is under way.
func TestImportIsFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, from, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(4, 300)}, storetest.NewMemory(), pipelinetest.Rules(t)
		worked(t, k, from, rules)
		c, err := collect(t, from, 1, func() {})
		if err != nil {
			t.Fatal(err)
		}
		for _, during := range []bool{false, true} {
			store := storetest.NewMemory()
			worked(t, k, store, rules)
			seen, err := store.Meta(t.Context(), inPart)
			if err != nil {
				t.Fatal(err)
			}
			lease, at := pipeline.NewLease(inPart), int64(-1)
			worker := func() {
				meta, err := store.Claim(t.Context(), lease)
				if err != nil {
					t.Fatal(err)
				}
				if meta.Exists {
					at = meta.Watermark
				}
			}
			if !during {
				worker()
			}
			im, err := admin.BeginImport(t.Context(), store, store, store, inPart, seen, c.Export)
			if during {
				if err != nil {
					t.Fatal(err)
				}
				worker()
				for _, key := range c.keys {
					if err := im.Put(t.Context(), key, c.values[key]); err != nil {
						t.Fatal(err)
					}
				}
				err = im.Finish(t.Context())
			}
			if !errors.Is(err, pipeline.ErrFenced) {
				t.Errorf("during %t: error %v", during, err)
			}
			err = store.Save(t.Context(), lease, pipeline.Checkpoint{From: at, To: 1000, Last: pipeline.Last{Offset: 999}})
			if meta, merr := store.Meta(t.Context(), inPart); err != nil || merr != nil || meta.Owner != lease.Token || meta.Watermark != 1000 {
				t.Errorf("during %t: the worker's own checkpoint: %v; %+v and error %v", during, err, meta, merr)
			}
		}
	})
}
