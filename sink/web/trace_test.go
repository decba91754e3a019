package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline/trace"
)

func tracer(share float64) *trace.Tracer {
	return trace.New(share, prometheus.NewCounter(prometheus.CounterOpts{Name: "lost"}))
}

const (
	aParent     = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	anUnsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
)

// TestRequestsAreTraced: a request goes on with the trace that it comes with, if that is
// sampled; what is no context begins a trace, of which the share decides.
func TestRequestsAreTraced(t *testing.T) {
	for _, c := range []struct {
		name, path string
		share      float64
		parents    []string
		want       string // the span's name and whether it is under the caller's; "": none
	}{
		{"with a trace", "/v1/models/flights%2FATL", 0, []string{aParent}, "GET /v1/models/{key} under"},
		{"with one that is not sampled", "/v1/models/flights%2FATL", 1, []string{anUnsampled}, ""},
		{"hostile", "/v1/models", 0, []string{"00-" + strings.Repeat("f", 5000)}, ""},
		{"hostile, all sampled", "/v1/models", 1, []string{"\xff00-x"}, "GET /v1/models root"},
		{"two", "/v1/models", 1, []string{aParent, aParent}, "GET /v1/models root"},
		{"none", "/v1/models", 1, nil, "GET /v1/models root"},
		{"none, none sampled", "/v1/models", 0, nil, ""},
		{"of a machine", "/readyz", 1, nil, ""},
		{"of a machine with a trace", "/readyz", 0, []string{aParent}, "GET /readyz under"},
		{"the page", "/keys/flights%2FATL", 1, nil, "GET root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			on := tracer(c.share)
			s := newServer(t, func(o *Options) { o.Tracer = on })
			var header []string
			for _, p := range c.parents {
				header = append(header, "Traceparent", p)
			}
			status, _, _ := ask(s, http.MethodGet, c.path, append(header, "Tracestate", "a=1")...)
			got := ""
			if len(on.Ended()) > 0 {
				span := <-on.Ended()
				got = span.Name + " root"
				if span.Parent != [8]byte{} {
					parent, _ := trace.Parse([]byte(aParent))
					if got = span.Name + " under"; span.Parent != parent.Span || span.Trace != parent.Trace || span.State != "a=1" {
						t.Errorf("%+v", span)
					}
				}
				for _, a := range span.Attributes {
					if strings.Contains(a.Text, "ATL") {
						t.Errorf("%s tells a key: %s", a.Key, a.Text)
					}
					if a.Key == "http.response.status_code" && a.Number != int64(status) {
						t.Errorf("the answer is %d, and the span says %d", status, a.Number)
					}
				}
			}
			if got != c.want || len(on.Ended()) > 0 {
				t.Errorf("got %q and %d more, want %q", got, len(on.Ended()), c.want)
			}
		})
	}
}

// TestFailedRequests: an answer of 500 and above is an error of the span, a method that is
// none is nobody's word, and keys are told where that is asked for.
func TestFailedRequests(t *testing.T) {
	on := tracer(1)
	s := newServer(t, func(o *Options) {
		o.Tracer, o.TraceKeys = on, true
		o.Ready = func() []string { return []string{"starting"} }
	})
	ask(s, http.MethodGet, "/readyz", "Traceparent", aParent)
	if span := <-on.Ended(); span.Failed != "Service Unavailable" {
		t.Errorf("%+v", span)
	}
	ask(s, "EVIL", "/v1/models/flights%2FATL")
	span := <-on.Ended()
	told := false
	for _, a := range span.Attributes {
		told = told || a.Key == "url.path" && a.Text == "/v1/models/flights%2FATL"
	}
	if !strings.HasPrefix(span.Name, "_OTHER") || span.Failed != "" || !told {
		t.Errorf("%+v", span)
	}
}
