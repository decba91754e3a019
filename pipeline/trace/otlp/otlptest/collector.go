// Package otlptest offers tests a collector of traces. What it is sent it reads by the code
// that OpenTelemetry's own .proto files give, not by ours.
package otlptest

import (
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	traces "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/credence-stream/credence/testenv/probe"
)

// Span is a span as a collector understands it; ids are hexadecimal.
type Span struct {
	Trace, ID, Parent string
	State             string
	Name              string
	Kind              string // as SPAN_KIND_SERVER
	Flags             uint32
	Start, End        time.Time
	Attributes        map[string]string
	Links             []string // trace-span
	Unlinked          uint32
	Failed            string
	Service           string
	Resource          map[string]string // attributes of the process, service.name among them
	Scope             string            // what made the span
}

// Collector is one that remembers what it was sent.
type Collector struct {
	URL string

	mu       sync.Mutex
	spans    []Span
	requests []http.Header
	refuse   http.HandlerFunc
	more     chan struct{}
}

// Start returns a collector that lives as long as the test.
func Start(t testing.TB) *Collector {
	c := &Collector{more: make(chan struct{}, 1)}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Refuse has requests answered by h from now on, nil: taken.
func (c *Collector) Refuse(h http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuse = h
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	refuse := c.refuse
	c.requests = append(c.requests, r.Header.Clone())
	c.mu.Unlock()
	defer func() {
		select {
		case c.more <- struct{}{}:
		default:
		}
	}()
	if refuse != nil {
		refuse(w, r)
		return
	}
	spans, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.spans = append(c.spans, spans...)
	c.mu.Unlock()
}

// Spans returns what was taken so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Requests returns the headers of the requests so far, refused ones included.
func (c *Collector) Requests() []http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]http.Header(nil), c.requests...)
}

// Until waits until what was sent is as wanted.
func (c *Collector) Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for patience := time.After(probe.Patience); !done(); {
		select {
		case <-c.more:
		case <-patience:
			t.Fatalf("the collector was not sent %s: %d spans", what, len(c.Spans()))
		}
	}
}

// read reads a request as the protocol has it.
func read(r *http.Request) ([]Span, error) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		return nil, fmt.Errorf("%s %s of %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	unpacked, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	return Read(body)
}

// Read reads an ExportTraceServiceRequest, which has the fields of TracesData. A field that
// the protocol does not have is an error.
func Read(body []byte) (all []Span, err error) {
	var data traces.TracesData
	if err := proto.Unmarshal(body, &data); err != nil {
		return nil, err
	}
	for _, resource := range data.GetResourceSpans() {
		process := attributes(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				if n := len(s.ProtoReflect().GetUnknown()); n > 0 {
					return nil, fmt.Errorf("span %s has %d bytes of unknown fields", s.GetName(), n)
				}
				x := spanOf(s)
				x.Service, x.Resource, x.Scope = process["service.name"], process, scope.GetScope().GetName()
				all = append(all, x)
			}
		}
	}
	return all, nil
}

func spanOf(s *traces.Span) Span {
	x := Span{
		Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
		State: s.GetTraceState(), Name: s.GetName(), Kind: s.GetKind().String(), Flags: s.GetFlags(),
		Start: time.Unix(0, int64(s.GetStartTimeUnixNano())), End: time.Unix(0, int64(s.GetEndTimeUnixNano())),
		Attributes: attributes(s.GetAttributes()), Unlinked: s.GetDroppedLinksCount(),
	}
	for _, l := range s.GetLinks() {
		x.Links = append(x.Links, hex.EncodeToString(l.GetTraceId())+"-"+hex.EncodeToString(l.GetSpanId()))
	}
	if s.GetStatus().GetCode() == traces.Status_STATUS_CODE_ERROR {
		x.Failed = s.GetStatus().GetMessage()
	}
	return x
}

func attributes(list []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range list {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			all[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			all[a.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_BoolValue:
			all[a.GetKey()] = fmt.Sprint(v.BoolValue)
		default:
			all[a.GetKey()] = fmt.Sprintf("%T", v)
		}
	}
	return all
}
