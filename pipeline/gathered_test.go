package pipeline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/gather"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// recomputed applies a log and returns the states of the keys, taken apart.
func recomputed(t *testing.T, rules *pipeline.Rules, log []pipeline.Record) map[string]pipeline.StoredState {
	t.Helper()
	c := rules.NewRecomputer(pipeline.Partition{Topic: "in"}, pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20},
		func() pipeline.Decoder { return &pipelinetest.Decoder{} }, func() pipeline.Outputs { return pipelinetest.Outputs{} })
	states := map[string]*pipeline.Recomputed{}
	for i := range log {
		key := string(log[i].Key)
		s, err := c.Apply(states[key], &log[i])
		if err != nil {
			t.Fatal(err)
		}
		states[key] = s
	}
	found := map[string]pipeline.StoredState{}
	for key, s := range states {
		if s == nil {
			continue
		}
		value, err := s.Value()
		if err != nil {
			t.Fatal(err)
		}
		if found[key], err = pipeline.ParseStored(key, slices.Clone(value)); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// Rows that are gathered lead to the state, byte for byte, and to the messages that the
// same rows lead to as shards that are cut where they were.
func TestGatheredRowsAreAsShards(t *testing.T) {
	for _, rule := range []gather.Rule{{Rows: 40}, {Millis: 60}, {Rows: 60, Millis: 45}, {Rows: 1}} {
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 44))
			var log, cut []pipeline.Record
			waiting, records := map[string]*pipeline.Record{}, map[string]int{}
			for i := range 300 {
				r := pipeline.Record{Offset: int64(i), Time: 1e12 + int64(i) + int64(rng.IntN(20)), Key: []byte("k" + strconv.Itoa(rng.IntN(4))), Value: pipelinetest.Shard(rng)}
				log = append(log, r)
				key := string(r.Key)
				w := waiting[key]
				if w == nil {
					first := r
					w = &first
					waiting[key] = w
					w.Value = slices.Clone(r.Value)
				} else {
					w.Value = append(w.Value, r.Value...)
				}
				records[key]++
				if whole := *w; rule.Rows > 0 && len(w.Value)/16 >= rule.Rows || rule.Millis > 0 && r.Time-w.Time >= rule.Millis {
					whole.Offset, whole.Time = r.Offset, r.Time
					cut = append(cut, whole)
					delete(waiting, key)
					delete(records, key)
				}
			}
			rules := pipelinetest.Rules(t)
			want, got := recomputed(t, rules, cut), recomputed(t, rules.Gathering(rule), log)
			for key, g := range got {
				w := want[key]
				if string(g.Snapshot) != string(w.Snapshot) && (w.Snapshot != nil || g.T != 0) || string(g.Summary) != string(w.Summary) || g.Outlier != w.Outlier {
					t.Errorf("%s, seed %d: the state of %s is of %d shards and %d rows, want %d and %d", rule.Form(), seed, key, g.T, g.N, w.T, w.N)
				}
				told, n := g.Waiting.Tell(), 0
				if waiting[key] != nil {
					n = len(waiting[key].Value) / 16
				}
				if told.Rows != n || told.Records != records[key] || n > 0 && told.Began != (gather.Mark{Offset: waiting[key].Offset, Time: waiting[key].Time}) {
					t.Errorf("%s, seed %d: %+v wait for %s, want %d rows", rule.Form(), seed, told, key, n)
				}
			}
			if len(got) != 4 || len(cut) < 8 {
				t.Errorf("%d keys, %d shards", len(got), len(cut))
			}
		}
	}
}

// Gathered rows of real models through trouble lead to what an undisturbed run leads to.
func TestGatheredRowsThroughTrouble(t *testing.T) {
	runs := uint64(60)
	if testing.Short() {
		runs = 15
	}
	waiting := 0
	for seed := range runs {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			log := pipelinetest.Records(seed, 160)
			rules := pipelinetest.Rules(t).Gathering(gather.Rule{Rows: 50, Millis: 40})
			states, _ := throughTrouble(t, seed, rules, log)
			for key, h := range recomputed(t, rules, log) {
				value, err := pipeline.ParseStored(key, pipeline.Stored(states[key]))
				if err != nil {
					t.Fatal(err)
				}
				if string(h.Sections()) != string(value.Sections()) || string(h.Snapshot) != string(value.Snapshot) {
					t.Errorf("what waits for %s is not what a recomputation finds", key)
				}
				if h.Waiting != nil {
					waiting++
				}
			}
		})
	}
	if waiting < int(runs) {
		t.Errorf("rows wait for %d keys at the end: too seldom to test them", waiting)
	}
}

