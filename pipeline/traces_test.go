package pipeline_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/trace"
)

// contexts gives the records of a stream contexts: sampled ones, others that are not, and
// what is none. It returns the sampled ones by offset.
func contexts(log []pipeline.Record) (sampled map[int64]trace.Context) {
	tracer, sampled := newTracer(1), map[int64]trace.Context{}
	for i := range log {
		c := tracer.Root()
		value := c.Append(nil)
		switch i % 4 {
		case 0:
			sampled[log[i].Offset] = c
		case 1:
			c.Flags = 0
			value = c.Append(nil)
		case 2:
			value = []byte(strings.Repeat("00-hostile\xff", 1+i))
		case 3:
			continue
		}
		log[i].Headers = append(log[i].Headers[:len(log[i].Headers):len(log[i].Headers)], pipeline.Header{Key: "traceparent", Value: value}, pipeline.Header{Key: "tracestate", Value: []byte("a=1")})
	}
	return sampled
}

func newTracer(share float64) *trace.Tracer {
	return trace.New(share, prometheus.NewCounter(prometheus.CounterOpts{Name: "lost"}))
}

// taken are the spans that nobody sends.
func taken(t *trace.Tracer) (all []trace.Span) {
	for len(t.Ended()) > 0 {
		all = append(all, <-t.Ended())
	}
	return all
}

// traced is what a worker left, and its spans.
func traced(t *testing.T, log []pipeline.Record, tracer *trace.Tracer) (sent []pipeline.Output, states map[string]string, spans []trace.Span) {
	t.Helper()
	b := pipelinetest.StartTraced(t, &pipelinetest.Kafka{Log: log}, pipeline.Traces{Tracer: tracer, Group: "g"})
	b.CatchUp(t)
	b.Stop(t)
	states = map[string]string{}
	p := pipeline.Partition{Topic: "in"}
	keys, err := b.Store.Keys(t.Context(), p, "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		v, _ := b.Store.Get(t.Context(), p, key)
		states[key] = string(v)
	}
	if tracer != nil {
		spans = taken(tracer)
	}
	return b.Kafka.Sent, states, spans
}

// TestTracesChangeNothing: what is published and saved is the same, bit for bit, whether
// there are traces or not, and whatever the records' headers say.
func TestTracesChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(11, 300)
		contexts(log)
		sent, states, _ := traced(t, log, nil)
		again, statesAgain, spans := traced(t, log, newTracer(1))
		if len(spans) == 0 || len(sent) == 0 {
			t.Fatalf("%d spans of %d outputs", len(spans), len(sent))
		}
		if first, second := unique(sent), unique(again); !reflect.DeepEqual(first, second) {
			t.Errorf("traces change what is published: %d outputs, %d with traces", len(first), len(second))
		}
		if !reflect.DeepEqual(states, statesAgain) {
			t.Error("traces change what is saved")
		}
	})
}

// unique are the outputs without repeats, which a claim that was given up may leave.
func unique(outputs []pipeline.Output) map[string]bool {
	all := map[string]bool{}
	for _, o := range outputs {
		all[fmt.Sprintf("%d %q %x %q", o.Offset, o.Topic, o.Value, o.Headers)] = true
	}
	return all
}

