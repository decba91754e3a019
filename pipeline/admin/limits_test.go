package admin_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
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
