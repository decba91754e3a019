package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// Responses of the first row of a shard for which a model panics in the middle of an update,
// of the second one so that it cannot go back either.
const breaks, breaksForGood = 777, 778

// Whatever panics here leaves what it worked with in a bad way: it works no more as it
// did. Nobody who drops it with its workspace notices.
type (
	brittleDecoder struct {
		pipelinetest.Decoder
		bad bool
	}
	brittleOutputs struct {
		pipelinetest.Outputs
		bad bool
	}
	brittleModel struct {
		cdf.Model
		breaks    func(*cdf.Shard) (breaks, forGood bool)
		bad, lost bool
	}
	brittleBlock struct {
		cdf.Block
		of *brittleModel
	}
)

func (d *brittleDecoder) Decode(value []byte) (*cdf.Batch, error) {
	if bytes.HasPrefix(value, []byte("!panic")) {
		d.bad = true
	}
	b, err := d.Decoder.Decode(value)
	if d.bad && err == nil {
		clear(b.Columns[0].Number)
	}
	return b, err
}

// panics is the header of a record whose posterior the encoder panics for.
const panics = "panics"

func (o *brittleOutputs) Posterior(dst []pipeline.Output, in *pipeline.Pages, p *pipeline.Posterior, f *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	if _, ok := r.Header(panics); ok {
		o.bad = true
		_ = dst[len(dst)+1]
	}
	if o.bad {
		p.Gaps = 99
	}
	return o.Outputs.Posterior(dst, in, p, f, r)
}

// steps are those of the workspaces in which a model panicked.
var steps = map[*cdf.Step]bool{}

func (m *brittleModel) Unwrap() cdf.Model { return m.Model }

func (m *brittleModel) Blocks() []cdf.Block {
	blocks := slices.Clone(m.Model.Blocks())
	for i, b := range blocks {
		blocks[i] = brittleBlock{b, m}
	}
	return blocks
}

func (b brittleBlock) Absorb(s *cdf.Step) {
	if b.of.bad || steps[s] {
		s.Shard.Y[0] += 5
	}
	b.Block.Absorb(s)
	if breaks, forGood := b.of.breaks(s.Shard); breaks {
		b.of.bad, b.of.lost, steps[s] = true, forGood, true
		panic(fmt.Sprintf("%d rows", s.Shard.Rows))
	}
}

func (m *brittleModel) UnmarshalBinary(b []byte) error {
	if m.lost {
		return errors.New("cannot go back")
	}
	return m.Model.UnmarshalBinary(b)
}

// askedModel panics, where it is brittle, for a quantity that is asked for, and tells wrong figures
// from then on.
type askedModel struct {
	cdf.Model
	brittle, bad bool
}

func (m *askedModel) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	if m.brittle && list[0].Name == "asked" {
		m.bad = true
		var none []float64
		rows[0].Mean = none[len(list)]
	}
	err := m.Model.(cdf.Summarizer).Summarize(list, rows)
	if m.bad && err == nil {
		rows[0].Mean += 5
	}
	return err
}

func (m *askedModel) PriorSD(list []cdf.Functional, dst []float64) {
	m.Model.(cdf.Summarizer).PriorSD(list, dst)
}

// brittleRules are of a linear model of every key k*. Of the others a quantity is asked for, for
// which the model of a* panics and that of b* does not.
func brittleRules(t testing.TB) *pipeline.Rules {
	f, err := quantity.ParseForm("beta[x] + 1", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []pipeline.Rule
	for _, match := range []string{"k*", "a*", "b*"} {
		publish := cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}}
		if match != "k*" {
			publish.Quantities = []quantity.Quantity{{Name: "asked", Kind: quantity.KindForm, Form: f}}
		}
		s := pipelinetest.Spec(t, publish)
		s.Columns.Scaling = "none" // the responses are as they come
		build := s.New
		s.New = func(d cdf.Dims) (cdf.Model, error) {
			m, err := build(d)
			if match == "k*" {
				return &brittleModel{Model: m, breaks: func(s *cdf.Shard) (bool, bool) {
					return s.Y[0] == breaks || s.Y[0] == breaksForGood, s.Y[0] == breaksForGood
				}}, err
			}
			return &askedModel{Model: m, brittle: match == "a*"}, err
		}
		list = append(list, pipeline.Rule{Match: match, Spec: s})
	}
	return pipelinetest.RulesOf(t, list...)
}

// faultBench is a worker of what is brittle.
type faultBench struct {
	*pipelinetest.Bench
	text    bytes.Buffer
	metrics *pipeline.Metrics
}

