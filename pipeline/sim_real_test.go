package pipeline_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// Simulations of real models: their oracle is a run without trouble.

// newSim returns a run without trouble over a log that is all there.
func newSim(t testing.TB, seed uint64, store *storetest.Memory, log []pipeline.Record) *pipeline.Sim {
	p := pipeline.Plan{Seed: seed, Lanes: 2, Records: 7, Bytes: 1 << 20, Backlog: 2000, Cache: 1 << 40, Fetch: 9,
		Interval: time.Second, Delay: 2 * time.Millisecond, Cost: time.Millisecond}
	for _, r := range log {
		p.Log = append(p.Log, pipeline.Arrival{Record: r})
	}
	return withModels(t, p, store)
}

func withModels(t testing.TB, p pipeline.Plan, store *storetest.Memory) *pipeline.Sim {
	s := pipeline.NewSim(p, simStore{store})
	s.Rules = pipelinetest.Rules(t)
	s.Decoder = func() pipeline.Decoder { return &pipelinetest.Decoder{} }
	s.Outputs = func() pipeline.Outputs { return pipelinetest.Outputs{} }
	return s
}

// newTroubledSim returns a run with the trouble of a seed, as far as it leaves
// the log as it is.
func newTroubledSim(t testing.TB, seed uint64, store *storetest.Memory, log []pipeline.Record) *pipeline.Sim {
	p := pipeline.DrawPlan(seed)
	p.Faults = slices.DeleteFunc(p.Faults, func(f pipeline.Fault) bool {
		return f.Kind == pipeline.Truncate || f.Kind == pipeline.Recreate || f.Kind == pipeline.Trim
	})
	span := p.Log[len(p.Log)-1].At
	p.Log = nil
	for i, r := range log {
		p.Log = append(p.Log, pipeline.Arrival{At: span * time.Duration(i) / time.Duration(len(log)), Record: r})
	}
	return withModels(t, p, store)
}

// settle runs until everything is applied and saved.
func settle(t *testing.T, s *pipeline.Sim) {
	t.Helper()
	if v := s.Run(); v != nil {
		t.Fatalf("%s: %s", v.Kind, v.What)
	}
}

// undisturbed is what a single worker without any trouble makes of the log under rules:
// the states, and all that was sent.
func undisturbed(t *testing.T, rules *pipeline.Rules, log []pipeline.Record) (states map[string]string, sent []pipeline.Output) {
	t.Helper()
	store := storetest.NewMemory()
	s := newSim(t, 0, store, log)
	s.Rules = rules
	settle(t, s)
	return contents(t, store, s)
}

// throughTrouble fails the test unless a run with the trouble of a seed ends as one
// without, and returns the states and what the latter sent.
func throughTrouble(t *testing.T, seed uint64, rules *pipeline.Rules, log []pipeline.Record) (states map[string]string, sent []pipeline.Output) {
	t.Helper()
	wantStates, want := undisturbed(t, rules, log)
	store := storetest.NewMemory()
	s := newTroubledSim(t, seed, store, log)
	s.Rules = rules
	settle(t, s)
	states, got := contents(t, store, s)
	compare(t, wantStates, states, want, got)
	return states, want
}

// message identifies an output: one offset has at most one per topic.
type message struct {
	topic  string
	offset int64
}

func idOf(o pipeline.Output) message { return message{o.Topic, o.Offset} }

// contents is all that the store holds of the keys, and what was published:
// the first occurrence per input offset and topic.
func contents(t *testing.T, store *storetest.Memory, s *pipeline.Sim) (map[string]string, []pipeline.Output) {
	t.Helper()
	ctx, p := context.Background(), pipeline.Partition{Topic: "in"}
	keys, err := store.Keys(ctx, p, "", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, k := range keys {
		v, err := store.Get(ctx, p, k)
		if err != nil {
			t.Fatal(err)
		}
		states[k] = string(v)
	}
	var first []pipeline.Output
	seen := map[message]pipeline.Output{}
	for _, o := range s.Sent {
		if old, ok := seen[idOf(o)]; !ok {
			seen[idOf(o)] = o
			first = append(first, o)
		} else if !sameOutput(old, o) {
			t.Errorf("%v was published twice with different bytes:\n%q\n%q", idOf(o), old.Value, o.Value)
		}
	}
	return states, first
}

func compare(t *testing.T, wantStates, states map[string]string, want, got []pipeline.Output) {
	t.Helper()
	if len(states) != len(wantStates) {
		t.Errorf("%d keys stored, want %d", len(states), len(wantStates))
	}
	for k, v := range wantStates {
		if states[k] != v {
			t.Errorf("the state of %s is not that of an undisturbed run", k)
		}
	}
	byKey := map[string]int64{}
	for _, o := range got {
		key := o.Topic + " " + string(o.Key)
		if o.Offset < byKey[key] {
			t.Errorf("%s: offset %d came first after offset %d", key, o.Offset, byKey[key])
		}
		byKey[key] = o.Offset
	}
	outputs := map[message]pipeline.Output{}
	for _, o := range got {
		outputs[idOf(o)] = o
	}
	for _, o := range want {
		if id := idOf(o); !sameOutput(outputs[id], o) {
			t.Errorf("the output %v is missing or not that of an undisturbed run:\n got %q\nwant %q", id, outputs[id].Value, o.Value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d outputs, want %d", len(got), len(want))
	}
}

// TestRealModelsThroughTrouble compares real models, also one that draws and one
// that predicts, with a run without trouble.
func TestRealModelsThroughTrouble(t *testing.T) {
	runs := uint64(60)
	if testing.Short() {
		runs = 15
	}
	for seed := range runs {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			log := pipelinetest.Records(seed, 120)
			throughTrouble(t, seed, pipelinetest.Rules(t), log)
		})
	}
}

func TestRepeatsAreAppliedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var log []pipeline.Record
	for i, c := range []struct {
		run string
		n   int
	}{{"a", 1}, {"a", 1}, {"a", 2}, {"b", 1}, {"a", 1}, {"a", 2}, {"b", 2}} {
		log = append(log, pipeline.Record{Offset: int64(i), Time: 1, Key: []byte("k"), Value: pipelinetest.Shard(rng), Headers: pipelinetest.ShardHeader(c.run, c.n)})
	}
	_, outputs := undisturbed(t, pipelinetest.Rules(t), log)
	var applied []int64
	for _, o := range outputs {
		applied = append(applied, o.Offset)
	}
	if want := []int64{0, 2, 3, 6}; !slices.Equal(applied, want) {
		t.Errorf("offsets %v were applied, want %v: the others are shards sent again", applied, want)
	}
}

// sameOutput reports whether two outputs are one message.
func sameOutput(a, b pipeline.Output) bool {
	if a.Offset != b.Offset || a.Topic != b.Topic || a.Time != b.Time || !bytes.Equal(a.Key, b.Key) ||
		!bytes.Equal(a.Value, b.Value) || len(a.Headers) != len(b.Headers) {
		return false
	}
	for i := range a.Headers {
		if a.Headers[i].Key != b.Headers[i].Key || !bytes.Equal(a.Headers[i].Value, b.Headers[i].Value) {
			return false
		}
	}
	return true
}
