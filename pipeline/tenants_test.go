package pipeline_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/quota"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// TestMetricsByPrefix: the counts of all prefixes add up to those of the process, keys are those
// that the store has, and every series is there before the first record.
func TestMetricsByPrefix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part := pipeline.Partition{Topic: "in"}
		tenants := []quota.Limit{{Prefix: "unmatched"}, {Prefix: "zz"}}
		for i := range 9 {
			tenants = append(tenants, quota.Limit{Prefix: fmt.Sprintf("k%d", i)})
		}
		rules := pipelinetest.Rules(t).Tenants(tenants)
		store, log := storetest.NewMemory(), pipelinetest.Records(4, 400)
		gather := func(b *pipelinetest.Bench) map[string]float64 {
			got := map[string]float64{}
			all, err := b.Reg.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, family := range all {
				for _, x := range family.GetMetric() {
					labels := ""
					for _, l := range x.GetLabel() {
						if l.GetName() == "prefix" {
							labels = " " + l.GetValue()
						}
					}
					name := strings.TrimPrefix(family.GetName(), "credence_")
					got[name+labels] += x.GetCounter().GetValue() + x.GetGauge().GetValue()
					got[name] += 0
					if labels != "" {
						got[name] += x.GetCounter().GetValue() + x.GetGauge().GetValue()
					}
				}
			}
			return got
		}
		b := pipelinetest.StartWith(t, &pipelinetest.Kafka{}, store, rules)
		synctest.Wait()
		start := gather(b)
		for _, tenant := range tenants {
			for _, name := range []string{"records_total", "rows_total", "dead_letters_total", "refused_total", "state_written_bytes_total", "state_bytes", "keys"} {
				if v, ok := start["prefix_"+name+" "+tenant.Prefix]; !ok || v != 0 {
					t.Errorf("prefix_%s of %s is %g, there is %v", name, tenant.Prefix, v, ok)
				}
			}
		}
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		b.CatchUp(t)
		got := gather(b)
		nameless, dead := 0, map[string]float64{}
		for i := range log {
			if log[i].Key == nil {
				nameless++
			}
			dead[string(log[i].Key)]++
		}
		if got["prefix_records_total"] != float64(len(log)-nameless) || got["prefix_records_total k3"] != dead["k3"] {
			t.Errorf("records: %g of %d, of k3 %g of %g", got["prefix_records_total"], len(log)-nameless, got["prefix_records_total k3"], dead["k3"])
		}
		if n := got["prefix_rows_total"]; n == 0 || n != got["rows_absorbed_total"] {
			t.Errorf("rows: %g of %g", n, got["rows_absorbed_total"])
		}
		if n := got["prefix_dead_letters_total"]; n == 0 || n != got["records_dead_lettered_total"]-float64(nameless) || got["prefix_dead_letters_total unmatched"] != dead["unmatched"] {
			t.Errorf("dead letters: %g of %g and %d without a key", n, got["records_dead_lettered_total"], nameless)
		}
		if n := got["prefix_state_written_bytes_total"]; n == 0 || n != got["checkpoint_bytes_total"] {
			t.Errorf("bytes of state: %g of %g", n, got["checkpoint_bytes_total"])
		}
		for range 2 { // a second process finds what the store has
			for _, tenant := range tenants {
				n, err := store.Weigh(t.Context(), part, tenant.Prefix, math.MaxInt)
				if got := gather(b)["prefix_keys "+tenant.Prefix]; err != nil || got != float64(n.Keys) {
					t.Errorf("keys of %s: %g, the store has %d (%v)", tenant.Prefix, got, n.Keys, err)
				}
				if got := gather(b)["prefix_state_bytes "+tenant.Prefix]; got != float64(n.Bytes) {
					t.Errorf("bytes of %s: %g, the store has %d", tenant.Prefix, got, n.Bytes)
				}
			}
			b.Stop(t)
			if n := gather(b); n["prefix_keys"] != 0 || n["prefix_state_bytes"] != 0 {
				t.Errorf("%g keys and %g bytes after the end", n["prefix_keys"], n["prefix_state_bytes"])
			}
			amend(t, store, part)
			b = pipelinetest.StartWith(t, b.Kafka, store, rules)
			b.CatchUp(t)
			synctest.Wait()
		}
		b.Stop(t)
	})
}