// gathered runs a log without trouble and returns the states and all that was sent.
func gathered(t *testing.T, rule gather.Rule, log []pipeline.Record) (map[string]string, []pipeline.Output) {
	t.Helper()
	return undisturbed(t, pipelinetest.Rules(t).Gathering(rule), log)
}

// event is a record of some rows y, x of the key k.
func event(offset int64, rows ...float64) pipeline.Record {
	return pipeline.Record{Offset: offset, Time: 1e12 + offset, Key: []byte("k"), Value: simRows(rows...)}
}

// A record that no shard could have is a dead letter by itself, and the shard that it
// would have joined is as if it had never been sent.
func TestBadEventsDoNotSpoilTheShard(t *testing.T) {
	bad := [][]byte{simRows(math.Inf(1), 1), simRows(1, math.Inf(-1)), []byte("no pairs"), []byte("!panic"), []byte("!numeric")}
	var log, good []pipeline.Record
	rng := rand.New(rand.NewPCG(3, 44))
	for i := range int64(60) {
		r := event(i, 1+rng.NormFloat64(), rng.NormFloat64())
		good = append(good, r)
		if i%6 == 3 {
			good[i].Key, r.Value = []byte("unmatched"), bad[i/6%int64(len(bad))]
		}
		log = append(log, r)
	}
	want, posteriors := gathered(t, gather.Rule{Rows: 7}, good)
	got, outs := gathered(t, gather.Rule{Rows: 7}, log)
	if want["k"] != got["k"] {
		t.Error("the state has a trace of records that were refused")
	}
	dead := 0
	for i := range outs {
		if outs[i].Topic == "dead" {
			if dead++; outs[i].Offset%6 != 3 {
				t.Errorf("offset %d is dead: %s", outs[i].Offset, outs[i].Headers)
			}
		}
	}
	if dead != 10 || len(outs) != len(posteriors) {
		t.Errorf("%d dead letters, %d outputs, want 10 and %d", dead, len(outs), len(posteriors))
	}
}

// A shard that fails when it is whole names its records and goes with all its rows: those
// after it are a shard of their own.
func TestShardThatFailsWhenItIsWhole(t *testing.T) {
	for name, spoil := range map[string]func(*pipeline.Record){
		"encoding": func(r *pipeline.Record) {
			r.Headers = []pipeline.Header{{Key: pipelinetest.Unencodable}}
		},
		"arithmetic": func(r *pipeline.Record) { r.Value = simRows(1e308, 1e308) },
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(4, 44))
			var log []pipeline.Record
			for i := range int64(13) {
				log = append(log, event(i, 1+rng.NormFloat64(), rng.NormFloat64()))
			}
			spoil(&log[7])
			states, outs := gathered(t, gather.Rule{Rows: 4}, log)
			spared := slices.Concat(log[:4], log[8:])
			want := recomputed(t, pipelinetest.Rules(t).Gathering(gather.Rule{Rows: 4}), spared)
			h, err := pipeline.ParseStored("k", pipeline.Stored(states["k"]))
			if err != nil {
				t.Fatal(err)
			}
			if w := want["k"]; string(h.Snapshot) != string(w.Snapshot) || h.T != 2 || string(h.Sections()) != string(w.Sections()) {
				t.Errorf("%d shards, %+v, want %d and %+v", h.T, h.Waiting.Tell(), w.T, w.Waiting.Tell())
			}
			for _, o := range outs {
				if o.Topic != "dead" {
					continue
				}
				if text := fmt.Sprintf("%s", o.Headers); o.Offset != 7 || !strings.Contains(text, "numeric") ||
					!strings.Contains(text, "the shard had 4 rows of 4 records, of this key from offset 4 to 7, and none of them is applied") {
					t.Errorf("offset %d: %s", o.Offset, text)
				}
				return
			}
			t.Error("no dead letter")
		})
	}
}

