package pipeline_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// TestStoredStateSaysWhatWasPublished reads every key back as `consumer get`
// does and compares with what was published last, also for the model that
// draws, whose state cannot tell.
func TestStoredStateSaysWhatWasPublished(t *testing.T) {
	log := pipelinetest.Records(11, 400)
	store := storetest.NewMemory()
	s := newSim(t, 0, store, log)
	settle(t, s)
	states, sent := contents(t, store, s)
	last, weak := map[string]pipeline.Output{}, 0
	for _, o := range sent {
		if o.Topic == "out" {
			last[string(o.Key)] = o
		}
		if string(o.Key) == "k2" && bytes.Contains(o.Value, []byte("weak=[\"")) {
			weak++
		}
	}
	if weak == 0 {
		t.Error("no shard mixed weakly: the simulation does not cross such shards with a restart")
	}
	if len(states) < 5 || states["k2"] == "" {
		t.Fatalf("%d keys are stored", len(states))
	}
	p := pipeline.Partition{Topic: "in"}
	for key := range states {
		value, err := store.Get(context.Background(), p, key)
		if err != nil {
			t.Fatal(err)
		}
		found, _, err := s.Rules.Restore(p, key, value)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		outs, err := pipelinetest.Outputs{}.Posterior(nil, nil, found, nil, &pipeline.Record{})
		if err != nil {
			t.Fatal(err)
		}
		if want := last[key]; !bytes.Equal(outs[0].Value, want.Value) || found.Offset != want.Offset || found.Time != want.Time {
			t.Errorf("%s: the store says\n%s, published was\n%s", key, outs[0].Value, want.Value)
		}
		if drawn := strings.Contains(string(outs[0].Value), "draws=16"); drawn != (key == "k2") {
			t.Errorf("%s: %s", key, outs[0].Value)
		}
	}
}
