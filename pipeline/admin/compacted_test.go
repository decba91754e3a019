package admin_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// compacted makes the log one that has, below an offset, the newest record of each key alone.
func compacted(k *pipelinetest.Kafka, below int) {
	newest := map[string]int64{}
	for i := range k.Log[:below] {
		newest[string(k.Log[i].Key)] = int64(i)
	}
	log := k.Log
	k.Set(func(k *pipelinetest.Kafka) {
		k.Gone = func(at int64) bool { return at < int64(below) && newest[string(log[at].Key)] != at }
	})
}

// A state whose shards compaction has taken is neither right nor wrong, and one that it left alone is verified:
// what is damaged there is found.
func TestVerifierOnACompactedLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(5) {
			for _, below := range []int{400, 250, 3} {
				k, store, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(seed, 400)}, storetest.NewMemory(), pipelinetest.Rules(t)
				worked(t, k, store, rules)
				whole, _ := verify(t, k, store, rules, 1<<30)
				compacted(k, below)
				for _, memory := range []int64{1 << 30, 1} {
					got, wrong := verify(t, k, store, rules, memory)
					if len(wrong) > 0 || got.Keys+got.Trimmed != whole.Keys || got.Start != 0 || (got.Trimmed > 0) != (below > 3 || got.Keys < whole.Keys) {
						t.Errorf("seed %d, below %d: %+v of %d keys, %q", seed, below, got, whole.Keys, wrong)
					}
					if below > 3 && (got.Lack.Count == 0 || got.Lack.First > 10) {
						t.Errorf("seed %d, below %d: lacks %+v", seed, below, got.Lack)
					}
				}
			}
		}
	})
}

// A repeat whose first copy is gone is applied where the log is read again: the state is that of the first copy,
// and not wrong.
func TestVerifierOfARepeatWhoseOriginalIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(1, 60)
		for i := range log {
			log[i].Key, log[i].Value = []byte("other"), nil
		}
		full := pipelinetest.Records(1, 60)
		at := 0
		for len(full[at].Value) < 20 || full[at].Refused != nil {
			at++
		}
		for _, i := range []int{2, 40} {
			log[i].Key, log[i].Value, log[i].Headers = []byte("k1"), full[at].Value, pipelinetest.ShardHeader("run", 1)
		}
		for name, lose := range map[string]func(*pipelinetest.Kafka){
			"compaction": func(k *pipelinetest.Kafka) { compacted(k, 60) },
			"retention":  func(k *pipelinetest.Kafka) { k.Set(func(k *pipelinetest.Kafka) { k.Start = 30 }) },
		} {
			k, store, rules := &pipelinetest.Kafka{Log: log}, storetest.NewMemory(), pipelinetest.Rules(t)
			worked(t, k, store, rules)
			if got, wrong := verify(t, k, store, rules, 1<<30); got.Keys != 1 || len(wrong) > 0 {
				t.Fatalf("whole: %+v, %q", got, wrong)
			}
			lose(k)
			if got, wrong := verify(t, k, store, rules, 1<<30); got.Trimmed != 1 || len(wrong) > 0 {
				t.Errorf("%s: %+v, %q", name, got, wrong)
			}
		}
	})
}

// The past of a key is not what the records are that compaction left: it is told where the log gives what is
// stored now as well, and refused elsewhere.
func TestPastOfACompactedLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, rules := pipelinetest.Records(2, 400), pipelinetest.Rules(t)
		k, store := &pipelinetest.Kafka{Log: log}, storetest.NewMemory()
		worked(t, k, store, rules)
		told, refused := 0, 0
		for _, below := range []int64{150, 390} {
			for _, key := range []string{"k0", "k1", "k2", "k3", "k4", "k5"} {
				k.Set(func(k *pipelinetest.Kafka) { k.Gone = nil })
				want, err := past(k, store, rules).At(t.Context(), inPart, key, below)
				if err != nil {
					t.Fatal(err)
				}
				compacted(k, 120)
				got, err := past(k, store, rules).At(t.Context(), inPart, key, below)
				var trimmed *admin.TrimmedError
				switch {
				case errors.As(err, &trimmed):
					refused++
					if trimmed.Lack.Count == 0 || !strings.Contains(err.Error(), "was compacted: it lacks") {
						t.Errorf("key %s below %d: %v", key, below, err)
					}
				case err != nil || !bytes.Equal(got, want):
					t.Errorf("key %s below %d: %d bytes and %v, want %d", key, below, len(got), err, len(want))
				default:
					told++
				}
			}
		}
		if refused < 3 {
			t.Errorf("%d refused, %d told", refused, told)
		}
		// Another key's records are gone, and none of these keys'.
		told = 0
		for _, key := range []string{"k1", "k2", "k3", "k4", "k5"} {
			k.Set(func(k *pipelinetest.Kafka) { k.Gone = nil })
			want, _ := past(k, store, rules).At(t.Context(), inPart, key, 350)
			k.Set(func(k *pipelinetest.Kafka) {
				k.Gone = func(at int64) bool { return string(log[at].Key) == "k0" }
			})
			got, err := past(k, store, rules).At(t.Context(), inPart, key, 350)
			if trimmed := new(admin.TrimmedError); errors.As(err, &trimmed) {
				continue // deleted since
			}
			if told++; err != nil || !bytes.Equal(got, want) {
				t.Errorf("nothing of key %s is gone: %d bytes and %v, want %d", key, len(got), err, len(want))
			}
		}
		if told == 0 {
			t.Error("no key's past is told")
		}
	})
}
