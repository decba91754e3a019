//go:build unix

package observe

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline/trace/otlp/otlptest"
	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/local"
	"github.com/credence-stream/credence/testenv/programs"
)

const (
	aTrace  = "0af7651916cd43dd8448eb211c80319c"
	aParent = "b7ad6b7169203331"
)

// traced is a world whose programs send their spans to an OpenTelemetry Collector, which
// passes them on to what the test reads.
type traced struct {
	*world
	collector *local.Collector
	end       *otlptest.Collector
	service   *programs.Service
	rounds    int
}

func newTraced(t *testing.T) *traced {
	t.Helper()
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	w := &traced{world: newWorld(t), end: otlptest.Start(t)}
	w.collector, err = local.StartCollector(t.Context(), local.Options{Logf: t.Logf}, filepath.Join(root, "testenv", "collector"), w.end.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.collector.Close(); err != nil {
			t.Error(err)
		}
	})
	w.token(t, local.CollectorToken)
	w.service, _ = w.start(t, "--set", "traces.endpoint="+w.collector.URL, "--set", "traces.tls.ca_file="+w.collector.CA,
		"--set", "traces.headers_file="+w.headers(), "--set", "traces.sample=0")
	return w
}

func (w *traced) headers() string { return filepath.Join(w.dir, "headers") }

// token writes the file of headers with a token.
func (w *traced) token(t *testing.T, secret string) {
	t.Helper()
	w.write(t, "headers", "# of the collector\nAuthorization: Bearer "+secret+"\n")
}

// produce sends one shard of five keys each, in the trace of the test. Spans of the
// producer are sent where a collector is.
func (w *traced) produce(t *testing.T, more ...string) {
	t.Helper()
	w.rounds++
	got := programs.Run(t, filepath.Join(binaries, "producer"), append([]string{"simulate", "--scenario", "linear", "--shards", "1", "--keys", "5",
		"--key-prefix", strconv.Itoa(w.rounds) + "/", "--topic", "watched", "--brokers", w.env.Brokers()[0], "--traceparent", "00-" + aTrace + "-" + aParent + "-01"}, more...)...)
	if got.Code != 0 {
		t.Fatalf("producer: exit code %d\n%s", got.Code, got.Messages)
	}
}

// named are the spans of a name, each once: what is sent again after a request without an
// answer has the same ids.
func (w *traced) named(name string) (found []otlptest.Span) {
	for _, s := range w.end.Spans() {
		if s.Name == name && !slices.ContainsFunc(found, func(x otlptest.Span) bool { return x.ID == s.ID }) {
			found = append(found, s)
		}
	}
	return found
}

// arrive waits until all records of the last round have their spans at the end.
func (w *traced) arrive(t *testing.T) {
	t.Helper()
	programs.Eventually(t, "spans of five records", func() (bool, error) {
		found := 0
		for _, s := range w.named("process watched") {
			offset, err := strconv.Atoi(s.Attributes["messaging.kafka.offset"])
			if err != nil {
				return false, err
			}
			if offset >= 5*(w.rounds-1) {
				found++
			}
		}
		return found == 5, nil
	})
}

// calm waits until the log has told of the end of every outage.
func (w *traced) calm(t *testing.T) (outages int) {
	t.Helper()
	programs.Eventually(t, "the outage is over", func() (bool, error) {
		begun, ended := w.outages()
		outages = begun
		return begun == ended, nil
	})
	return outages
}

