package pipeline_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// The simulation's shards are pairs (y, x) of float64, in group n or p by the
// sign of x; a value that begins
// with '!' stands for one of the failures that a record can cause.

type simDecoder struct{ batch cdf.Batch }

func (d *simDecoder) Decode(value []byte) (*cdf.Batch, error) {
	switch {
	case bytes.HasPrefix(value, []byte("!panic")):
		panic("a record that the decoder cannot stand")
	case bytes.HasPrefix(value, []byte("!numeric")):
		return nil, fmt.Errorf("%w: singular", cdf.ErrNumeric)
	case len(value) == 0 || len(value)%16 != 0:
		return nil, fmt.Errorf("%w: %d bytes", pipeline.ErrDecode, len(value))
	}
	n := len(value) / 16
	y, x := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = math.Float64frombits(binary.LittleEndian.Uint64(value[16*i:]))
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(value[16*i+8:]))
	}
	group := make([]int32, n)
	for i := range x {
		if x[i] > 0 {
			group[i] = 1
		}
	}
	d.batch = cdf.Batch{Rows: n, Columns: []cdf.Column{
		{Name: "y", Number: y}, {Name: "x", Number: x}, {Name: "g", Type: cdf.Text, Code: group, Levels: []string{"n", "p"}},
	}}
	return &d.batch, nil
}

type simOutputs struct{}

func (simOutputs) Posterior(p *pipeline.Posterior, _ *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	v := fmt.Appendf(nil, "t=%d n=%d gaps=%d score=%x draws=%d weak=%q", p.Summary.T, p.Summary.N, p.Gaps,
		p.Summary.Score.LogDensity, p.Summary.Draws, p.Summary.WeakMixing)
	for _, row := range p.Summary.Rows {
		v = fmt.Appendf(v, " %s=%x±%x", row.Variable, row.Mean, row.SD)
		if row.RHat == row.RHat {
			v = fmt.Appendf(v, " r_hat=%x", row.RHat)
		}
	}
	return []pipeline.Output{{Topic: "out", Key: r.Key, Value: v, Time: r.Time, Offset: r.Offset}}, nil
}

func (simOutputs) Predictions(p *pipeline.Predictions, r *pipeline.Record) ([]pipeline.Output, error) {
	v := fmt.Appendf(nil, "t=%d", p.T)
	for _, row := range p.Rows {
		v = fmt.Appendf(v, " %d=%x±%x", row.Row, row.Mean, row.SD)
	}
	return []pipeline.Output{{Topic: "rows", Key: r.Key, Value: v, Time: r.Time, Offset: r.Offset}}, nil
}

func (simOutputs) Tombstone(_ pipeline.Partition, r *pipeline.Record) pipeline.Output {
	return pipeline.Output{Topic: "out", Key: r.Key, Time: r.Time, Offset: r.Offset}
}

func (simOutputs) Dead(_ pipeline.Partition, r *pipeline.Record, stage pipeline.Stage, reason string) pipeline.Output {
	return pipeline.Output{Topic: "dead", Key: r.Key, Value: r.Value, Time: r.Time, Offset: r.Offset,
		Headers: []pipeline.Header{{Key: "stage", Value: []byte(stage)}, {Key: "reason", Value: []byte(reason)}}}
}

// simRules are of one model, and the rows of one key are predicted; one more
// key has a model that draws.
func simRules(t testing.TB) *pipeline.Rules {
	t.Helper()
	drawing := cdftest.Levels()
	drawing.Draws = 16 // few enough that R-hat is now and then too high
	list := []pipeline.Rule{{Match: "k2", Spec: drawing}}
	for i, predictions := range []string{"all", "none"} {
		publish := cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: predictions, Variables: []string{"**"}}
		list = append(list, pipeline.Rule{Match: []string{"k1", "k*"}[i], Spec: simSpec(t, publish)})
	}
	return simRulesOf(t, list...)
}

func simSpec(t testing.TB, publish cdf.Publish) *cdf.Spec {
	t.Helper()
	k, ok := models.Lookup("linear")
	if !ok {
		t.Fatal("no linear model")
	}
	spec, err := k.Spec("", cdf.Roles{Intercept: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Draws, spec.Publish, spec.Limits = 0, publish, cdf.Limits{Rows: 1000, Columns: 10, Groups: 10}
	return spec
}

func simRulesOf(t testing.TB, list ...pipeline.Rule) *pipeline.Rules {
	t.Helper()
	rules, err := pipeline.NewRules(list,
		pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// simLog is the stream that a correct worker must survive: keys that are
// deleted and come back, shards sent twice, and records of every bad kind.
func simLog(seed uint64, n int) []pipeline.Record {
	rng := rand.New(rand.NewPCG(seed, 2))
	sent := map[string]int{}
	log := make([]pipeline.Record, 0, n)
	for i := range n {
		key := "k" + strconv.Itoa(rng.IntN(9))
		r := pipeline.Record{Offset: int64(i), Time: 1e12 + int64(i), Key: []byte(key)}
		switch rng.IntN(30) {
		case 0, 1:
		case 2:
			r.Value = []byte("not pairs")
		case 3:
			r.Value = []byte("!panic")
		case 4:
			r.Value = []byte("!numeric")
		case 5:
			r.Key, r.Value = nil, []byte("x")
		case 6:
			r.Key, r.Value = []byte("unmatched"), []byte("x")
		case 7, 8, 9:
			if sent[key] > 0 { // the newest shard of the key again
				for j := i - 1; j >= 0; j-- {
					if string(log[j].Key) == key && len(log[j].Headers) > 0 {
						r.Value, r.Headers = log[j].Value, log[j].Headers
						break
					}
				}
				break
			}
			fallthrough
		default:
			sent[key]++
			r.Value = simShard(rng)
			r.Headers = simShardHeader("run"+strconv.Itoa(rng.IntN(2)), sent[key])
		}
		log = append(log, r)
	}
	return log
}

func simShard(rng *rand.Rand) []byte {
	var b []byte
	for range 1 + rng.IntN(30) {
		x := rng.NormFloat64()
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(1+2*x+rng.NormFloat64()))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func simShardHeader(run string, n int) []pipeline.Header {
	return []pipeline.Header{{Key: pipeline.ShardHeader, Value: fmt.Appendf(nil, "%s/%d", run, n)}}
}

func newSim(t testing.TB, seed uint64, store pipeline.Store, log []pipeline.Record) *pipeline.Sim {
	s := pipeline.NewSim(seed, store, simRules(t), log)
	s.Decoder = func() pipeline.Decoder { return &simDecoder{} }
	s.Outputs = func() pipeline.Outputs { return simOutputs{} }
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
// revocations with and without a kept cache, a cache for two keys, and a
// store put back in time, each in an order of its own.
func TestSimulatedTrouble(t *testing.T) {
	runs := 150
	if testing.Short() {
		runs = 20
	}
	for seed := range uint64(runs) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			log := simLog(seed, 250)
			wantStates, want := undisturbed(t, log)
			store := storetest.NewMemory()
			s := newSim(t, seed, store, log)
			if seed%2 == 0 {
				s.Cache = 2500 // of two keys or so
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
		log = append(log, pipeline.Record{Offset: int64(i), Time: 1, Key: []byte("k"), Value: simShard(rng), Headers: simShardHeader(c.run, c.n)})
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
