package pipeline_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

var beforeSeeds = flag.Int("before-seeds", 2, "how many schedules TestOutputsKnowNoRecordBefore draws")

// everyOutput has models of few variables and of more than a form that is kept has, some of which a message
// may lose; whose groups come one by one; with draws, predictions, quantities and alerts.
const everyOutput = `
kafka: {group: g, input: in, output: out, dead_letters: dead}
limits: {summary: 16KiB, dead_letter: 16KiB, rows: 5000}
models:
  - {match: "few/*", kind: linear, columns: {response: y, features: [x0]}, publish: {covariance: true}}
  - {match: "some/*", kind: linear, columns: {response: y, features: [x0, x1, x2]}, publish: {every: 2, scale: model, variables: ["beta*"]}}
  - {match: "wide/*", kind: linear, columns: {response: y, features: [WIDE]}, publish: {covariance: true}}
  - {match: "groups/*", kind: anova, columns: {response: y, group: label}, draws: 40, publish: {draws: true, predictions: all}}
  - {match: "touched/*", kind: poisson, columns: {response: n, features: [x0], group: label}, publish: {groups: touched, predictions: null_rows}}
  - {match: "classes/*", kind: probit, columns: {response: c, features: [x0, x1]}, draws: 40, publish: {draws: true}}
  - match: "told/*"
    kind: linear
    columns: {response: y, features: [x0, {name: label, levels: first}]}
    publish: {predictions: all, quantities: [{name: sum, of: "beta[x0] + 1"}, {probability: "beta[x0] > 0"}, {name: at, predict: {x0: 3, label: l1}}]}
    alerts: [{name: up, when: "P(beta[x0] > 0) > 0.5"}, {name: more, when: "sum > 1", for: 2}]
`

// someShard is a shard that serves each of the models, now and then a large one, or none that can be read.
func someShard(t *testing.T, r *rand.Rand) []byte {
	t.Helper()
	rows := 2 + r.IntN(9)
	switch r.IntN(12) {
	case 0:
		rows = 13 // for which some models panic
	case 1:
		rows = 300 + r.IntN(1500)
	}
	b := cdf.Batch{Rows: rows}
	add := func(name string, number func(i int) float64) {
		c := cdf.Column{Name: name, Number: make([]float64, rows)}
		for i := range c.Number {
			c.Number[i] = number(i)
		}
		b.Columns = append(b.Columns, c)
	}
	odd := [...]float64{math.NaN(), math.NaN(), 1e300, math.Inf(1)}[r.IntN(4)]
	add("y", func(int) float64 {
		if r.IntN(60) == 0 {
			return odd
		}
		return r.NormFloat64()
	})
	add("n", func(i int) float64 {
		if i > 0 && r.IntN(8) == 0 {
			return math.NaN()
		}
		return float64(r.IntN(5))
	})
	add("c", func(int) float64 { return float64(r.IntN(2)) })
	for j := range 90 {
		add(fmt.Sprint("x", j), func(int) float64 { return r.NormFloat64() })
	}
	label := cdf.Column{Name: "label", Type: cdf.Text, Levels: make([]string, 1+r.IntN(4)+r.IntN(2)*r.IntN(200)), Code: make([]int32, rows)}
	for i := range label.Levels {
		label.Levels[i] = fmt.Sprint("l", i)
	}
	for i := range label.Code {
		label.Code[i] = int32(r.IntN(len(label.Levels)))
	}
	b.Columns = append(b.Columns, label)
	if r.IntN(15) == 0 {
		b.Columns = b.Columns[4:] // no response, and a feature less
	}
	value, err := arrow.Encode(&b)
	if err != nil {
		t.Fatal(err)
	}
	switch r.IntN(15) {
	case 0:
		return value[:len(value)/2]
	case 1:
		return nil
	}
	return value
}

// outputOf is all that an output says.
func outputOf(o *pipeline.Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %d %d %s value %t %d bytes %q", o.Topic, o.Key, o.Time, o.Offset, o.Kind, o.Value != nil, len(o.Value), o.Value)
	for _, h := range o.Headers {
		fmt.Fprintf(&b, "\n%s=%q", h.Key, h.Value)
	}
	return b.String()
}

