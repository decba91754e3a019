package web

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/credence-stream/credence/pipeline/trace"
)

// traces are those of requests. Without a tracer there are none.
type traces struct {
	*trace.Tracer
	keys bool // spans tell paths with keys in them
}

// unasked are the routes that machines ask all the time: no trace begins with these.
var unasked = []string{"/livez", "/readyz", "/metrics"}

// knownMethods have a span's name; others are the caller's words.
var knownMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// begin returns the span of a request: a part of the trace that it comes with, or the first
// of one. It is not sampled where nothing is to be recorded.
func (t *traces) begin(r *http.Request, route string, start time.Time) (s trace.Span) {
	if t.Tracer == nil {
		return s
	}
	given := r.Header.Values(trace.ParentHeader)
	if parent, ok := trace.Parse([]byte(r.Header.Get(trace.ParentHeader))); ok && len(given) == 1 {
		s = t.Under(parent)
		s.State = string(trace.State([]byte(r.Header.Get(trace.StateHeader))))
	} else if !slices.Contains(unasked, route) {
		s.Context = t.Root()
	}
	if !s.Sampled() {
		return s
	}
	method := r.Method
	if !slices.Contains(knownMethods, method) {
		method = "_OTHER"
	}
	s.Name, s.Kind, s.Start = method, trace.Server, start
	s.Attributes = append(s.Attributes, trace.Text("http.request.method", method), trace.Text("url.scheme", scheme(r)))
	if route != routePage && route != routeOther {
		s.Name += " " + route
		s.Attributes = append(s.Attributes, trace.Text("http.route", route))
	}
	switch path := r.URL.EscapedPath(); {
	case t.keys:
		s.Attributes = append(s.Attributes, trace.Text("url.path", path))
	case path == route:
		s.Attributes = append(s.Attributes, trace.Text("url.path", route))
	}
	return s
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// end ends the span of a request that was answered with a code.
func (t *traces) end(s trace.Span, code int) {
	if !s.Sampled() {
		return
	}
	s.Attributes = append(s.Attributes, trace.Number("http.response.status_code", int64(code)))
	if code >= http.StatusInternalServerError {
		s.Failed = http.StatusText(code)
		s.Attributes = append(s.Attributes, trace.Text("error.type", strconv.Itoa(code)))
	}
	s.End = time.Now()
	t.End(s)
}