// TestSpansOfShards: each record of a sampled trace has a span under its producer's, its
// checkpoint has a trace with a link to it, and no other record has any.
func TestSpansOfShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(11, 300)
		sampled := contexts(log)
		_, _, spans := traced(t, log, newTracer(0))
		processed, linked, saved := map[int64]bool{}, map[trace.Context]bool{}, map[[8]byte]bool{}
		byID := map[[8]byte]trace.Span{}
		for _, s := range spans {
			byID[s.Span] = s
		}
		for _, s := range spans {
			parent := byID[s.Parent]
			switch s.Name {
			case "process in":
				at := attribute(s, "messaging.kafka.offset").Number
				if of, ok := sampled[at]; !ok || s.Trace != of.Trace || s.Parent != of.Span || s.Kind != trace.Consumer || s.State != "a=1" {
					t.Errorf("offset %d, sampled %v: %+v", at, ok, s)
				}
				processed[at] = true
			case "decode", "fold":
				if parent.Name != "process in" || parent.Trace != s.Trace {
					t.Errorf("%s is under %q", s.Name, parent.Name)
				}
			case "checkpoint", "poll in":
				for _, c := range s.Links {
					if s.Name == "checkpoint" {
						linked[c] = true
					}
					if !slices.Contains(slices.Collect(maps.Values(sampled)), c) {
						t.Errorf("%s has a link to %v, which is not sampled", s.Name, c)
					}
				}
				if s.Parent != [8]byte{} || len(s.Links) == 0 {
					t.Errorf("%s has a parent, or no links: %+v", s.Name, s)
				}
			case "save checkpoint", "send outputs", "commit in":
				if parent.Name != "checkpoint" {
					t.Errorf("%s is under %q", s.Name, parent.Name)
				}
				if s.Name == "save checkpoint" && s.Failed == "" {
					saved[s.Parent] = true
				}
			default:
				t.Errorf("a span is called %q", s.Name)
			}
			for _, a := range s.Attributes {
				if a.Key == "messaging.kafka.message.key" {
					t.Errorf("%s tells a key", s.Name)
				}
			}
			if s.End.Before(s.Start) || s.Start.IsZero() {
				t.Errorf("%s lasts from %v to %v", s.Name, s.Start, s.End)
			}
		}
		for offset, c := range sampled {
			if !processed[offset] || !linked[c] {
				t.Errorf("offset %d: processed %v, in a checkpoint %v", offset, processed[offset], linked[c])
			}
		}
		if len(saved) == 0 {
			t.Error("no checkpoint tells that it was saved")
		}
	})
}

func attribute(s trace.Span, key string) trace.Attribute {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a
		}
	}
	return trace.Attribute{}
}

// TestFailedSpans: a span says why a record is a dead letter in one word, and a call of the
// store that failed is told.
func TestFailedSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTracer(1).Root()
		log := []pipeline.Record{{Offset: 0, Key: []byte("k1"), Value: []byte("secret"), Headers: []pipeline.Header{{Key: "traceparent", Value: c.Append(nil)}}}}
		_, _, spans := traced(t, log, newTracer(0))
		for _, s := range spans {
			if s.Name == "process in" {
				if s.Failed != "dead letter: decode" || attribute(s, "error.type").Text != "decode" || strings.Contains(fmt.Sprint(s), "secret") {
					t.Errorf("%+v", s)
				}
				return
			}
		}
		t.Errorf("no span of the record among %d", len(spans))
	})
}

// BenchmarkTraces is the cost of a shard without traces, with traces of which it has no
// part, and with traces that it is sampled in. It prints the last two as ratios to the
// first.
func BenchmarkTraces(b *testing.B) {
	rules := pipelinetest.Rules(b)
	at := pipeline.Partition{Topic: "in"}
	value := simRows(1, 2, 3, 4, 5)
	of := newTracer(1).Root()
	var off float64
	for _, c := range []struct {
		name    string
		tracer  *trace.Tracer
		headers []pipeline.Header
	}{
		{"off", nil, []pipeline.Header{{Key: "traceparent", Value: of.Append(nil)}}},
		{"not sampled", newTracer(1), nil},
		{"sampled", newTracer(1), []pipeline.Header{{Key: "traceparent", Value: of.Append(nil)}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := rules.NewRecomputer(at, pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20}, func() pipeline.Decoder { return &pipelinetest.Decoder{} }, func() pipeline.Outputs { return pipelinetest.Outputs{} })
			r.Trace(&pipeline.Traces{Tracer: c.tracer, Group: "g"})
			var s *pipeline.Recomputed
			var err error
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				if s, err = r.Apply(s, &pipeline.Record{Offset: i, Time: 1e12, Key: []byte("k3"), Value: value, Headers: c.headers}); err != nil {
					b.Fatal(err)
				}
				if c.tracer != nil {
					taken(c.tracer)
				}
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			if c.tracer == nil {
				off = each
			} else if off > 0 {
				b.ReportMetric(each/off, "of-off")
			}
		})
	}
}
