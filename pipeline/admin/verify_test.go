package admin_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/gather"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

var inPart = pipeline.Partition{Topic: "in"}

// worked is a store after a worker has gone through the whole log.
func worked(t *testing.T, k *pipelinetest.Kafka, store *storetest.Memory, rules *pipeline.Rules) {
	t.Helper()
	b := pipelinetest.StartWith(t, k, store, rules)
	b.CatchUp(t)
	b.Stop(t)
}

func verifier(k *pipelinetest.Kafka, store *storetest.Memory, rules *pipeline.Rules, memory int64) *admin.Verifier {
	return &admin.Verifier{Log: k, Store: store, Reader: store, Rules: rules, Memory: memory,
		NewLog:     func(pipeline.Limits) (pipeline.Log, error) { return k, nil },
		NewOutputs: func(pipeline.Limits) pipeline.Outputs { return pipelinetest.Outputs{} },
		NewDecoder: func(pipeline.Limits) pipeline.Decoder { return &pipelinetest.Decoder{} }}
}

// verify returns what was found and the mismatches, a line each.
func verify(t *testing.T, k *pipelinetest.Kafka, store *storetest.Memory, rules *pipeline.Rules, memory int64) (admin.Verified, []string) {
	t.Helper()
	var wrong []string
	got, err := verifier(k, store, rules, memory).Verify(t.Context(), inPart, func(m admin.Mismatch) error {
		wrong = append(wrong, fmt.Sprintf("%s@%d: %s", m.Key, m.Offset, m.What))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, wrong
}

// A worker's states are what the verifier computes, over every kind of record,
// in one pass and in as many as there are keys.
func TestVerifierAgreesWithWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(5) {
			k, store, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(seed, 400)}, storetest.NewMemory(), pipelinetest.Rules(t)
			worked(t, k, store, rules)
			meta, err := store.Meta(t.Context(), inPart)
			if err != nil {
				t.Fatal(err)
			}
			for _, memory := range []int64{1 << 30, 8 << 10, 1} {
				got, wrong := verify(t, k, store, rules, memory)
				if got.Keys != meta.Keys || got.Keys < 5 || len(wrong) > 0 || got.Trimmed > 0 {
					t.Errorf("seed %d, %d bytes: %+v of %d keys, %q", seed, memory, got, meta.Keys, wrong)
				}
			}
		}
	})
}

// Of a log that was trimmed only those states can be verified that began
// later, and none is called wrong.
func TestVerifierOnATrimmedLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(5) {
			k, store, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(seed, 400)}, storetest.NewMemory(), pipelinetest.Rules(t)
			worked(t, k, store, rules)
			whole, _ := verify(t, k, store, rules, 1<<30)
			k.Set(func(k *pipelinetest.Kafka) { k.Start = 250 })
			got, wrong := verify(t, k, store, rules, 1<<30)
			if len(wrong) > 0 || got.Trimmed == 0 || got.Keys+got.Trimmed != whole.Keys || got.Origin != 0 || got.Start != 250 {
				t.Errorf("seed %d: %+v of %d keys, %q", seed, got, whole.Keys, wrong)
			}
		}
	})
}

// What is recomputed under limits that were raised later is refused where it
// was refused then.
func TestVerifierKnowsFormerLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := func(rows int) *pipeline.Rules {
			s := pipelinetest.Spec(t, cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}})
			s.Limits.Rows = rows
			rules, err := pipeline.NewRules([]pipeline.Rule{{Match: "k*", Spec: s}},
				pipeline.Limits{Record: 1 << 20, Rows: rows, Columns: 10, Groups: 10, Summary: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			return rules
		}
		log := pipelinetest.Records(3, 300)
		k, store := &pipelinetest.Kafka{Log: log[:150]}, storetest.NewMemory()
		worked(t, k, store, spec(3))
		k.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		worked(t, k, store, spec(1000))
		meta, err := store.Meta(t.Context(), inPart)
		if err != nil || len(meta.Configured) != 2 {
			t.Fatalf("%d configurations, error %v", len(meta.Configured), err)
		}
		if got, wrong := verify(t, k, store, spec(1000), 1<<30); got.Keys != meta.Keys || len(wrong) > 0 {
			t.Errorf("%+v of %d keys, %q", got, meta.Keys, wrong)
		}
	})
}

// TestVerifierReadsAsWorkersRead: what a worker could not unpack under limits that
// were raised later is refused again, before that offset and not after.
func TestVerifierReadsAsWorkersRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := func(record int64) *pipeline.Rules {
			spec := pipelinetest.Spec(t, cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}})
			r, err := pipeline.NewRules([]pipeline.Rule{{Match: "k*", Spec: spec}},
				pipeline.Limits{Record: record, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		log := pipelinetest.Records(3, 160) // no tombstone hides what went wrong at 150
		var sizes []int
		for i := range log {
			sizes = append(sizes, len(log[i].Value))
		}
		slices.Sort(sizes)
		limit := sizes[len(sizes)/2]
		k, store := &pipelinetest.Kafka{Log: log[:150], Limit: limit}, storetest.NewMemory()
		worked(t, k, store, rules(1<<19))
		k.Set(func(k *pipelinetest.Kafka) { k.Log, k.Limit = log, 0 })
		worked(t, k, store, rules(1<<20))
		v := verifier(k, store, rules(1<<20), 1<<30)
		v.NewLog = func(l pipeline.Limits) (pipeline.Log, error) {
			if l.Record == 1<<19 {
				return &pipelinetest.Kafka{Log: log, Limit: limit}, nil
			}
			return k, nil
		}
		got, err := v.Verify(t.Context(), inPart, func(m admin.Mismatch) error {
			t.Errorf("%s@%d: %s", m.Key, m.Offset, m.What)
			return nil
		})
		if err != nil || got.Keys < 5 {
			t.Errorf("limit %d of %v: %+v, %v", limit, sizes, got, err)
		}
	})
}

