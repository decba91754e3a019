package pipeline_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// The simulation's shards are pairs (y, x) of float64, in group n or p by the
// sign of x; a value that begins
// with '!' stands for one of the failures that a record can cause.

func newSim(t testing.TB, seed uint64, store pipeline.Store, log []pipeline.Record) *pipeline.Sim {
	s := pipeline.NewSim(seed, store, pipelinetest.Rules(t), log)
	s.Decoder = func() pipeline.Decoder { return &pipelinetest.Decoder{} }
	s.Outputs = func() pipeline.Outputs { return pipelinetest.Outputs{} }
	return s
}

// settle runs without trouble until everything is applied and saved.
func settle(t *testing.T, s *pipeline.Sim) {
	t.Helper()
	s.Trouble = false
	for range 200_000 {
		if s.Acked() == int64(len(s.Log)) {
			return
		}
		s.Step()
	}
	reason, why := s.Halted()
	t.Fatalf("the watermark stays at %d of %d, halted %q (%s)", s.Acked(), len(s.Log), reason, why)
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
		} else if !pipeline.Same(old, o) {
			t.Errorf("%v was published twice with different bytes:\n%q\n%q", idOf(o), old.Value, o.Value)
		}
	}
	return states, first
}

// undisturbed is what a single worker without any trouble makes of the log.
func undisturbed(t *testing.T, log []pipeline.Record) (map[string]string, []pipeline.Output) {
	t.Helper()
	store := storetest.NewMemory()
	s := newSim(t, 0, store, log)
	s.Assign(false)
	settle(t, s)
	return contents(t, store, s)
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
		if id := idOf(o); !pipeline.Same(outputs[id], o) {
			t.Errorf("the output %v is missing or not that of an undisturbed run:\n got %q\nwant %q", id, outputs[id].Value, o.Value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d outputs, want %d", len(got), len(want))
	}
}

// TestSimulatedTrouble runs the rules through crashes, zombies, lost replies,
// revocations with and without a kept cache, a cache for two keys, cuts of two
// keys, and a store put back in time, each in an order of its own. A load never
// brings more than some of what it asks for.
func TestSimulatedTrouble(t *testing.T) {
	runs := 150
	if testing.Short() {
		runs = 20
	}
	shed := 0
	for seed := range uint64(runs) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			log := pipelinetest.Records(seed, 250)
			wantStates, want := undisturbed(t, log)
			store := storetest.NewMemory()
			s := newSim(t, seed, store, log)
			if seed%2 == 0 {
				s.Cache = 2500 // of two keys or so
			}
			if seed%5 == 0 {
				s.Bytes = 2500
			}
			s.Lanes = 1 + int(seed%3)
			s.Assign(false)
			var old []storetest.Snapshot
			for range 1500 {
				switch n := s.RNG.IntN(400); {
				case n < 4:
					s.Crash()
					s.Assign(false)
				case n < 8: // a zombie stays behind
					s.Assign(false)
				case n < 12:
					s.Revoke()
				case n < 15: // a rebalance that gives the partition back
					s.RevokeAll()
					for range 60 {
						s.Step()
					}
					s.Assign(true)
				case n < 17:
					old = append(old, store.Snapshot())
				case n < 19 && len(old) > 0:
					store.Restore(old[s.RNG.IntN(len(old))])
				default:
					s.Step()
				}
			}
			s.RevokeAll()
			s.Assign(false)
			settle(t, s)
			states, got := contents(t, store, s)
			compare(t, wantStates, states, want, got)
			shed += s.Counts["shed"]
		})
	}
	if shed == 0 {
		t.Error("no partition was stuck long enough to give its queue back")
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
	_, outputs := undisturbed(t, log)
	var applied []int64
	for _, o := range outputs {
		applied = append(applied, o.Offset)
	}
	if want := []int64{0, 2, 3, 6}; !slices.Equal(applied, want) {
		t.Errorf("offsets %v were applied, want %v: the others are shards sent again", applied, want)
	}
}
