package admin_test

import (
	"bytes"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/quota"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// limited are rules under a limit of the keys that begin with k, none for 0.
func limited(t *testing.T, keys int64) *pipeline.Rules {
	t.Helper()
	s := pipelinetest.Spec(t, cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}})
	limits := pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20}
	s.Limits = cdf.Limits{Rows: limits.Rows, Columns: limits.Columns, Groups: limits.Groups}
	if keys > 0 {
		limits.Prefixes = []quota.Limit{{Prefix: "k", Keys: keys}}
	}
	rules, err := pipeline.NewRules([]pipeline.Rule{{Match: "k*", Spec: s}}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// TestVerifierMeetsLimits: what is recomputed meets the limits where a worker met them, in one
// pass and in as many as there are keys, also those that were in force for a while, and the past
// of every key is what a worker had stored by then.
func TestVerifierMeetsLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fewer := 0
		for seed := range uint64(6) {
			log := pipelinetest.Records(seed, 400)
			k, store := &pipelinetest.Kafka{}, storetest.NewMemory()
			var rules *pipeline.Rules
			for i, keys := range []int64{3, 0, 2, 5} { // raised, taken away, lowered
				rules = limited(t, keys)
				k.Set(func(k *pipelinetest.Kafka) { k.Log = log[:100*(i+1)] })
				worked(t, k, store, rules)
			}
			free := storetest.NewMemory()
			worked(t, &pipelinetest.Kafka{Log: log}, free, limited(t, 0))
			meta, err := store.Meta(t.Context(), inPart)
			if err != nil || len(meta.Configured) != 4 {
				t.Fatalf("%d configurations, error %v", len(meta.Configured), err)
			}
			for _, memory := range []int64{1 << 30, 8 << 10, 1} {
				got, wrong := verify(t, k, store, rules, memory)
				if got.Keys != meta.Keys || len(wrong) > 0 || got.Trimmed > 0 {
					t.Errorf("seed %d, %d bytes: %+v of %d keys, %q", seed, memory, got, meta.Keys, wrong)
				}
			}
			for i := range 8 {
				key := fmt.Sprintf("k%d", i)
				want, err := store.Get(t.Context(), inPart, key)
				if err != nil {
					t.Fatal(err)
				}
				got, err := past(k, store, rules).At(t.Context(), inPart, key, 400)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("seed %d: the past of %s has %d bytes and error %v, stored are %d", seed, key, len(got), err, len(want))
				}
				if without, err := free.Get(t.Context(), inPart, key); err != nil || !bytes.Equal(want, without) {
					fewer++
				}
			}
		}
		if fewer < 6 {
			t.Errorf("%d states differ from those without limits", fewer)
		}
	})
}

// TestVerifierOfLimitsOnATrimmedLog: which keys there were is not told by a part of the log, so
// no state under a limit is called wrong.
func TestVerifierOfLimitsOnATrimmedLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(4) {
			k, store, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(seed, 400)}, storetest.NewMemory(), limited(t, 3)
			worked(t, k, store, rules)
			k.Set(func(k *pipelinetest.Kafka) { k.Start = 250 })
			if got, wrong := verify(t, k, store, rules, 1<<30); len(wrong) > 0 {
				t.Errorf("seed %d: %+v, %q", seed, got, wrong)
			}
		}
	})
}

