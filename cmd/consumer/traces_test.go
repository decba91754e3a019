package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	producer "github.com/credence-stream/credence/cmd/producer/commands"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/pipeline/trace/otlp/otlptest"
)

const (
	aTrace  = "0af7651916cd43dd8448eb211c80319c"
	aParent = "00-" + aTrace + "-b7ad6b7169203331-01"
)

// produce runs the producer's command line.
func (w *world) produce(args ...string) {
	w.Helper()
	var out, messages bytes.Buffer
	p := producer.New(cli.Apart(), &out, &messages)
	if code := p.Run(w.Context(), append(args, "--brokers", w.env.Brokers()[0], "--topic", "shards")); code != 0 {
		w.Fatalf("producer %v: exit %d\n%s", args, code, messages.String())
	}
}

// TestOneTraceAllTheWay: one trace leads from the producer through the consumer and the
// output topics to a request for the posterior; records that are not sampled, and headers
// that are no contexts, leave no span and are no dead letters.
func TestOneTraceAllTheWay(t *testing.T) {
	w := newWorld(t, "format: json")
	collector := otlptest.Start(t)
	w.produce("simulate", "--scenario", "linear", "--shards", "2", "--keys", "2", "--traces", collector.URL, "--traceparent", aParent)
	w.produce("simulate", "--scenario", "linear", "--shards", "1", "--keys", "1", "--key-prefix", "unsampled/", "--traceparent", "00-11111111111111111111111111111111-2222222222222222-00")
	publisher := kafka.NewPublisher(w.connect(w.config()).Client, kafka.Plain)
	bad := []pipeline.Output{
		{Topic: "shards", Key: []byte("linear/1"), Value: []byte("no stream"), Time: 1e12, Headers: []pipeline.Header{{Key: "traceparent", Value: []byte(aParent)}, {Key: "tracestate", Value: []byte("a=1")}}},
		{Topic: "shards", Key: []byte("linear/1"), Time: 1e12, Headers: []pipeline.Header{{Key: "traceparent", Value: []byte("00-hostile")}}},
	}
	if _, err := publisher.Publish(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	p := w.serve(func(c *config.Config) { c.Traces.Endpoint, c.Traces.Sample = collector.URL, 0 })
	w.eventually("the posteriors are there", func() bool {
		_, known := p.get(w, "/v1/models/linear%2F2", "Traceparent", aParent)
		_, other := p.get(w, "/v1/models/unsampled%2F1", "Traceparent", "00-hostile")
		return known == http.StatusOK && other == http.StatusOK
	})
	collector.Until(t, "five records of the trace, and a request", func() bool {
		return len(named(collector.Spans(), "process shards")) >= 5 && len(named(collector.Spans(), "GET /v1/models/{key}")) > 0
	})
	p.end()

	spans := collector.Spans()
	sent, processed := named(spans, "send shards"), named(spans, "process shards")
	if len(sent) != 4 || len(processed) != 5 {
		t.Errorf("%d shards of the trace are sent and %d records processed", len(sent), len(processed))
	}
	of := map[string]bool{"b7ad6b7169203331": true} // the letter's
	for _, s := range sent {
		of[s.ID] = true
		if s.Parent != "b7ad6b7169203331" || s.Service != "credence-producer" {
			t.Errorf("%+v", s)
		}
	}
	for _, s := range processed {
		if s.Trace != aTrace || !of[s.Parent] || s.Kind != "SPAN_KIND_CONSUMER" || s.Service != "credence" || s.Attributes["messaging.consumer.group.name"] != "credence" {
			t.Errorf("%+v", s)
		}
	}
	if asked := named(spans, "GET /v1/models/{key}"); len(asked) == 0 || asked[0].Trace != aTrace || asked[0].Parent != "b7ad6b7169203331" {
		t.Errorf("requests: %+v", asked)
	}
	for _, s := range spans {
		if strings.HasPrefix(s.Trace, "1111") || strings.Contains(fmt.Sprint(s.Attributes), "linear/") {
			t.Errorf("a trace that is not sampled, or a key: %+v", s)
		}
		if s.Trace != aTrace && s.Parent == "" && !strings.Contains(fmt.Sprint(s.Links), aTrace) {
			t.Errorf("a trace begins here, and none is sampled: %+v", s)
		}
	}
	for _, r := range w.read("posteriors") {
		parent := header(&r, "traceparent")
		switch key := string(r.Key); {
		case r.Value == nil:
			if parent != "" {
				t.Errorf("the tombstone carries %q", parent)
			}
		case key == "unsampled/1":
			if parent != "00-11111111111111111111111111111111-2222222222222222-00" {
				t.Errorf("%s carries %q", key, parent)
			}
		case !strings.HasPrefix(parent, "00-"+aTrace) || !of[parent[36:52]]:
			t.Errorf("%s carries %q", key, parent)
		}
	}
	letters := w.once("shards.dead")
	if len(letters) != 1 || header(&letters[0], "traceparent") != aParent || header(&letters[0], "tracestate") != "a=1" {
		t.Errorf("%d dead letters: %v", len(letters), letters)
	}
}

func named(spans []otlptest.Span, name string) (found []otlptest.Span) {
	for _, s := range spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// TestCollectorThatIsAway: the shards are folded and published as ever, and the log tells of
// the outage once.
func TestCollectorThatIsAway(t *testing.T) {
	w := newWorld(t, "")
	w.produce("simulate", "--scenario", "linear", "--shards", "3", "--keys", "5", "--traceparent", aParent)
	log := new(clitest.Transcript)
	p := w.serveLogging(slog.NewTextHandler(log, nil), func(c *config.Config) { c.Traces.Endpoint = "http://" + clitest.Nobody(t) })
	w.eventually("the posterior is there", func() bool {
		_, code := p.get(w, "/v1/models/linear%2F5", "Traceparent", aParent)
		return code == http.StatusOK
	})
	w.eventually("the log tells of the collector", func() bool { return strings.Contains(log.String(), "dependency=trace_collector") })
	w.eventually("ready without a collector", func() bool {
		_, code := p.get(w, "/readyz")
		return code == http.StatusOK
	})
	p.end()
	if n := strings.Count(log.String(), "trace"); n != strings.Count(log.String(), `level=WARN msg="dependency unavailable" dependency=trace_collector`)*2 || n != 2 {
		t.Errorf("the log tells of traces %d times, want a name and an address in one line:\n%s", n, log)
	}
	if n := len(w.once("posteriors")); n != 15 {
		t.Errorf("%d posteriors, want 15", n)
	}
}