// Rows that wait are recomputed as workers gather them.
func TestVerifierGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(5) {
			k, store := &pipelinetest.Kafka{Log: pipelinetest.Records(seed, 400)}, storetest.NewMemory()
			rules := pipelinetest.Rules(t).Gathering(gather.Rule{Rows: 60, Millis: 70})
			worked(t, k, store, rules)
			meta, err := store.Meta(t.Context(), inPart)
			if err != nil {
				t.Fatal(err)
			}
			for _, memory := range []int64{1 << 30, 8 << 10, 1} {
				if got, wrong := verify(t, k, store, rules, memory); got.Keys != meta.Keys || got.Keys < 5 || len(wrong) > 0 {
					t.Errorf("seed %d, %d bytes: %+v of %d keys, %q", seed, memory, got, meta.Keys, wrong)
				}
			}
		}
	})
}

// Whatever is changed in the store is found and named.
func TestVerifierFindsDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, store, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(1, 400)}, storetest.NewMemory(), pipelinetest.Rules(t)
		worked(t, k, store, rules)
		store.Lose(inPart, "k3")
		store.LoseBlob(inPart, "k4")
		_, wrong := verify(t, k, store, rules, 1)
		if text := strings.Join(wrong, "\n"); len(wrong) != 2 || !strings.Contains(text, "k3@") || !strings.Contains(text, "no state is stored") || !strings.Contains(text, "the blob of key \"k4\" is missing") {
			t.Errorf("%q", wrong)
		}
		other := &pipelinetest.Kafka{Log: pipelinetest.Records(2, 400)}
		if _, err := verifier(other, store, rules, 1<<30).Verify(t.Context(), inPart, nil); err == nil || !strings.Contains(err.Error(), "not the one that was applied") {
			t.Errorf("another log: %v", err)
		}
	})
}

// changed is a store of which one value reads otherwise.
type changed struct {
	pipeline.Reader
	key    string
	change func(*pipeline.Envelope)
}

func (c changed) Get(ctx context.Context, p pipeline.Partition, key string) (pipeline.Stored, error) {
	value, err := c.Reader.Get(ctx, p, key)
	if err != nil || key != c.key {
		return value, err
	}
	var e pipeline.Envelope
	if err := e.UnmarshalBinary(value); err != nil {
		return nil, err
	}
	c.change(&e)
	return e.AppendBinary(nil)
}

// What a checksum cannot tell, since it is right, is told by the log.
func TestVerifierFindsWhatIsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, store := &pipelinetest.Kafka{Log: pipelinetest.Records(1, 400)}, storetest.NewMemory()
		rules := pipelinetest.Rules(t).Gathering(gather.Rule{Rows: 50})
		worked(t, k, store, rules)
		for what, change := range map[string]func(*pipeline.Envelope){
			"nothing": func(*pipeline.Envelope) {},
			"time":    func(e *pipeline.Envelope) { e.Time++ },
			"outlier": func(e *pipeline.Envelope) { e.Outlier++ },
			"repeats": func(e *pipeline.Envelope) { _ = e.SetRepeats([]byte{1, 1, 'r', 9}) },
			"what waits": func(e *pipeline.Envelope) {
				if e.Waiting == nil {
					t.Fatal("nothing waits")
				}
				e.Waiting.Add(e.Waiting.Batch())
			},
		} {
			v, found := verifier(k, store, rules, 1<<30), 0
			v.Reader = changed{store, "k1", change}
			_, err := v.Verify(t.Context(), inPart, func(m admin.Mismatch) error {
				if found++; m.Key != "k1" {
					t.Errorf("%s: %+v", what, m)
				}
				return nil
			})
			if err != nil || (found > 0) != (what != "nothing") {
				t.Errorf("%s changed: %d states are wrong, %v", what, found, err)
			}
		}
	})
}

// TestVerifierAgreesWhereOutputsFail: a record whose outputs have no bytes was not
// applied, and is no mismatch.
func TestVerifierAgreesWhereOutputsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(3, 200)
		for i := 5; i < len(log); i += 10 {
			log[i].Headers = append(log[i].Headers, pipeline.Header{Key: pipelinetest.Unencodable})
		}
		k, store, rules := &pipelinetest.Kafka{Log: log}, storetest.NewMemory(), pipelinetest.Rules(t)
		worked(t, k, store, rules)
		if got, wrong := verify(t, k, store, rules, 1<<30); got.Keys < 5 || len(wrong) > 0 {
			t.Errorf("%+v, %q", got, wrong)
		}
	})
}
