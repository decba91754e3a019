package admin_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

func past(k *pipelinetest.Kafka, store *storetest.Memory, rules *pipeline.Rules) *admin.Past {
	return &admin.Past{Log: k, Store: store, Reader: store, Layouts: store, Rules: rules,
		NewLog:     func(pipeline.Limits) (pipeline.Log, error) { return k, nil },
		NewOutputs: func(pipeline.Limits) pipeline.Outputs { return pipelinetest.Outputs{} },
		NewDecoder: func(pipeline.Limits) pipeline.Decoder { return &pipelinetest.Decoder{} }}
}

// TestPastIsWhatWasStored: the state of every key at any place of the log is what a worker
// had stored that had read so far, in a log with every kind of record.
func TestPastIsWhatWasStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, rules := pipelinetest.Records(2, 400), pipelinetest.Rules(t)
		k, store := &pipelinetest.Kafka{Log: log}, storetest.NewMemory()
		worked(t, k, store, rules)
		states := 0
		for _, below := range []int64{0, 1, 37, 150, 151, 263, 400} {
			then := storetest.NewMemory()
			worked(t, &pipelinetest.Kafka{Log: log[:below]}, then, rules)
			for _, key := range []string{"k0", "k1", "k2", "k3", "k4", "k5", "none"} {
				want, err := then.Get(t.Context(), inPart, key)
				if err != nil {
					t.Fatal(err)
				}
				got, err := past(k, store, rules).At(t.Context(), inPart, key, below)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("key %s below offset %d: %d bytes and error %v, a worker had stored %d bytes", key, below, len(got), err, len(want))
				}
				if want != nil {
					states++
				}
			}
		}
		if states < 20 {
			t.Errorf("%d states were compared", states)
		}
		if _, err := past(k, store, rules).At(t.Context(), inPart, "k1", 401); err == nil {
			t.Error("what comes after the end is known")
		}
		k.Set(func(k *pipelinetest.Kafka) { k.Start = 100 })
		var trimmed *admin.TrimmedError
		if _, err := past(k, store, rules).At(t.Context(), inPart, "k1", 300); !errors.As(err, &trimmed) || trimmed.Start != 100 {
			t.Errorf("a log that was trimmed: %v", err)
		}
	})
}

// TestPastKnowsGaps: what a group gave up is given up in its past, too.
func TestPastKnowsGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, rules := pipelinetest.Records(3, 160), pipelinetest.Rules(t)
		k, store := &pipelinetest.Kafka{Log: log}, storetest.NewMemory()
		worked(t, k, store, rules)
		whole, err := past(k, store, rules).At(t.Context(), inPart, "k1", 160)
		if err != nil {
			t.Fatal(err)
		}
		before, err := pipeline.ParseStored("k1", whole)
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for i := range log {
			if string(log[i].Key) != "k1" {
				continue
			}
			v := past(k, store, rules)
			v.Store = gapped{store, []pipeline.Gap{{From: int64(i), To: int64(i) + 1}}}
			got, err := v.At(t.Context(), inPart, "k1", 160)
			if err != nil {
				t.Fatal(err)
			}
			state, err := pipeline.ParseStored("k1", got)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(state.Snapshot, before.Snapshot) {
				changed++
			}
			if int64(i) < before.Offset && state.Offset == before.Offset && state.Gaps != 1 {
				t.Errorf("offset %d was given up, and %d gaps are known", i, state.Gaps)
			}
		}
		if changed < 3 {
			t.Errorf("the past has what was given up: %d offsets change it", changed)
		}
	})
}

// gapped is a store of a group that gave up some offsets.
type gapped struct {
	*storetest.Memory
	gaps []pipeline.Gap
}

func (g gapped) Meta(ctx context.Context, p pipeline.Partition) (pipeline.Meta, error) {
	m, err := g.Memory.Meta(ctx, p)
	m.Gaps = g.gaps
	return m, err
}

// TestPastOfARescaledTopic: one partition does not have all that its keys learnt, neither
// after a rescaling nor during one.
func TestPastOfARescaledTopic(t *testing.T) {
	p := pipeline.Partition{Topic: "in"}
	for name, is := range map[string]pipeline.Layout{
		"rescaled":  {Partitions: 2, Past: []pipeline.Era{{ID: "x", Partitions: make([]pipeline.Stretch, 1)}}},
		"rescaling": {Partitions: pipeline.Rescales, Moving: &pipeline.Moving{From: 1, To: 2, Step: pipeline.MoveBegun}},
	} {
		store := storetest.NewMemory()
		was, err := store.Layout(t.Context(), p.Topic)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.SetLayout(t.Context(), p.Topic, was, is); err != nil {
			t.Fatal(err)
		}
		v := past(&pipelinetest.Kafka{Log: pipelinetest.Records(2, 10)}, store, pipelinetest.Rules(t))
		if _, err := v.At(t.Context(), p, "k1", 5); err == nil || !strings.Contains(err.Error(), "was rescaled") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