// amend changes what is stored as a command does, which knows of no tenants: one key goes and one
// gets another value.
func amend(t *testing.T, store *storetest.Memory, part pipeline.Partition) {
	t.Helper()
	lease := pipeline.NewLease(part)
	meta, err := store.Claim(t.Context(), lease)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := store.Keys(t.Context(), part, "k", "", 3)
	if err != nil || len(keys) < 3 {
		t.Fatalf("keys %q, error %v", keys, err)
	}
	other, err := store.Get(t.Context(), part, keys[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Amend(t.Context(), lease, pipeline.Checkpoint{From: meta.Watermark, To: meta.Watermark, Last: meta.Last,
		Changes: []pipeline.Change{{Key: keys[0]}, {Key: keys[1], Value: append(other, other...)}}}); err != nil {
		t.Fatal(err)
	}
}

// TestTenantsAreNotOfTheConfiguration: prefixes without limits leave the fingerprint as it is.
func TestTenantsAreNotOfTheConfiguration(t *testing.T) {
	rules := pipelinetest.Rules(t)
	if with := rules.Tenants([]quota.Limit{{Prefix: "k1"}}); with.Config() != rules.Config() {
		t.Errorf("configuration %s, without tenants %s", with.Config(), rules.Config())
	}
}

// TestRefusedInAMinute: a record of a new key that comes when its minute is full is a dead letter
// that says which limit it met, when, and what to do, and is counted by that limit; keys that are
// there go on; the next minute takes new keys again, also when another process begins in the
// middle of one.
func TestRefusedInAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const minute = 60_000
		const noon = 1_764_158_400_000 // 2025-11-26T12:00Z
		rng := rand.New(rand.NewPCG(1, 61))
		var log []pipeline.Record
		add := func(key string, ms int64) {
			log = append(log, pipeline.Record{Offset: int64(len(log)), Time: ms, Key: []byte(key), Value: pipelinetest.Shard(rng)})
		}
		for i, key := range []string{"k3", "k4", "k5", "k3", "m1"} { // k5 is refused
			add(key, noon+int64(i))
		}
		first := len(log)
		add("k6", noon+minute-1) // so is k6
		add("k5", noon+minute)
		add("k6", noon) // late, in the minute of k5
		add("k7", noon+minute+1)
		rules := pipelinetest.Limited(t, quota.Limit{Prefix: "k", PerMinute: 2})
		store, kafka := storetest.NewMemory(), &pipelinetest.Kafka{Log: log[:first]}
		var refused float64
		for range 2 {
			b := pipelinetest.StartWith(t, kafka, store, rules)
			b.CatchUp(t)
			b.Stop(t)
			refused += refusals(t, b, quota.OfMinute)
			if n := refusals(t, b, quota.OfKeys); n != 0 {
				t.Errorf("%g are refused by the limit of keys", n)
			}
			kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		}
		letters := map[int64]string{}
		for _, o := range kafka.Sent {
			for _, h := range o.Headers {
				if h.Key == "reason" && o.Key != nil && string(o.Key) != "m1" {
					letters[o.Offset] = string(h.Value)
				}
			}
		}
		says := func(when string) string {
			return "the key is new, and 2 keys that begin with \"k\" were made in the partition in the minute of " + when +
				", by the times of their records; limits.prefixes allows 2 new_keys_per_minute. Replay the record later"
		}
		want := map[int64]string{2: says("2025-11-26T12:00Z"), 5: says("2025-11-26T12:00Z"), 8: says("2025-11-26T12:01Z")}
		if !maps.Equal(letters, want) || refused != 3 {
			t.Errorf("%g refused: %v, want %v", refused, letters, want)
		}
	})
}

