package pipeline_test

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/gather"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// learning are rules of a model whose first shard gives levels, one of them the baseline.
func learning(t *testing.T, byFormula bool) *pipeline.Rules {
	t.Helper()
	k, _ := models.Lookup("linear")
	roles := cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x"}, {Name: "g", LevelsFirst: true, Baseline: "c"}}}
	if byFormula {
		f, err := formula.Parse("log(y) ~ x * C(g, contr.treatment('c')) + I(x**2)")
		if err != nil {
			t.Fatal(err)
		}
		roles = f.Roles()
	}
	spec, err := k.Spec("", roles, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Draws = 0
	return pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: spec})
}

// sale is an event in Arrow.
func sale(t *testing.T, offset int64, rng *rand.Rand, group string, rows int) pipeline.Record {
	t.Helper()
	b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "y"}, {Name: "x"}, {Name: "g", Type: cdf.Text, Levels: []string{group}}}}
	for range rows {
		x := rng.Float64()
		b.Columns[0].Number = append(b.Columns[0].Number, 1+x+rng.Float64())
		b.Columns[1].Number = append(b.Columns[1].Number, x)
		b.Columns[2].Code = append(b.Columns[2].Code, 0)
	}
	value, err := arrow.Encode(b)
	if err != nil {
		t.Fatal(err)
	}
	return pipeline.Record{Offset: offset, Time: 1e12 + offset, Key: []byte("k"), Value: value}
}

func recomputedSales(t *testing.T, rules *pipeline.Rules, log []pipeline.Record) pipeline.StoredState {
	t.Helper()
	limits := pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 20, Groups: 10, Summary: 1 << 20}
	c := rules.NewRecomputer(pipeline.Partition{Topic: "in"}, limits,
		func() pipeline.Decoder { return arrow.NewDecoder(arrow.Limits{Columns: 10, Rows: 1000}) }, func() pipeline.Outputs { return pipelinetest.Outputs{} })
	var s *pipeline.Recomputed
	for i := range log {
		var err error
		if s, err = c.Apply(s, &log[i]); err != nil {
			t.Fatal(err)
		}
	}
	value, err := s.Value()
	if err != nil {
		t.Fatal(err)
	}
	h, err := pipeline.ParseStored("k", value)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Events of which the first do not have the baseline lead to the state, byte for byte,
// that their rows lead to as one shard, by a formula and by columns; a shard that
// still lacks it in the end goes with all of its rows, and the next one begins.
func TestGatheredFirstShardLearnsItsLevels(t *testing.T) {
	for name, byFormula := range map[string]bool{"columns": false, "formula": true} {
		t.Run(name, func(t *testing.T) {
			rules := learning(t, byFormula)
			rng, again := rand.New(rand.NewPCG(8, 44)), rand.New(rand.NewPCG(8, 44))
			var events, shards []pipeline.Record
			groups := []string{"a", "b", "a", "c", "b", "d"}
			for shard := range int64(3) {
				for i, group := range groups {
					events = append(events, sale(t, 6*shard+int64(i), rng, group, 2))
				}
				shards = append(shards, joinedSales(t, 6*shard+5, again, groups))
			}
			want := recomputedSales(t, rules, shards)
			got := recomputedSales(t, rules.Gathering(gather.Rule{Rows: 12}), events)
			if string(got.Snapshot) != string(want.Snapshot) || string(got.Summary) != string(want.Summary) || got.T != 3 || got.N != 36 {
				t.Errorf("%d shards and %d rows, want %d and %d: the state is another one", got.T, got.N, want.T, want.N)
			}
			var lacking []pipeline.Record
			for i, group := range []string{"a", "b", "a", "b", "a", "b", "a", "b", "c", "a", "a", "b", "a"} {
				lacking = append(lacking, sale(t, int64(i), rng, group, 2))
			}
			h := recomputedSales(t, rules.Gathering(gather.Rule{Rows: 12}), lacking)
			if h.T != 1 || h.N != 12 || h.Waiting.Tell().Rows != 2 || h.Waiting.Tell().Began.Offset != 12 {
				t.Errorf("%d shards of %d rows, %+v wait: want the second shard alone", h.T, h.N, h.Waiting.Tell())
			}
		})
	}
}

// joinedSales is the rows of some events as one shard.
func joinedSales(t *testing.T, offset int64, rng *rand.Rand, groups []string) pipeline.Record {
	t.Helper()
	all := &cdf.Batch{Columns: []cdf.Column{{Name: "y"}, {Name: "x"}, {Name: "g", Type: cdf.Text, Levels: []string{"a", "b", "c", "d"}}}}
	d := arrow.NewDecoder(arrow.Limits{Columns: 10, Rows: 1000})
	for _, group := range groups {
		b, err := d.Decode(sale(t, offset, rng, group, 2).Value)
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows {
			all.Rows++
			all.Columns[0].Number = append(all.Columns[0].Number, b.Columns[0].Number[row])
			all.Columns[1].Number = append(all.Columns[1].Number, b.Columns[1].Number[row])
			all.Columns[2].Code = append(all.Columns[2].Code, int32(group[0]-'a'))
		}
	}
	value, err := arrow.Encode(all)
	if err != nil {
		t.Fatal(err)
	}
	return pipeline.Record{Offset: offset, Time: 1e12 + offset, Key: []byte("k"), Value: value}
}
