package otlp

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline/trace"
	"github.com/credence-stream/credence/pipeline/trace/otlp/otlptest"
	"github.com/credence-stream/credence/testenv/probe"
)

// TestEncoding has a span with all that one can have read by OpenTelemetry's own code.
func TestEncoding(t *testing.T) {
	start := time.Unix(1_700_000_000, 123_456_789)
	c, _ := trace.Parse([]byte("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
	of, _ := trace.Parse([]byte("00-11111111111111112222222222222222-3333333333333333-00"))
	full := trace.Span{
		Context: c, Parent: of.Span, State: "a=1", Name: "process in", Kind: trace.Consumer, Start: start, End: start.Add(time.Microsecond),
		Attributes: []trace.Attribute{trace.Text("t", "x\xffy"), trace.Number("n", -3), trace.True("b")},
		Links:      []trace.Context{of, c}, Unlinked: 5, Failed: "dead letter: decode",
	}
	bare := trace.Span{Context: c, Name: "x", Kind: trace.Internal, Start: start, End: start}
	e := newEncoder("1.2", []trace.Attribute{trace.Text("service.name", "credence")})
	got, err := otlptest.Read(e.request([]trace.Span{full, bare}))
	process := map[string]string{"service.name": "credence"}
	want := []otlptest.Span{{
		Trace: "0af7651916cd43dd8448eb211c80319c", ID: "b7ad6b7169203331", Parent: "3333333333333333", State: "a=1", Name: "process in",
		Kind: "SPAN_KIND_CONSUMER", Flags: 1, Start: start, End: start.Add(time.Microsecond),
		Attributes: map[string]string{"t": "x\ufffdy", "n": "-3", "b": "true"},
		Links:      []string{"11111111111111112222222222222222-3333333333333333", "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"},
		Unlinked:   5, Failed: "dead letter: decode", Service: "credence", Resource: process, Scope: scope,
	}, {
		Trace: "0af7651916cd43dd8448eb211c80319c", ID: "b7ad6b7169203331", Name: "x", Kind: "SPAN_KIND_INTERNAL", Flags: 1,
		Start: start, End: start, Attributes: map[string]string{}, Service: "credence", Resource: process, Scope: scope,
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

// FuzzRejected: an answer of whatever bytes is read without harm.
func FuzzRejected(f *testing.F) {
	f.Add([]byte{0x0a, 0x02, 0x08, 0x05})
	f.Fuzz(func(_ *testing.T, answer []byte) { rejected(answer) })
}

func TestRejected(t *testing.T) {
	for answer, want := range map[string]int64{
		"": 0, "\x0a\x02\x08\x05": 5, "\x0a\x06\x08\x05\x12\x02no": 5, "\x0a\x00": 0, "\x0a\x09\x08": 0, "<html>": 0,
	} {
		if n := rejected([]byte(answer)); n != want {
			t.Errorf("%q rejects %d, want %d", answer, n, want)
		}
	}
}

// running is an exporter at work.
type running struct {
	*Exporter
	reg  *prometheus.Registry
	stop func()

	mu   sync.Mutex
	said []error
}

func start(t *testing.T, o Options) *running {
	t.Helper()
	r := &running{reg: prometheus.NewRegistry()}
	o.Service, o.Version, o.Share = "credence", "1.2", 1
	o.Trouble = func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = append(r.said, err)
	}
	var err error
	if r.Exporter, err = Open(o, r.reg); err != nil {
		t.Fatal(err)
	}
	r.begin(t)
	t.Cleanup(r.stop)
	return r
}

// begin runs the exporter until stop is called.
func (r *running) begin(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	r.stop = func() { cancel(); <-done }
}

func (r *running) span(name string) {
	now := time.Now()
	r.tracer.End(trace.Span{Context: r.tracer.Root(), Name: name, Kind: trace.Internal, Start: now, End: now})
}

// counts are the counters by reason; sent ones have none.
func (r *running) counts(t *testing.T) map[string]float64 {
	t.Helper()
	all, err := r.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range all {
		for _, m := range f.GetMetric() {
			reason := "sent"
			if len(m.GetLabel()) > 0 {
				reason = m.GetLabel()[0].GetValue()
			}
			got[reason] = m.GetCounter().GetValue()
		}
	}
	return got
}

func TestExport(t *testing.T) {
	c := otlptest.Start(t)
	file := filepath.Join(t.TempDir(), "headers")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# of the collector\nAuthorization: Bearer one\n\nX-Tenant: a b\n")
	r := start(t, Options{Endpoint: c.URL, HeadersFile: file})
	r.span("first")
	c.Until(t, "the first span", func() bool { return len(c.Spans()) == 1 })
	write("Authorization: Bearer two")
	r.span("second")
	c.Until(t, "the second span", func() bool { return len(c.Spans()) == 2 })
	r.stop()
	spans, requests := c.Spans(), c.Requests()
	if len(spans) != 2 || spans[0].Name != "first" || spans[1].Name != "second" || spans[0].Service != "credence" {
		t.Fatalf("got %+v", spans)
	}
	if h := requests[0]; h.Get("Authorization") != "Bearer one" || h.Get("X-Tenant") != "a b" || h.Get("User-Agent") != "credence/1.2" {
		t.Errorf("headers %v", h)
	}
	if h := requests[len(requests)-1]; h.Get("Authorization") != "Bearer two" {
		t.Errorf("a changed secret is not used: %v", h)
	}
	if got := r.counts(t); got["sent"] != 2 || got["queue"]+got["outage"]+got["refused"]+got["end"] != 0 {
		t.Errorf("counts %v", got)
	}
}

// TestCollectorThatRefuses: what it will never take is dropped at once and told, and so is
// what it takes only in part.
func TestCollectorThatRefuses(t *testing.T) {
	c := otlptest.Start(t)
	other := otlptest.Start(t)
	for _, x := range []struct {
		name   string
		answer http.HandlerFunc
		told   string
	}{
		{"unauthorized", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "401"},
		{"moved", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "307"},
		{"partial", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\x0a\x02\x08\x01")) }, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			c.Refuse(x.answer)
			r := start(t, Options{Endpoint: c.URL + "/"})
			r.span("a")
			probe.Eventually(t, "an answer is counted", func() bool { return r.counts(t)["refused"] > 0 })
			r.stop()
			if got := r.counts(t); got["refused"] != 1 || got["sent"] != 0 {
				t.Errorf("counts %v", got)
			}
			if told := errors.Join(r.said...); (told != nil) != (x.told != "") || told != nil && !strings.Contains(told.Error(), x.told) {
				t.Errorf("told %v", told)
			}
		})
	}
	if n := len(other.Requests()); n > 0 {
		t.Error("another host was shown the headers")
	}
}

// away is a transport that has no collector for some time.
type away struct {
	until time.Time
	then  http.RoundTripper
	tries int
}

func (a *away) RoundTrip(r *http.Request) (*http.Response, error) {
	a.tries++
	if time.Now().Before(a.until) {
		return nil, errors.New("connection refused")
	}
	if a.then != nil {
		return a.then.RoundTrip(r)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// TestOutage: a short outage costs no span; in a long one they are dropped batch by batch,
// by the clock of the test.
func TestOutage(t *testing.T) {
	for _, c := range []struct {
		name   string
		lasts  time.Duration
		counts map[string]float64
	}{
		{"short", 10 * time.Second, map[string]float64{"sent": 4, "outage": 0, "end": 0, "queue": 0, "refused": 0}},
		{"long", time.Minute, map[string]float64{"sent": 1, "outage": 3, "end": 0, "queue": 0, "refused": 0}},
		{"for ever", time.Hour, map[string]float64{"sent": 0, "outage": 3, "end": 1, "queue": 0, "refused": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &away{until: time.Now().Add(c.lasts)}
				r := startOn(t, a)
				for range 3 {
					r.span("x")
				}
				<-time.After(90 * time.Second)
				r.span("x")
				<-time.After(5 * time.Second)
				r.stop()
				if got := r.counts(t); !reflect.DeepEqual(got, c.counts) {
					t.Errorf("counts %v, want %v", got, c.counts)
				}
				if last := r.said[len(r.said)-1]; (last == nil) != (c.lasts < time.Hour) {
					t.Errorf("told last: %v", last)
				}
				if a.tries > 60 {
					t.Errorf("%d tries in 95 s", a.tries)
				}
			})
		})
	}
}

// busy is a transport whose collector, once it was asked, takes nothing for some time and
// says for how long.
type busy struct {
	lasts time.Duration
	says  func(until time.Time) string // Retry-After
	asked []time.Time
}

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	b.asked = append(b.asked, time.Now())
	a := &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r, Header: http.Header{}}
	if until := b.asked[0].Add(b.lasts); time.Now().Before(until) {
		a.StatusCode = http.StatusServiceUnavailable
		a.Header.Set("Retry-After", b.says(until))
	}
	return a, nil
}

// TestRetryAfter: a collector that says when it wants to be asked again is not asked before,
// neither for another batch nor at the end; spans that can wait that long are not lost.
func TestRetryAfter(t *testing.T) {
	seconds := func(until time.Time) string { return strconv.Itoa(int(time.Until(until).Seconds())) }
	for _, c := range []struct {
		name   string
		lasts  time.Duration
		says   func(until time.Time) string
		counts map[string]float64
		quiet  time.Duration
	}{
		{"seconds", 20 * time.Second, seconds, map[string]float64{"sent": 3}, 20 * time.Second},
		{"a date", 20 * time.Second, func(until time.Time) string { return until.UTC().Format(http.TimeFormat) }, map[string]float64{"sent": 3}, 20 * time.Second},
		{"longer than a batch waits", 50 * time.Second, seconds, map[string]float64{"sent": 2, "outage": 1}, 50 * time.Second},
		{"longer than the process lives", time.Hour, func(time.Time) string { return "4000000000" }, map[string]float64{"outage": 2, "end": 1}, mostQuiet},
		{"no word of it", 2 * time.Second, func(time.Time) string { return "soon" }, map[string]float64{"sent": 3}, leastPause},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &busy{lasts: c.lasts, says: c.says}
				r := startOn(t, b)
				r.span("a")
				<-time.After(batchWait + time.Second)
				r.span("b")
				<-time.After(2 * time.Minute)
				r.span("c")
				r.stop()
				got := r.counts(t)
				for reason, n := range got {
					if n != c.counts[reason] {
						t.Errorf("counts %v, want %v", got, c.counts)
						break
					}
				}
				for i, at := range b.asked[1:] {
					if after := at.Sub(b.asked[0]); after < c.quiet {
						t.Errorf("request %d comes %v after the first, which was to be the only one for %v", i+2, after, c.quiet)
					}
				}
			})
		})
	}
	if got := retryAfter(http.Header{"Retry-After": {"4000000000"}}); got != mostQuiet {
		t.Errorf("a collector can have %v of silence", got)
	}
}