// counter is the value of a series of the consumer.
func (w *traced) counter(t *testing.T, series string) float64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.service.Base+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` (\S+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("there is no %s", series)
	}
	n, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *traced) dropped(t *testing.T, reason string) float64 {
	t.Helper()
	return w.counter(t, `credence_trace_spans_dropped_total{reason="`+reason+`"}`)
}

// outages counts the lines of the log that begin and end one of the collector's.
func (w *traced) outages() (begun, ended int) {
	log := w.service.Messages.String()
	return strings.Count(log, `msg="dependency unavailable" dependency=trace_collector`), strings.Count(log, `msg="dependency available" dependency=trace_collector`)
}

// TestTracesInACollector has spans of both programs go through a real OpenTelemetry Collector, over
// TLS and with its token, and come out of it as they are documented; and then has the collector
// refuse the token, say when it wants to be asked again, and go away.
func TestTracesInACollector(t *testing.T) {
	if os.Getenv("CREDENCE_OBSERVE") == "" {
		t.Skip("make observe runs it")
	}
	began := time.Now()
	w := newTraced(t)
	w.produce(t, "--traces", w.collector.URL, "--traces-ca", w.collector.CA, "--traces-headers", w.headers())
	w.arrive(t)
	programs.Eventually(t, "checkpoints of all records", func() (bool, error) {
		links := 0
		for _, s := range w.named("checkpoint") {
			links += len(s.Links)
		}
		return links >= 5, nil
	})
	w.asDocumented(t, began)
	if begun, _ := w.outages(); begun != 0 || w.dropped(t, "refused") != 0 || w.dropped(t, "outage") != 0 {
		t.Errorf("spans went lost, or an outage: %d", begun)
	}

	t.Run("a token that is refused", func(t *testing.T) {
		w.token(t, "of-somebody-else")
		w.produce(t)
		programs.Eventually(t, "spans are refused", func() (bool, error) { return w.dropped(t, "refused") > 0, nil })
		programs.Eventually(t, "the log tells of it", func() (bool, error) {
			return strings.Contains(w.service.Messages.String(), "401 Unauthorized"), nil
		})
		w.token(t, local.CollectorToken)
		w.produce(t)
		w.arrive(t)
		if n := w.calm(t); n != 1 {
			t.Errorf("the log tells of %d outages", n)
		}
	})

	t.Run("a collector that is busy", func(t *testing.T) {
		lost := w.dropped(t, "outage") + w.dropped(t, "refused")
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			asked := len(w.end.Requests())
			w.end.Refuse(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Retry-After", "2")
				rw.WriteHeader(status)
			})
			w.produce(t)
			programs.Eventually(t, "the collector has asked", func() (bool, error) { return len(w.end.Requests()) > asked, nil })
			w.end.Refuse(nil)
			w.arrive(t)
		}
		if now := w.dropped(t, "outage") + w.dropped(t, "refused"); now != lost {
			t.Errorf("%g spans went lost", now-lost)
		}
	})

	t.Run("a collector that is away", func(t *testing.T) {
		before := w.calm(t)
		lost := w.dropped(t, "outage") + w.dropped(t, "refused")
		if err := w.collector.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.produce(t)
		programs.Eventually(t, "the log tells of it", func() (bool, error) { n, _ := w.outages(); return n > before, nil })
		if err := w.collector.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.produce(t)
		w.arrive(t)
		if n := w.calm(t); n != before+1 {
			t.Errorf("the log tells of %d outages", n-before)
		}
		t.Logf("%g spans were lost", w.dropped(t, "outage")+w.dropped(t, "refused")-lost)
	})
	w.service.Stop(t)
}

// asDocumented holds what came out of the collector against what docs/howto/monitor.md says.
func (w *traced) asDocumented(t *testing.T, began time.Time) {
	t.Helper()
	sent := map[string]otlptest.Span{}
	for _, s := range w.named("send watched") {
		sent[s.ID] = s
		if s.Trace != aTrace || s.Parent != aParent || s.Kind != "SPAN_KIND_PRODUCER" || s.Service != "credence-producer" {
			t.Errorf("%+v", s)
		}
	}
	processed := w.named("process watched")
	if len(sent) != 5 || len(processed) != 5 {
		t.Errorf("%d shards are sent and %d processed, want 5", len(sent), len(processed))
	}
	inside := map[string]bool{}
	for _, s := range processed {
		inside[s.ID] = true
		from, ok := sent[s.Parent]
		if s.Trace != aTrace || !ok || s.Kind != "SPAN_KIND_CONSUMER" || s.Failed != "" || s.Start.Before(from.Start) {
			t.Errorf("%+v, under %+v", s, from)
		}
		for key, want := range map[string]string{
			"messaging.system": "kafka", "messaging.destination.name": "watched", "messaging.consumer.group.name": "watched", "messaging.operation.type": "process",
		} {
			if s.Attributes[key] != want {
				t.Errorf("%s is %q, want %q, of %v", key, s.Attributes[key], want, s.Attributes)
			}
		}
		for _, key := range []string{"service.version", "service.instance.id", "host.name"} {
			if s.Resource[key] == "" {
				t.Errorf("the resource has no %s: %v", key, s.Resource)
			}
		}
		if s.Service != "credence" || s.Scope != "github.com/credence-stream/credence" {
			t.Errorf("made by %q, %q", s.Service, s.Scope)
		}
	}
	for _, name := range []string{"decode", "fold"} {
		parts := w.named(name)
		if len(parts) != 5 || slices.ContainsFunc(parts, func(s otlptest.Span) bool { return !inside[s.Parent] || s.Kind != "SPAN_KIND_INTERNAL" }) {
			t.Errorf("%s: %+v", name, parts)
		}
	}
	linked := 0
	for _, s := range w.named("checkpoint") {
		for _, l := range s.Links {
			trace, id, _ := strings.Cut(l, "-")
			if _, ok := sent[id]; trace == aTrace && ok {
				linked++
			}
		}
		if s.Trace == aTrace || s.Parent != "" {
			t.Errorf("a checkpoint is a trace of its own: %+v", s)
		}
	}
	if linked != 5 {
		t.Errorf("checkpoints have links to %d of the shards sent, want 5", linked)
	}
	for _, s := range w.end.Spans() {
		if s.Start.Before(began) || s.End.Before(s.Start) || s.End.After(time.Now()) {
			t.Errorf("%s lasts from %v to %v", s.Name, s.Start, s.End)
		}
	}
}
