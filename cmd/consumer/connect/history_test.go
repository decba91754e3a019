package connect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// letters are outputs that remember the reason of the last dead letter.
type letters struct {
	pipeline.Outputs
	reason string
}

func (l *letters) Dead(p pipeline.Partition, r *pipeline.Record, stage pipeline.Stage, reason string) pipeline.Output {
	l.reason = reason
	return l.Outputs.Dead(p, r, stage, reason)
}

// mixedShard is of few rows, or of as many as share the memory for large shards: numbers, and labels in two columns
// that have some in common.
func mixedShard(t *testing.T, rng *rand.Rand) []byte {
	t.Helper()
	rows := 1 + rng.IntN(12)
	if rng.IntN(4) == 0 {
		rows = 30_000
	}
	b := cdf.Batch{Rows: rows}
	for _, name := range []string{"y", "x"} {
		c := cdf.Column{Name: name, Number: make([]float64, rows)}
		for i := range c.Number {
			c.Number[i] = rng.NormFloat64()
		}
		b.Columns = append(b.Columns, c)
	}
	for _, name := range []string{"origin", "destination"} {
		c := cdf.Column{Name: name, Type: cdf.Text, Levels: []string{"ORD", "SFO", "JFK", "LAX"}, Code: make([]int32, rows)}
		rng.Shuffle(len(c.Levels), func(i, j int) { c.Levels[i], c.Levels[j] = c.Levels[j], c.Levels[i] })
		for i := range c.Code {
			c.Code[i] = int32(rng.IntN(len(c.Levels)))
		}
		b.Columns = append(b.Columns, c)
	}
	rng.Shuffle(len(b.Columns), func(i, j int) { b.Columns[i], b.Columns[j] = b.Columns[j], b.Columns[i] })
	value, err := arrow.Encode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if rng.IntN(10) == 0 {
		value = value[:len(value)/2]
	}
	return value
}

// TestALaneKnowsNoRecordBefore has one lane take all records of several keys, and another one made for every record:
// what a lane keeps to be fast shows in no state and in no dead letter.
func TestALaneKnowsNoRecordBefore(t *testing.T) {
	c := configtest.Parse(t, `
kafka: {group: g, input: in, output: out}
models:
  - {match: "formula/*", kind: linear, formula: "y ~ x * origin"}
  - {match: "levels/*", kind: linear, columns: {response: y, features: [x, {name: destination, levels: first}]}}
  - {match: "groups/*", kind: anova, columns: {response: y, group: origin}}
`)
	rules, err := NewRules(c)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := newReader(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	limits, memory := LimitsOf(c), pipeline.NewBudget(64<<20)
	lane := func() (*pipeline.Recomputer, *letters) {
		l := &letters{Outputs: NewOutputs(c, rules, limits.Summary)}
		return rules.NewRecomputer(pipeline.Partition{Topic: "in"}, limits,
			func() pipeline.Decoder { return reader.Decoder(limits, memory) }, func() pipeline.Outputs { return l }), l
	}
	one, said := lane()
	states, others := map[string]*pipeline.Recomputed{}, map[string]*pipeline.Recomputed{}
	rng := rand.New(rand.NewPCG(8, 6))
	for offset := range int64(60) {
		r := pipeline.Record{Offset: offset, Time: 1 + offset, Value: mixedShard(t, rng)}
		key := fmt.Sprintf("%s/%d", []string{"formula", "levels", "groups"}[rng.IntN(3)], rng.IntN(2))
		r.Key = []byte(key)
		said.reason = ""
		if states[key], err = one.Apply(states[key], &r); err != nil {
			t.Fatal(err)
		}
		fresh, alone := lane()
		if s := others[key]; s != nil {
			if err := fresh.Adopt(s); err != nil {
				t.Fatal(err)
			}
		}
		if others[key], err = fresh.Apply(others[key], &r); err != nil {
			t.Fatal(err)
		}
		if said.reason != alone.reason {
			t.Fatalf("offset %d: dead letter %q, alone %q", offset, said.reason, alone.reason)
		}
		if states[key] == nil && others[key] == nil {
			continue
		}
		got, err := states[key].Value()
		if err != nil {
			t.Fatal(err)
		}
		want, err := others[key].Value()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("offset %d, key %s: another state than alone", offset, key)
		}
	}
	if memory.Used() != 0 {
		t.Errorf("%d bytes are held", memory.Used())
	}
}
