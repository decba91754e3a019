package pipeline_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
	"github.com/credence-stream/credence/sink"
)

// shardsOfTwo are records of key k with two rows each: the 25th brings the
// fiftieth row. The gone-th is a tombstone.
func shardsOfTwo(n, gone int) []pipeline.Record {
	var log []pipeline.Record
	for i := range n {
		v := float64(i)
		r := pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("k"), Value: simRows(v+v*v, 3+v, 1-v, v*v)}
		if i == gone {
			r.Value = nil
		}
		log = append(log, r)
	}
	return log
}

// posteriorsIn makes s publish posteriors of k under spec in the form.
func posteriorsIn(t *testing.T, s *pipeline.Sim, spec *cdf.Spec, form sink.Form) {
	t.Helper()
	s.Rules = pipelinetest.RulesOf(t, pipeline.Rule{Match: "k", Spec: spec})
	s.Outputs = func() pipeline.Outputs {
		return sink.NewOutputs(sink.Topic{Group: "g", Output: "out", Encoder: form}, sink.DeadLetters{Topic: "dead"}, nil)
	}
}

// TestConstantsArePublishedWhenTheyChange: messages have centre and scale until
// the shard that fixes them, then every 64th has, and after a tombstone it is
// all as for a new key. JSON, and what cannot be understood without them or was
// preceded by what was not published, has them always.
func TestConstantsArePublishedWhenTheyChange(t *testing.T) {
	given := 2.5
	some := func(t int64) bool { return t <= 25 || t%64 == 0 }
	all := func(int64) bool { return true }
	for name, c := range map[string]struct {
		change func(*cdf.Spec)
		form   sink.Form
		want   func(t int64) bool
	}{
		"arrow": {func(*cdf.Spec) {}, arrow.NewEncoder(), some},
		"given": {func(s *cdf.Spec) {
			s.Columns.Response.Center, s.Columns.Response.Scale = &given, &given
			s.Columns.Features[0].Center, s.Columns.Features[0].Scale = &given, &given
		}, arrow.NewEncoder(), func(t int64) bool { return t == 1 || t%64 == 0 }},
		"none":        {func(s *cdf.Spec) { s.Columns.Scaling = "none" }, arrow.NewEncoder(), all},
		"every other": {func(s *cdf.Spec) { s.Publish.Every = 2 }, arrow.NewEncoder(), all},
		"model scale": {func(s *cdf.Spec) { s.Publish.Scale = "model" }, arrow.NewEncoder(), all},
		"json":        {func(*cdf.Spec) {}, sink.JSON{}, all},
	} {
		t.Run(name, func(t *testing.T) {
			spec := cdftest.Line()
			c.change(spec)
			s := newSim(t, 0, storetest.NewMemory(), shardsOfTwo(180, 140))
			posteriorsIn(t, s, spec, c.form)
			settle(t, s)
			read, n := sink.ParseJSON, 0
			if c.form.ContentType() == arrow.ContentType {
				read = arrow.DecodePosterior
			}
			var last []cdf.Constant
			for _, o := range s.Sent {
				if o.Value == nil {
					continue
				}
				p, _, err := read(o.Value)
				if err != nil {
					t.Fatal(err)
				}
				n++
				if p.Settled == c.want(p.Summary.T) {
					t.Errorf("offset %d, t = %d: without constants %t", o.Offset, p.Summary.T, p.Settled)
				}
				if there := len(p.Summary.Scaling) > 0; there == p.Settled && name != "none" {
					t.Errorf("offset %d: constants %v, settled %t", o.Offset, p.Summary.Scaling, p.Settled)
				} else if there {
					if now := p.Summary.Scaling; p.Summary.T == 64 && fmt.Sprint(now) != fmt.Sprint(last) {
						t.Errorf("offset %d repeats %v, those before were %v", o.Offset, now, last)
					}
					last = p.Summary.Scaling
				}
			}
			if want := int(179 / max(1, spec.Publish.Every)); n != want {
				t.Errorf("%d posteriors, want %d", n, want)
			}
		})
	}
}

// TestRepeatsLackTheSameConstants: whether a message has centre and scale is as
// much a function of the input as its numbers are.
func TestRepeatsLackTheSameConstants(t *testing.T) {
	calm := newSim(t, 0, storetest.NewMemory(), shardsOfTwo(100, -1))
	posteriorsIn(t, calm, cdftest.Line(), arrow.NewEncoder())
	settle(t, calm)
	want := map[int64][]byte{}
	for _, o := range calm.Sent {
		want[o.Offset] = o.Value
	}
	repeats := 0
	for seed := range uint64(8) {
		s := newTroubledSim(t, seed, storetest.NewMemory(), shardsOfTwo(100, -1))
		posteriorsIn(t, s, cdftest.Line(), arrow.NewEncoder())
		settle(t, s)
		repeats += len(s.Sent) - len(want)
		for _, o := range s.Sent {
			if o.Topic == "out" && !bytes.Equal(o.Value, want[o.Offset]) {
				t.Fatalf("seed %d: the message about offset %d has other bytes", seed, o.Offset)
			}
		}
	}
	if repeats == 0 {
		t.Error("nothing was sent again")
	}
}