// TestBytesOfAKey: a shard that would make the state of its key larger than the limit is a dead letter
// that says so, and the state is as if it had not been there, also in a process that begins
// afterwards; a state of just that size is not too large; other prefixes have no limit.
func TestBytesOfAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part, rng := pipeline.Partition{Topic: "in"}, rand.New(rand.NewPCG(1, 59))
		var log []pipeline.Record
		add := func(key string, rows int) {
			value := make([]byte, 0, 16*rows)
			for range 2 * rows {
				value = binary.LittleEndian.AppendUint64(value, math.Float64bits(rng.NormFloat64()))
			}
			log = append(log, pipeline.Record{Offset: int64(len(log)), Time: 1e12, Key: []byte(key), Value: value})
		}
		work := func(kafka *pipelinetest.Kafka, store *storetest.Memory, limits ...quota.Limit) float64 {
			b := pipelinetest.StartWith(t, kafka, store, pipelinetest.Limited(t, limits...))
			b.CatchUp(t)
			b.Stop(t)
			return refusals(t, b, quota.OfKeyBytes)
		}
		snapshot := func(store *storetest.Memory, key string) []byte {
			value, err := store.Get(t.Context(), part, key)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := pipeline.ParseStored(key, value)
			if err != nil {
				t.Fatal(err)
			}
			return stored.Snapshot
		}
		add("ka", 10)
		add("ka", 10)
		add("kb", 10)
		full, free := storetest.NewMemory(), &pipelinetest.Kafka{Log: log}
		work(free, full)
		want := snapshot(full, "ka")
		limit := quota.Limit{Prefix: "ka", KeyBytes: int64(len(want))}
		add("ka", 10) // 3: ten more of the key's first rows, which are kept
		add("kb", 10)
		add("ka", 1) // 5: one more is too many, too
		kafka, store := &pipelinetest.Kafka{Log: log[:4]}, storetest.NewMemory()
		refused := work(kafka, store, limit)
		kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		refused += work(kafka, store, limit)
		letters := map[int64]string{}
		for _, o := range kafka.Sent {
			for i, h := range o.Headers {
				if h.Key == "stage" {
					letters[o.Offset] = string(h.Value) + ": " + string(o.Headers[i+1].Value)
				}
			}
		}
		says := func(n int) string {
			return fmt.Sprintf("limit: the record would make the state of its key %d bytes large; limits.prefixes allows %d bytes_per_key of keys that begin with \"ka\". "+
				"The state is as it was: raise the limit and replay the record, or let the model have fewer columns or groups", n, len(want))
		}
		const row, shard = 2*8 + 8, 1 + 8 + 1 // kept: two columns and the response; number, discount and rows
		const prints = 4 + 4                  // of ten rows, by which they would be known again
		if all := map[int64]string{3: says(len(want) + 10*row + shard + prints), 5: says(len(want) + row + shard)}; !maps.Equal(letters, all) || refused != 2 {
			t.Errorf("%g refused: %v, want %v", refused, letters, all)
		}
		if got := snapshot(store, "ka"); !bytes.Equal(got, want) {
			t.Errorf("the state has %d bytes, want %d", len(got), len(want))
		}
		free.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		work(free, full)
		if got := snapshot(store, "kb"); !bytes.Equal(got, snapshot(full, "kb")) {
			t.Error("a key that has no limit has another state than without one")
		}
	})
}

// refusals are the records that a kind of limit has refused.
func refusals(t *testing.T, b *pipelinetest.Bench, limit string) (n float64) {
	t.Helper()
	families, err := b.Reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, x := range family.GetMetric() {
			for _, l := range x.GetLabel() {
				if family.GetName() == "credence_prefix_refused_total" && l.GetName() == "limit" && l.GetValue() == limit {
					n += x.GetCounter().GetValue()
				}
			}
		}
	}
	return n
}