func startBrittle(t *testing.T, log []pipeline.Record) *faultBench {
	clear(steps)
	f := &faultBench{Bench: &pipelinetest.Bench{Kafka: &pipelinetest.Kafka{Log: log}, Store: storetest.NewMemory(), Reg: prometheus.NewRegistry()}}
	f.metrics = pipeline.NewMetrics(f.Reg, "test")
	w, err := pipeline.New(pipeline.Options{
		Topic: "in", Group: f.Kafka, Log: f.Kafka, Publisher: f.Kafka, Store: f.Store, Rules: brittleRules(t),
		Interval: time.Second, MinPause: 5 * time.Millisecond, Records: 100, Bytes: 1 << 20, Inflight: 1 << 24, Cache: 1 << 24,
		Heartbeat: 500 * time.Millisecond, Flush: 10 * time.Second, Lanes: 1,
		NewDecoder: func() pipeline.Decoder { return new(brittleDecoder) }, NewOutputs: func() pipeline.Outputs { return new(brittleOutputs) },
		Metrics: f.metrics, Logger: slog.New(slog.NewJSONHandler(&f.text, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	f.Worker, f.End = w, func() error { cancel(); return <-done }
	return f
}

// told are the lines of the log about faults.
func (f *faultBench) told(t *testing.T) (lines []map[string]any) {
	for line := range strings.Lines(f.text.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m["msg"] == "fault of the program" {
			lines = append(lines, m)
		}
	}
	return lines
}

// brittleLog has n records of six keys, every tenth of which makes something panic, and
// the same without these: dead letters that no key sees.
func brittleLog(n int) (log, spared []pipeline.Record, faults int) {
	rng := rand.New(rand.NewPCG(8, 2))
	for i := range n {
		key := fmt.Sprint("k", rng.IntN(6))
		log = append(log, pipeline.Record{Offset: int64(i), Time: 1e12 + int64(i), Key: []byte(key), Value: pipelinetest.Shard(rng)})
	}
	spared = slices.Clone(log)
	for i := 5; i < n; i += 10 {
		faults++
		spared[i].Key = []byte("unmatched")
		switch i / 10 % 3 {
		case 0:
			log[i].Value = []byte("!panic")
		case 1:
			log[i].Value = simRows(breaks, 1, 2, 3)
		case 2:
			log[i].Headers = []pipeline.Header{{Key: panics}}
		}
	}
	return log, spared, faults
}

// A panic costs its record, and is told as a fault of the program: by the dead letter, by a
// metric, and by one line with its stack for each place and minute. What it was in the
// middle of is not met by the next record.
func TestFaultsAreToldAsFaults(t *testing.T) {
	const n = 600
	log, spared, faults := brittleLog(n)
	synctest.Test(t, func(t *testing.T) {
		want := startBrittle(t, spared)
		want.CatchUp(t)
		want.Stop(t)
		got := startBrittle(t, log)
		got.CatchUp(t)
		for name, v := range map[string]float64{"credence_claims_total": 1, "credence_faults_total": float64(faults), "credence_records_dead_lettered_total": float64(faults)} {
			if is := metric(t, got.Reg, name); is != v {
				t.Errorf("%s is %g, want %g", name, is, v)
			}
		}
		if is := got.metrics.Tally().Dead; len(is) != 1 || is[pipeline.StageFault] != int64(faults) {
			t.Errorf("dead letters: %v", is)
		}
		lines := got.told(t)
		if len(lines) != 3 {
			t.Fatalf("%d lines, want one for each place: %v", len(lines), lines)
		}
		for i, place := range []string{"pipelinetest.(*Decoder).Decode (stream.go:", "pipeline_test.brittleBlock.Absorb (faults_test.go:", "pipeline_test.(*brittleOutputs).Posterior (faults_test.go:"} {
			m := lines[i]
			stack, _ := m["stack"].(string)
			if is, _ := m["place"].(string); !strings.Contains(is, place) || !strings.Contains(stack, place) || !strings.Contains(stack, "pipeline.(*lane).one") || len(stack) > 5000 {
				t.Errorf("place %v, stack %s", m["place"], stack)
			}
			if m["level"] != "ERROR" || m["applied"] != false || m["topic"] != "in" || m["others"] != 0. || m["offset"] != float64(5+10*i) {
				t.Errorf("line %v", m)
			}
		}
		// A minute later a place is told of again, with how many there were.
		<-time.After(time.Minute)
		got.Kafka.Set(func(k *pipelinetest.Kafka) {
			last := log[5]
			last.Offset = n
			k.Log = append(slices.Clone(k.Log), last)
		})
		got.CatchUp(t)
		if lines = got.told(t); len(lines) != 4 || lines[3]["others"] != float64(faults/3-1) {
			t.Errorf("%d lines, the last one %v", len(lines), lines[len(lines)-1])
		}
		got.Stop(t)
		for key := range 6 {
			key := fmt.Sprint("k", key)
			a, _ := want.Store.Get(t.Context(), pipeline.Partition{Topic: "in"}, key)
			b, _ := got.Store.Get(t.Context(), pipeline.Partition{Topic: "in"}, key)
			if a == nil || string(a) != string(b) {
				t.Errorf("the state of %s has a trace of a panic", key)
			}
		}
		sent := func(k *pipelinetest.Kafka) (outs, dead []pipeline.Output) {
			letter := func(o pipeline.Output) bool { return o.Topic == "dead" }
			outs = slices.DeleteFunc(slices.Clone(k.Sent), letter)
			return outs, slices.DeleteFunc(slices.Clone(k.Sent), func(o pipeline.Output) bool { return !letter(o) })
		}
		outs, dead := sent(got.Kafka)
		right, _ := sent(want.Kafka)
		if !slices.EqualFunc(outs, right, func(a, b pipeline.Output) bool { return a.Offset == b.Offset && bytes.Equal(a.Value, b.Value) }) {
			t.Error("what is published has a trace of a panic")
		}
		for _, o := range dead {
			reason := string(o.Headers[1].Value)
			if string(o.Headers[0].Value) != "fault" || !strings.HasPrefix(reason, "a fault of Credence, not of this record") || strings.Contains(reason, "numeric") {
				t.Fatalf("offset %d: %s: %s", o.Offset, o.Headers[0].Value, reason)
			}
			if o.Offset == 25 && !strings.Contains(reason, "runtime error: index out of range, in pipeline_test.(*brittleOutputs).Posterior (faults_test.go:") {
				t.Errorf("reason %s", reason)
			}
		}
	})
}

// What recomputes states comes to those of a worker, panics included.
func TestFaultsAreRecomputed(t *testing.T) {
	log, _, _ := brittleLog(300)
	for i := range log {
		if i%50 == 27 {
			log[i].Value = simRows(breaksForGood, 1, 2, 3)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		b := startBrittle(t, log)
		b.CatchUp(t)
		b.Stop(t)
		if claims, dead := metric(t, b.Reg, "credence_claims_total"), b.metrics.Tally().Dead; claims != 7 || len(dead) != 1 {
			t.Errorf("%g claims, dead letters %v; want a claim for each state that is lost, and faults alone", claims, dead)
		}
		clear(steps)
		c := brittleRules(t).NewRecomputer(pipeline.Partition{Topic: "in"}, pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20},
			func() pipeline.Decoder { return new(brittleDecoder) }, func() pipeline.Outputs { return new(brittleOutputs) })
		states := map[string]*pipeline.Recomputed{}
		for i := range log {
			key := string(log[i].Key)
			var err error
			if states[key], err = c.Apply(states[key], &log[i]); err != nil {
				t.Fatal(err)
			}
		}
		for key, s := range states {
			is, err := s.Value()
			if want, _ := b.Store.Get(t.Context(), pipeline.Partition{Topic: "in"}, key); err != nil || !bytes.Equal(is, want) {
				t.Errorf("the state of %s is recomputed otherwise, %v", key, err)
			}
		}
	})
}

// A panic for what is told beside the state costs that alone, and is told all the same.
func TestFaultOfAQuantityIsTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	var log, spared []pipeline.Record
	for i := range 20 {
		r := pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("a"), Value: pipelinetest.Shard(rng)}
		log = append(log, r)
		r.Key = []byte("b")
		spared = append(spared, r)
	}
	synctest.Test(t, func(t *testing.T) {
		want := startBrittle(t, spared)
		want.CatchUp(t)
		want.Stop(t)
		got := startBrittle(t, log)
		got.CatchUp(t)
		got.Stop(t)
		if n, tally := metric(t, got.Reg, "credence_faults_total"), got.metrics.Tally(); n != 20 || len(tally.Dead) != 0 || tally.Applied != 20 {
			t.Errorf("%g faults, %v", n, tally)
		}
		if lines := got.told(t); len(lines) != 1 || lines[0]["applied"] != true || !strings.Contains(lines[0]["place"].(string), "(*askedModel).Summarize") {
			t.Errorf("told %v", lines)
		}
		// What else is said is the same; the panic took the quantity with it.
		asked := regexp.MustCompile(` asked=\S*`)
		for i, o := range got.Kafka.Sent {
			is, w := asked.ReplaceAllString(string(o.Value), ""), asked.ReplaceAllString(string(want.Kafka.Sent[i].Value), "")
			if is != w {
				t.Errorf("output %d\n%s\n%s", i, is, w)
			}
		}
	})
}

// The text of a dead letter is the same whoever meets the panic: repeats are byte-identical.
func TestFaultsAreTheSameAgain(t *testing.T) {
	log, _, _ := brittleLog(100)
	log[27].Value = simRows(breaksForGood, 1, 2, 3)
	told := map[int64]string{}
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			b := startBrittle(t, log)
			b.CatchUp(t)
			b.Stop(t)
			for _, o := range b.Kafka.Sent {
				if o.Topic != "dead" {
					continue
				}
				text, was := string(o.Headers[1].Value), told[o.Offset]
				if was != "" && was != text || strings.Contains(text, "0x") || !strings.HasPrefix(text, "a fault of Credence") {
					t.Errorf("offset %d: told is %q, and was %q", o.Offset, text, was)
				}
				told[o.Offset] = text
			}
		})
	}
	if len(told) != 11 {
		t.Errorf("%d dead letters, want 11", len(told))
	}
}
