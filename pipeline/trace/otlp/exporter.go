// Package otlp takes spans to a collector by OTLP/HTTP, in Protobuf: the form that every
// collector takes.
package otlp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline/trace"
)

// Options say where spans go.
type Options struct {
	// Endpoint is a URL; one without a path gets that of traces, /v1/traces.
	Endpoint string
	// HeadersFile has headers of the requests, one a line as "Name: value", and is read
	// with each request; "": none.
	HeadersFile string
	TLS         access.TLS  // of https; Enabled does not matter
	Keys        access.Keys // what a user calls its settings
	Service     string      // service.name
	Version     string      // service.version
	Share       float64     // of the traces that begin here, from 0 to 1, is sampled
	// Trouble is told why spans cannot be sent, and nil when they can. It may be told the
	// same again.
	Trouble func(error)
	// OnUnusable, when not nil, is told once of a file of TLS that has changed and cannot be
	// used.
	OnUnusable func(error)
}

// Exporter sends the spans that its tracer was given. It waits for nobody but its
// collector, and nobody waits for it: what the collector does not take is dropped.
type Exporter struct {
	tracer  *trace.Tracer
	encoder *encoder
	client  *http.Client
	url     string
	options Options
	sent    prometheus.Counter
	dropped *prometheus.CounterVec
	quiet   time.Time // until then the collector wants no request
}

// Why spans are dropped, as labels.
const (
	droppedQueue   = "queue"   // they came faster than they were sent
	droppedOutage  = "outage"  // the collector was away for too long
	droppedRefused = "refused" // by the collector
	droppedEnd     = "end"     // the process ended
)

const (
	batchSpans  = 512
	batchWait   = time.Second      // from the first span of a batch
	callTimeout = 10 * time.Second // of a request
	patience    = 30 * time.Second // with a collector, for a batch
	leastPause  = 500 * time.Millisecond
	mostPause   = 5 * time.Second
	mostQuiet   = 5 * time.Minute // that a collector may ask for
	flushLimit  = 3 * time.Second // for what is left at the end
)

// metrics registers what an exporter counts and returns it, at 0.
func metrics(reg prometheus.Registerer) (sent prometheus.Counter, dropped *prometheus.CounterVec) {
	auto := promauto.With(reg)
	sent = auto.NewCounter(prometheus.CounterOpts{Namespace: "credence", Name: "trace_spans_sent_total",
		Help: "Spans that the collector has taken. There with traces.endpoint."})
	dropped = auto.NewCounterVec(prometheus.CounterOpts{Namespace: "credence", Name: "trace_spans_dropped_total",
		Help: "Spans that were not sent, by reason. There with traces.endpoint."}, []string{"reason"})
	for _, reason := range []string{droppedQueue, droppedOutage, droppedRefused, droppedEnd} {
		dropped.WithLabelValues(reason)
	}
	return sent, dropped
}

// RegisterMetrics registers what an exporter counts, for pages that list all metrics.
func RegisterMetrics(reg prometheus.Registerer) { metrics(reg) }

// Open reads the files that the options name and connects to nothing.
func Open(o Options, reg prometheus.Registerer) (*Exporter, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, errors.New("traces: the endpoint is not of the form http://host:4318; secrets belong in the file of headers")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	if _, err := headers(o.HeadersFile); err != nil {
		return nil, fmt.Errorf("traces: headers: %w", err)
	}
	o.TLS.Enabled = u.Scheme == "https"
	t, err := access.NewTransport(o.TLS, o.Keys, o.OnUnusable)
	if err != nil {
		return nil, err
	}
	e := &Exporter{url: u.String(), options: o, encoder: newEncoder(o.Version, resource(o))}
	e.client = &http.Client{Timeout: callTimeout, Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // another host is not to see the headers
	}}
	e.sent, e.dropped = metrics(reg)
	e.tracer = trace.New(o.Share, e.dropped.WithLabelValues(droppedQueue))
	return e, nil
}