// TestVerifierOfLimitsInAnotherEra: a key that a limit refused in the partition that it had before
// the topic was rescaled is not called wrong in the one that it has now, also where there is no
// limit any more; and what is decided after the rescaling goes by the keys that came along.
func TestVerifierOfLimitsInAnotherEra(t *testing.T) {
	for _, after := range []int64{0, 2} {
		synctest.Test(t, func(t *testing.T) {
			records := pipelinetest.Records(11, 600)
			l, store, free := newTopic(1), storetest.NewMemory(), storetest.NewMemory()
			l.send(records[:350])
			l.work(t, free, limited(t, 0))
			l.work(t, store, limited(t, 5))
			before := states(t, store, 1)
			if all := states(t, free, 1); len(before) >= len(all) {
				t.Fatalf("%d keys under the limit, %d without", len(before), len(all))
			}
			rules := limited(t, after)
			if err := l.rescale(t, store, rules, 5).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			told := func() (all admin.Verified) {
				layout, err := store.Layout(t.Context(), "in")
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range l.parts {
					got, err := verifierOf(l, layout, store, rules, 1<<30).Verify(t.Context(), pipeline.Partition{Topic: "in", ID: k.ID}, func(m admin.Mismatch) error {
						t.Errorf("limit %d: %s@%d of %s: %s", after, m.Key, m.Offset, m.Partition, m.What)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					all.Keys, all.Trimmed = all.Keys+got.Keys, all.Trimmed+got.Trimmed
				}
				return all
			}
			if got := told(); got.Keys == 0 || got.Trimmed == 0 {
				t.Errorf("limit %d: %+v, some keys can be verified and some cannot", after, got)
			}
			// A partition that is full of keys that came along takes no new one.
			full := map[int32]int{}
			for key := range before {
				full[home([]byte(key), 5)]++
			}
			l.send(records[350:])
			l.work(t, store, rules)
			refused := 0
			for _, k := range l.parts {
				meta, err := store.Meta(t.Context(), pipeline.Partition{Topic: "in", ID: k.ID})
				if err != nil {
					t.Fatal(err)
				}
				if after > 0 && meta.Keys > max(after, int64(full[k.ID])) {
					t.Errorf("partition %d has %d keys, %d came along, and the limit is %d", k.ID, meta.Keys, full[k.ID], after)
				}
				for _, o := range k.Sent {
					for _, h := range o.Headers {
						if h.Key == "stage" && string(h.Value) == string(pipeline.StageLimit) {
							refused++
						}
					}
				}
			}
			t.Logf("limit %d: %d keys of %v came along, %d refused in all", after, len(before), full, refused)
			told()
		})
	}
}

// TestRebuiltUnderALimit: a partition that is reset under another limit is as one that had it from
// the start, and one that was imported goes on as the one it was exported from, with as many keys
// as its limit left it.
func TestRebuiltUnderALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(4) {
			log := pipelinetest.Records(seed, 400)
			k, store := &pipelinetest.Kafka{Log: log}, storetest.NewMemory()
			worked(t, k, store, limited(t, 5))
			meta, err := store.Meta(t.Context(), inPart)
			if err != nil {
				t.Fatal(err)
			}
			lower := limited(t, 2)
			if err := admin.Reset(t.Context(), store, store, inPart, meta, lower); err != nil {
				t.Fatal(err)
			}
			worked(t, k, store, lower)
			always := storetest.NewMemory()
			worked(t, &pipelinetest.Kafka{Log: log}, always, lower)
			same(t, fmt.Sprintf("seed %d, reset", seed), store, always)
			if _, wrong := verify(t, k, store, lower, 1<<30); len(wrong) > 0 {
				t.Errorf("seed %d: %q", seed, wrong)
			}

			k, from, into := &pipelinetest.Kafka{Log: log[:200]}, storetest.NewMemory(), storetest.NewMemory()
			worked(t, k, from, lower)
			c, err := collect(t, from, 1, func() {})
			if err != nil {
				t.Fatal(err)
			}
			if err := putIn(t.Context(), into, c, 0); err != nil {
				t.Fatal(err)
			}
			for _, s := range []*storetest.Memory{from, into} {
				worked(t, &pipelinetest.Kafka{Log: log}, s, lower)
			}
			same(t, fmt.Sprintf("seed %d, imported", seed), into, from)
		}
	})
}

// same compares all that is stored of keys.
func same(t *testing.T, what string, a, b *storetest.Memory) {
	t.Helper()
	one, err := collect(t, a, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	other, err := collect(t, b, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if len(one.keys) == 0 || !maps.EqualFunc(one.values, other.values, func(a, b pipeline.Stored) bool { return bytes.Equal(a, b) }) {
		t.Errorf("%s: %d keys, and %d", what, len(one.keys), len(other.keys))
	}
}