// listening are outputs that are remembered, and an encoder that panics behind a posterior whose record says so.
type listening struct {
	pipeline.Outputs
	to *[]pipeline.Output
}

func (l listening) note(o ...pipeline.Output) { *l.to = append(*l.to, o...) }

func (l listening) Posterior(dst []pipeline.Output, in *pipeline.Pages, p *pipeline.Posterior, f *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	outs, err := l.Outputs.Posterior(dst, in, p, f, r)
	if _, ok := r.Header(panics); ok {
		panic("behind a posterior")
	}
	if err == nil {
		l.note(outs[len(dst):]...)
	}
	return outs, err
}

func (l listening) Predictions(p *pipeline.Predictions, r *pipeline.Record) ([]pipeline.Output, error) {
	outs, err := l.Outputs.Predictions(p, r)
	l.note(outs...)
	return outs, err
}

func (l listening) Alert(a *pipeline.Alert, r *pipeline.Record) (pipeline.Output, error) {
	o, err := l.Outputs.Alert(a, r)
	l.note(o)
	return o, err
}

func (l listening) Tombstone(p pipeline.Partition, r *pipeline.Record) pipeline.Output {
	o := l.Outputs.Tombstone(p, r)
	l.note(o)
	return o
}

func (l listening) Dead(p pipeline.Partition, r *pipeline.Record, stage pipeline.Stage, reason string) pipeline.Output {
	o := l.Outputs.Dead(p, r, stage, reason)
	l.note(o)
	return o
}

// brokenDecoder panics behind a record, as far as that can be read.
type brokenDecoder struct{ pipeline.Decoder }

func (d brokenDecoder) Decode(value []byte) (*cdf.Batch, error) {
	whole := bytes.TrimPrefix(value, []byte("!panic"))
	b, err := d.Decoder.Decode(whole)
	if len(whole) < len(value) {
		panic("behind a record")
	}
	return b, err
}

// served is a lane, what it has made since it was told that all was sent, and what that said then.
type served struct {
	*pipeline.Recomputer
	outputs []pipeline.Output
	points  []*pipeline.Point
	made    []string // the outputs and then the points of each record
}

// apply applies a record and returns the state, and what was made of the record.
func (s *served) apply(t *testing.T, state *pipeline.Recomputed, r *pipeline.Record) (*pipeline.Recomputed, []string) {
	t.Helper()
	outputs, points, n := len(s.outputs), len(s.points), len(s.made)
	state, err := s.Apply(state, r)
	if err != nil {
		t.Fatal(err)
	}
	s.points = append(s.points, s.Points()...)
	s.made = s.appendMade(s.made, outputs, points)
	return state, s.made[n:]
}

func (s *served) appendMade(made []string, outputs, points int) []string {
	for i := range s.outputs[outputs:] {
		made = append(made, outputOf(&s.outputs[outputs+i]))
	}
	for _, p := range s.points[points:] {
		made = append(made, fmt.Sprintf("point %+v", *p))
	}
	return made
}

// sent fails where anything is not what it was when it was made, and then lets it be written over.
func (s *served) sent(t *testing.T) {
	t.Helper()
	is := s.appendMade(nil, 0, 0)
	slices.Sort(is)
	slices.Sort(s.made)
	for i := range is {
		if is[i] != s.made[i] {
			t.Errorf("what was made was written over: %s", differ(is[i], s.made[i]))
		}
	}
	s.Sent()
	s.outputs, s.points, s.made = nil, nil, nil
}

// differ returns where two texts begin to differ.
func differ(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	at = max(at-80, 0)
	return fmt.Sprintf("%.300s\nwant %.300s", got[at:], want[at:])
}

// One lane serves keys of all sorts of models in any order, with dead letters, tombstones and panics in
// between: what it publishes, what it tells an observer and its states are, byte for byte, those of lanes
// of which each is made for one record. Of what it has made nothing changes before it is sent.
func TestOutputsKnowNoRecordBefore(t *testing.T) {
	made := map[string]int{}
	for seed := range *beforeSeeds {
		for _, format := range []string{"arrow", "json"} {
			t.Run(fmt.Sprint(format, seed), func(t *testing.T) { knowsNothingBefore(t, format, uint64(seed), made) })
		}
	}
	for _, of := range []string{"out", "out.draws", "out.predictions", "out.alerts", "dead", "point", "fault"} {
		if made[of] < 5 {
			t.Errorf("%d of %s: too few to tell", made[of], of)
		}
	}
}

