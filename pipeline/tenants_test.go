package pipeline_test

import (
	"fmt"
	"math"
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
			for _, name := range []string{"records_total", "rows_total", "dead_letters_total", "state_written_bytes_total", "state_bytes", "keys"} {
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