// slow is a transport whose collector takes its time.
type slow struct{ tries int }

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.tries++
	select {
	case <-time.After(2 * time.Second):
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// TestEndWaitsForTheRequestUnderWay: what a collector is about to take is not sent again, and
// an end never waits for longer than it may.
func TestEndWaitsForTheRequestUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(slow)
		r := startOn(t, s)
		r.span("x")
		<-time.After(batchWait + time.Second)
		began := time.Now()
		r.stop()
		if got := r.counts(t); s.tries != 1 || got["sent"] != 1 || time.Since(began) != time.Second {
			t.Errorf("%d tries, counts %v after %v", s.tries, got, time.Since(began))
		}
		left := startOn(t, new(slow)) // what is left is sent
		left.span("x")
		left.stop()
		if got := left.counts(t); got["sent"] != 1 || got["end"] != 0 {
			t.Errorf("counts %v of what was left", got)
		}
		never := startOn(t, &away{until: time.Now(), then: hanging{}})
		never.span("x")
		began = time.Now()
		never.stop()
		if got := never.counts(t); got["end"] != 1 || time.Since(began) != flushLimit {
			t.Errorf("counts %v after %v", got, time.Since(began))
		}
	})
}

// hanging is a transport whose collector never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// startOn is start with a transport.
func startOn(t *testing.T, on http.RoundTripper) *running {
	t.Helper()
	r := &running{reg: prometheus.NewRegistry()}
	e, err := Open(Options{Endpoint: "http://collector:4318", Share: 1, Trouble: func(err error) { r.said = append(r.said, err) }}, r.reg)
	if err != nil {
		t.Fatal(err)
	}
	e.client.Transport = on
	r.Exporter = e
	r.begin(t)
	return r
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad")
	holding := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	holding("bad", "a: b\nsecret\n")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Endpoint: "collector:4318"}, "not of the form"},
		{Options{Endpoint: "grpc://collector:4317"}, "not of the form"},
		{Options{Endpoint: "http://user:secret@collector:4318"}, "not of the form"},
		{Options{Endpoint: "http://collector:4318", HeadersFile: filepath.Join(dir, "none")}, "none"},
		{Options{Endpoint: "http://collector:4318", HeadersFile: bad}, "line 2"},
		{Options{Endpoint: "http://collector:4318", HeadersFile: holding("empty", "# none\n\n")}, "empty has no headers: write them into it"},
		{Options{Endpoint: "http://collector:4318", HeadersFile: holding("value", "Authorization:\n")}, "line 1"},
		{Options{Endpoint: "http://collector:4318", HeadersFile: holding("marked", "\ufeffAuthorization: Bearer one\n")}, "line 1"},
	} {
		_, err := Open(c.o, prometheus.NewRegistry())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
