package replay

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline/trace"
)

// TestSenderTraces: shards carry the context that is given, or one of their own under it or
// by themselves, and a shard that is sent again after an outage the same.
func TestSenderTraces(t *testing.T) {
	parent, _ := trace.Parse([]byte("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
	for _, c := range []struct {
		name  string
		share float64 // below 0: no tracer
		of    trace.Context
		spans int
	}{
		{"nothing", -1, trace.Context{}, 0},
		{"given", -1, parent, 0},
		{"own", 1, trace.Context{}, 2},
		{"own, not sampled", 0, trace.Context{}, 0},
		{"under", 0, parent, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := topic{fail: []error{errors.New("connection reset")}}
				how := Tracing{Parent: c.of}
				if c.share >= 0 {
					how.Tracer = trace.New(c.share, prometheus.NewCounter(prometheus.CounterOpts{Name: "lost"}))
				}
				s := NewSender(Options{Topic: "in", Run: "r", Publisher: &f, Encode: small, Tracing: how})
				for n := range 2 {
					if err := s.Send(t.Context(), shard("a", int64(n+1))); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				carried := f.headers("traceparent")
				switch {
				case c.share < 0 && c.of == (trace.Context{}):
					if len(carried) != 0 {
						t.Errorf("carried %q", carried)
					}
					return
				case c.share < 0:
					if fmt.Sprint(carried) != fmt.Sprintf("[%v %v]", parent, parent) {
						t.Errorf("carried %q", carried)
					}
					return
				}
				if n := len(how.Tracer.Ended()); n != c.spans || len(carried) != 2 || carried[0] == carried[1] {
					t.Fatalf("%d spans, carried %q", n, carried)
				}
				for _, text := range carried {
					of, ok := trace.Parse([]byte(text))
					if !ok || of.Sampled() != (c.spans > 0) || (of.Trace == parent.Trace) != (c.of == parent) {
						t.Errorf("carried %q", text)
					}
					if c.spans == 0 {
						continue
					}
					span := <-how.Tracer.Ended()
					if span.Context != of || span.Parent != c.of.Span || span.Kind != trace.Producer || span.End.Sub(span.Start) < 250*time.Millisecond {
						t.Errorf("%+v, and %v is carried", span, of)
					}
				}
			})
		})
	}
}