// resource is what this process is, by the semantic conventions.
func resource(o Options) []trace.Attribute {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails, see crypto/rand
	all := []trace.Attribute{
		trace.Text("service.name", o.Service), trace.Text("service.version", o.Version),
		trace.Text("service.instance.id", hex.EncodeToString(id[:])),
	}
	if host, err := os.Hostname(); err == nil {
		all = append(all, trace.Text("host.name", host))
	}
	return all
}

// Tracer returns what makes the spans.
func (e *Exporter) Tracer() *trace.Tracer { return e.tracer }

// Run sends spans until ctx ends, and then, for some seconds at most, what is left.
func (e *Exporter) Run(ctx context.Context) {
	defer e.client.CloseIdleConnections()
	// A request that is under way when ctx ends is not given up: it would be sent twice.
	calls, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(flushLimit, giveUp) })()
	batch := make([]trace.Span, 0, batchSpans)
	for ctx.Err() == nil {
		if batch = e.collect(ctx, batch[:0]); len(batch) > 0 && e.deliver(ctx, calls, batch) {
			batch = batch[:0]
		}
	}
	e.flush(calls, batch)
}

// collect waits for a span and then for more of them, for a batch.
func (e *Exporter) collect(ctx context.Context, batch []trace.Span) []trace.Span {
	select {
	case s := <-e.tracer.Ended():
		batch = append(batch, s)
	case <-ctx.Done():
		return batch
	}
	full := time.NewTimer(batchWait)
	defer full.Stop()
	for len(batch) < batchSpans {
		select {
		case s := <-e.tracer.Ended():
			batch = append(batch, s)
		case <-full.C:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// deliver sends a batch, again and again while the collector is away but never before it wants
// to be asked again, and reports whether it is done with it: it is not where ctx ended before.
// The context of calls lasts longer.
func (e *Exporter) deliver(ctx, calls context.Context, batch []trace.Span) bool {
	giveUp, body := time.Now().Add(patience), e.encoder.request(batch)
	next := e.quiet
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		// A batch that is dropped has waited, too: those behind it have the longer to come.
		if !until(ctx, earlier(next, giveUp)) {
			return false
		}
		if next.After(giveUp) {
			e.dropped.WithLabelValues(droppedOutage).Add(float64(len(batch)))
			return true
		}
		if e.try(calls, body, len(batch)) {
			return true
		}
		if next = time.Now().Add(pause); e.quiet.After(next) {
			next = e.quiet
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// until waits for a time and reports whether it came before ctx ended.
func until(ctx context.Context, t time.Time) bool {
	left := time.Until(t)
	if left <= 0 {
		return true
	}
	select {
	case <-time.After(left):
		return true
	case <-ctx.Done():
		return false
	}
}

// flush sends what is left, each batch once, until the time for that is over.
func (e *Exporter) flush(ctx context.Context, batch []trace.Span) {
	for {
		for more := true; more && len(batch) < batchSpans; {
			select {
			case s := <-e.tracer.Ended():
				batch = append(batch, s)
			default:
				more = false
			}
		}
		if len(batch) == 0 {
			return
		}
		if !until(ctx, e.quiet) || !e.try(ctx, e.encoder.request(batch), len(batch)) {
			e.dropped.WithLabelValues(droppedEnd).Add(float64(len(batch) + len(e.tracer.Ended())))
			return
		}
		batch = batch[:0]
	}
}

// try sends a batch once, counts what became of it, and reports whether that is all: it is
// not where something stands in the way for now.
func (e *Exporter) try(ctx context.Context, body []byte, spans int) bool {
	lost, err := e.post(ctx, body)
	var away *awayError
	switch {
	case errors.As(err, &away):
		e.options.Trouble(err)
		e.quiet = time.Now().Add(away.after)
		return false
	case err != nil:
		e.options.Trouble(err)
		e.dropped.WithLabelValues(droppedRefused).Add(float64(spans))
		return true
	}
	lost = min(max(lost, 0), int64(spans))
	e.options.Trouble(nil)
	e.dropped.WithLabelValues(droppedRefused).Add(float64(lost))
	e.sent.Add(float64(int64(spans) - lost))
	return true
}