// knowsNothingBefore counts what is made, by topic.
func knowsNothingBefore(t *testing.T, format string, seed uint64, made map[string]int) {
	clear(steps)
	var wide []string
	for j := range 90 {
		wide = append(wide, fmt.Sprint("x", j))
	}
	c := configtest.Parse(t, strings.ReplaceAll(everyOutput, "WIDE", strings.Join(wide, ", ")), "kafka.format="+format)
	for i := range c.Models {
		spec := c.Models[i].Spec
		if build := spec.New; spec.Kind == "linear" {
			spec.New = func(d cdf.Dims) (cdf.Model, error) {
				m, err := build(d)
				return &brittleModel{Model: m, breaks: func(s *cdf.Shard) (bool, bool) { return s.Rows == 13, s.Y[0] > 1 }}, err
			}
		}
	}
	rules, err := connect.NewRules(c)
	if err != nil {
		t.Fatal(err)
	}
	limits, memory := connect.LimitsOf(c), pipeline.NewBudget(64<<20)
	lane := func() *served {
		s := new(served)
		decoder := func() pipeline.Decoder {
			return brokenDecoder{arrow.NewDecoder(arrow.Limits{Record: int(limits.Record), Rows: limits.Rows, Columns: limits.Columns, Memory: memory})}
		}
		s.Recomputer = rules.NewRecomputer(pipeline.Partition{Topic: "in"}, limits, decoder, func() pipeline.Outputs {
			return listening{connect.NewOutputs(c, rules, limits.Summary), &s.outputs}
		})
		return s
	}
	one := lane()
	one.Watch(64 << 10)
	states, others := map[string]*pipeline.Recomputed{}, map[string]*pipeline.Recomputed{}
	rng := rand.New(rand.NewPCG(seed, 90))
	for offset := range int64(180) {
		r := pipeline.Record{Offset: offset, Time: 1e12 + offset, Value: someShard(t, rng)}
		kinds := []string{"few", "some", "wide", "groups", "touched", "classes", "told", "nobody's"}
		key := fmt.Sprintf("%s/%d", kinds[rng.IntN(len(kinds))], rng.IntN(3))
		r.Key = []byte(key)
		switch rng.IntN(20) {
		case 0:
			r.Headers = []pipeline.Header{{Key: panics}}
		case 1:
			r.Value = append([]byte("!panic"), r.Value...)
		}
		var got, want []string
		states[key], got = one.apply(t, states[key], &r)
		fresh := lane()
		fresh.Watch(0)
		if s := others[key]; s != nil {
			if err := fresh.Adopt(s); err != nil {
				t.Fatal(err)
			}
		}
		others[key], want = fresh.apply(t, others[key], &r)
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("offset %d, key %s: %s", offset, key, differ(got[i], want[i]))
			}
		}
		if len(got) != len(want) {
			t.Fatalf("offset %d, key %s: %d outputs and points, alone %d", offset, key, len(got), len(want))
		}
		for _, o := range want {
			topic, _, _ := strings.Cut(o, " ")
			made[topic]++
			made["fault"] += strings.Count(o, "__connect.errors.stage=\"fault\"")
		}
		if rng.IntN(20) == 0 {
			one.sent(t)
		}
	}
	one.sent(t)
	for key := range maps.Keys(states) {
		if (states[key] == nil) != (others[key] == nil) {
			t.Fatalf("%s: there is a state %t, alone %t", key, states[key] != nil, others[key] != nil)
		}
		if states[key] == nil {
			continue
		}
		got, err := states[key].Value()
		want, other := others[key].Value()
		if err != nil || other != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: another state than alone, %v, %v", key, err, other)
		}
	}
	if memory.Used() != 0 {
		t.Errorf("%d bytes are held", memory.Used())
	}
}
