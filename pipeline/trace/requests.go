package trace

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Requests are the spans of requests to an HTTP server. Without a tracer there are none.
type Requests struct {
	*Tracer
	Paths bool     // spans tell paths, whatever they name
	Quiet []string // the routes that machines ask all the time: no trace begins with these
}

// knownMethods have a span's name; others are the caller's words.
var knownMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// Begin returns the span of a request: a part of the trace that it comes with, or the first
// of one. It is not sampled where nothing is to be recorded. Route is the pattern that the
// path is of; "": none.
func (t *Requests) Begin(r *http.Request, route string, start time.Time) (s Span) {
	if t.Tracer == nil {
		return s
	}
	given := r.Header.Values(ParentHeader)
	if parent, ok := Parse([]byte(r.Header.Get(ParentHeader))); ok && len(given) == 1 {
		s = t.Under(parent)
		s.State = string(State([]byte(r.Header.Get(StateHeader))))
	} else if !slices.Contains(t.Quiet, route) {
		s.Context = t.Root()
	}
	if !s.Sampled() {
		return s
	}
	method := r.Method
	if !slices.Contains(knownMethods, method) {
		method = "_OTHER"
	}
	s.Name, s.Kind, s.Start = method, Server, start
	s.Attributes = append(s.Attributes, Text("http.request.method", method), Text("url.scheme", scheme(r)))
	if route != "" {
		s.Name += " " + route
		s.Attributes = append(s.Attributes, Text("http.route", route))
	}
	switch path := r.URL.EscapedPath(); {
	case t.Paths:
		s.Attributes = append(s.Attributes, Text("url.path", path))
	case path == route:
		s.Attributes = append(s.Attributes, Text("url.path", route))
	}
	return s
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// Answered ends the span of a request that was answered with a code.
func (t *Requests) Answered(s Span, code int) {
	if !s.Sampled() {
		return
	}
	s.Attributes = append(s.Attributes, Number("http.response.status_code", int64(code)))
	if code >= http.StatusInternalServerError {
		s.Failed = http.StatusText(code)
		s.Attributes = append(s.Attributes, Text("error.type", strconv.Itoa(code)))
	}
	s.End = time.Now()
	t.End(s)
}