// What is read back between two shards is the posterior after the last one, and what waits.
func TestWhatWaitsIsTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 44))
	var log []pipeline.Record
	for i := range int64(7) {
		log = append(log, event(i, 1+rng.NormFloat64(), rng.NormFloat64()))
	}
	rule := gather.Rule{Rows: 5}
	for n, want := range map[int][4]int64{3: {0, -1, 3, 2}, 5: {1, 4, 0, 0}, 7: {1, 4, 2, 6}} {
		states, outs := gathered(t, rule, log[:n])
		p, f, err := pipelinetest.Rules(t).Gathering(rule).Restore(pipeline.Partition{Topic: "in"}, "k", pipeline.Stored(states["k"]))
		if err != nil {
			t.Fatal(err)
		}
		if got := [4]int64{p.Summary.T, p.Offset, int64(p.Waiting.Rows), p.Waiting.Last.Offset}; got != want || f.T() != want[0] {
			t.Errorf("after %d records shards, offset, rows that wait and the last one's offset are %v, want %v", n, got, want)
		}
		if want[1] >= 0 && p.Time != 1e12+want[1] || int64(len(outs)) != want[0] {
			t.Errorf("after %d records: time %d, %d outputs", n, p.Time, len(outs))
		}
	}
}

// Another rule is another configuration, none is that without.
func TestGatheringIsPartOfTheFingerprint(t *testing.T) {
	rules := pipelinetest.Rules(t)
	seen := map[string]bool{rules.Config(): true}
	for _, rule := range []gather.Rule{{Rows: 5}, {Rows: 6}, {Millis: 5}, {Rows: 5, Millis: 5}} {
		if seen[rules.Gathering(rule).Config()] {
			t.Errorf("%s is the configuration of another rule", rule.Form())
		}
		seen[rules.Gathering(rule).Config()] = true
	}
	if rules.Gathering(gather.Rule{}).Config() != rules.Config() || rules.Reading("x").Gathering(gather.Rule{Rows: 5}).Config() == rules.Gathering(gather.Rule{Rows: 5}).Config() {
		t.Error("the configuration without a rule is another one, or the rule takes the place of the form")
	}
}

// Rows that would be too many together are refused when they come.
func TestRowsAreCheckedTogether(t *testing.T) {
	spec := pipelinetest.Spec(t, cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}})
	rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: spec}).Gathering(gather.Rule{Rows: 900})
	rng := rand.New(rand.NewPCG(6, 44))
	var log []pipeline.Record
	for i := range int64(3) {
		rows := make([]float64, 2*400)
		for j := range rows {
			rows[j] = rng.NormFloat64()
		}
		log = append(log, event(i, rows...))
	}
	log[2].Value = append(log[2].Value, log[2].Value...)
	first := event(-1)
	first.Value = slices.Concat(log[0].Value, log[2].Value)[:900*16]
	for shards, log := range [][]pipeline.Record{log, append([]pipeline.Record{first}, log...)} {
		checkTogether(t, rules, log, int64(shards))
	}
}

func checkTogether(t *testing.T, rules *pipeline.Rules, log []pipeline.Record, shards int64) {
	t.Helper()
	if h := recomputed(t, rules, log)["k"]; h.T != shards || h.Waiting.Tell().Rows != 800 || h.Offset != 1 {
		t.Errorf("%d shards, %+v wait: 800 rows and 800 more are not one shard of at most 1000", h.T, h.Waiting.Tell())
	}
}

// The time of a shard, by which a model forgets, is that of the record that it ends with.
func TestGatheredShardsForgetByTheLastRecord(t *testing.T) {
	spec := pipelinetest.Spec(t, cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}})
	spec.Forget, spec.ForgetPer = .5, cdf.Clock{Unit: "duration", Millis: 1000}
	rng := rand.New(rand.NewPCG(7, 44))
	var log, cut []pipeline.Record
	for i := range int64(40) {
		r := event(i, 1+rng.NormFloat64(), rng.NormFloat64())
		r.Time = 1e12 + 300*i + rng.Int64N(200)
		log = append(log, r)
		if i%4 == 3 {
			r.Value = slices.Concat(log[i-3].Value, log[i-2].Value, log[i-1].Value, r.Value)
			cut = append(cut, r)
		}
	}
	rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: spec})
	want, got := recomputed(t, rules, cut)["k"], recomputed(t, rules.Gathering(gather.Rule{Rows: 4}), log)["k"]
	if string(want.Snapshot) != string(got.Snapshot) || got.T != 10 {
		t.Errorf("after %d shards the state is another one", got.T)
	}
}
