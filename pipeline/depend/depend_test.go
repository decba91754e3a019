package depend

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var errRefused = errors.New("connection refused")

// watched is a watch that looks by itself, in the time of synctest.
type watched struct {
	*Watch
	text said
	reg  *prometheus.Registry
}

// said is what the log has said since it was taken last.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

func watch(t *testing.T, f func(*watched)) {
	synctest.Test(t, func(t *testing.T) {
		w := &watched{reg: prometheus.NewRegistry()}
		w.Watch = New(w.reg, slog.New(slog.NewTextHandler(&w.text, nil)), Kafka, Redis)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.Run(ctx) }()
		f(w)
		cancel()
		<-done
	})
}

// wants compares the lines that the log has beyond those before.
func (w *watched) wants(t *testing.T, lines ...string) {
	t.Helper()
	synctest.Wait()
	got := strings.Split(strings.TrimSpace(w.text.take()), "\n")
	if len(got) == 1 && got[0] == "" {
		got = nil
	}
	if len(got) != len(lines) {
		t.Errorf("the log has %d lines, want %d: %q", len(got), len(lines), got)
		return
	}
	for i, want := range lines {
		if !strings.Contains(got[i], want) {
			t.Errorf("line %d is %s, want %s", i, got[i], want)
		}
	}
}

func (w *watched) metric(t *testing.T, name string) map[string]float64 {
	t.Helper()
	all, err := w.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range all {
		for _, m := range family.GetMetric() {
			if family.GetName() == "credence_"+name {
				var labels []string
				for _, l := range m.GetLabel() {
					labels = append(labels, l.GetValue())
				}
				got[strings.Join(labels, " ")] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return got
}

// An outage is told of once, whoever is blocked and whatever the reason turns into, and
// its end with its duration; both are counted.
func TestOutageIsToldOfOnce(t *testing.T) {
	watch(t, func(w *watched) {
		if n := w.metric(t, "outages_total"); len(n) != 2 || n[Kafka] != 0 || n[Redis] != 0 {
			t.Errorf("outages at the start: %v", n)
		}
		w.Blocked(Redis, "in/1", "redis: connection refused")
		w.Blocked(Redis, "in/0", "redis: OOM command not allowed")
		<-time.After(3 * time.Second)
		w.wants(t, `level=WARN msg="dependency unavailable" dependency=redis error="redis: OOM command not allowed" waiting=2`)
		if n := w.metric(t, "dependency_up"); n[Kafka] != 1 || n[Redis] != 0 || !w.Away() {
			t.Errorf("in the outage: up is %v, away %v", n, w.Away())
		}
		w.Answered(Redis, "in/0")
		<-time.After(20 * time.Second)
		w.wants(t)
		w.Answered(Redis, "in/1")
		<-time.After(900 * time.Millisecond)
		w.Blocked(Redis, "in/1", "redis: loading") // it is not calm yet
		<-time.After(700 * time.Millisecond)
		w.Answered(Redis, "in/1")
		<-time.After(900 * time.Millisecond)
		w.wants(t)
		<-time.After(400 * time.Millisecond)
		w.wants(t, `level=INFO msg="dependency available" dependency=redis seconds=24.5`)
		if n := w.metric(t, "outages_total"); n[Kafka] != 0 || n[Redis] != 1 || w.metric(t, "dependency_up")[Redis] != 1 || w.Away() {
			t.Errorf("after the outage: %v, up is %v, away %v", n, w.metric(t, "dependency_up"), w.Away())
		}
		w.Blocked(Kafka, "in/0", "kafka: away")
		<-time.After(800 * time.Millisecond)
		w.Answered(Kafka, "in/0")
		<-time.After(10 * time.Second)
		w.wants(t) // a short one is no outage
	})
}

// Another reason is told of a minute later, the same one never again.
func TestAnotherReasonIsToldOf(t *testing.T) {
	watch(t, func(w *watched) {
		w.Blocked(Kafka, "start", "dial 10.0.0.1: refused")
		<-time.After(10 * time.Second)
		w.wants(t, "dependency unavailable")
		w.Blocked(Kafka, "start", "dial 10.0.0.2: refused")
		<-time.After(5 * time.Minute)
		w.wants(t)
		w.Blocked(Kafka, "start", "topic authorization failed")
		<-time.After(5 * time.Minute)
		w.wants(t, `level=INFO msg="outage goes on" dependency=kafka error="topic authorization failed"`)
	})
}

// A request without an answer is an outage though nothing has failed, and who was blocked
// and is gone is no proof that it is over.
func TestSilenceIsAnOutage(t *testing.T) {
	watch(t, func(w *watched) {
		end := w.Begin(Redis)
		<-time.After(4 * time.Second)
		w.wants(t)
		<-time.After(4 * time.Second)
		w.wants(t, `msg="dependency unavailable" dependency=redis error="no answer to a request for 5s"`)
		w.Blocked(Redis, "in/0", "redis: i/o timeout")
		end("save", context.DeadlineExceeded)
		<-time.After(time.Second)
		w.Gone("in/0")
		<-time.After(time.Minute)
		w.wants(t)
		w.Begin(Redis)("claim", nil)
		<-time.After(time.Second)
		w.wants(t, `msg="dependency available"`)
	})
}

// A server that takes 9 s for each request is one outage, until it takes less.
func TestSlownessIsOneOutage(t *testing.T) {
	watch(t, func(w *watched) {
		for range 20 {
			end := w.Begin(Redis)
			<-time.After(9 * time.Second)
			end("save", nil)
			<-time.After(2 * time.Second)
		}
		w.wants(t, `msg="dependency unavailable" dependency=redis error="no answer to a request for 5s"`)
		end := w.Begin(Redis)
		<-time.After(4 * time.Second)
		end("save", nil)
		<-time.After(time.Second)
		w.wants(t, `msg="dependency available"`)
		if n := w.metric(t, "outages_total")[Redis]; n != 1 {
			t.Errorf("%v outages", n)
		}
	})
}

// Requests are counted by name, and those that failed; one that was given up is no failure.
func TestRequestsAreCounted(t *testing.T) {
	watch(t, func(w *watched) {
		w.Expect(Kafka, "fetch", "produce")
		if n := w.metric(t, "dependency_errors_total"); len(n) != 2 || n["kafka fetch"] != 0 {
			t.Errorf("expected errors: %v", n)
		}
		for _, err := range []error{nil, errRefused, context.Canceled} {
			w.Begin(Kafka)("fetch", err)
		}
		if n := w.metric(t, "dependency_request_duration_seconds"); n["kafka fetch"] != 3 || n["kafka produce"] != 0 {
			t.Errorf("requests: %v", n)
		}
		if n := w.metric(t, "dependency_errors_total"); n["kafka fetch"] != 1 || n["kafka produce"] != 0 {
			t.Errorf("errors: %v", n)
		}
	})
}

// A library's line is passed on once a minute.
func TestLinesAreNotRepeated(t *testing.T) {
	var text bytes.Buffer
	l := NewLines(slog.New(slog.NewTextHandler(&text, nil)), "go-redis", slog.LevelInfo)
	now := time.Unix(0, 0)
	l.now = func() time.Time { return now }
	for i := range 100 {
		l.Printf("dial %d failed", i)
	}
	l.Printf("another line")
	now = now.Add(time.Minute)
	l.Printf("dial 7 failed")
	if got := text.String(); strings.Count(got, "\n") != 3 || strings.Count(got, `msg=library name=go-redis text="dial`) != 2 {
		t.Errorf("the log has:\n%s", got)
	}
}

// TestNobodyWaitsForTheCollector: its outage is told as any other, and explains nothing that
// partitions wait for.
func TestNobodyWaitsForTheCollector(t *testing.T) {
	watch(t, func(w *watched) {
		w.Blocked(TraceCollector, "exporter", "refused")
		<-time.After(3 * time.Second)
		if n := w.metric(t, "dependency_up"); w.Away() || n["trace_collector"] != 0 {
			t.Errorf("away %v, up %v", w.Away(), n)
		}
		w.Answered(TraceCollector, "exporter")
		<-time.After(2 * time.Second)
		w.wants(t,
			`level=WARN msg="dependency unavailable" dependency=trace_collector error=refused waiting=1`,
			`level=INFO msg="dependency available" dependency=trace_collector`)
	})
}

// What keeps somebody from going on is known of each dependency, until it goes on.
func TestWhySomebodyWaits(t *testing.T) {
	watch(t, func(w *watched) {
		w.Blocked(Redis, "the group", "redis: loading")
		w.Blocked(Kafka, "the group", "not allowed")
		w.Blocked(Kafka, "in/0", "away")
		if got := w.Why("the group"); !slices.Equal(got, []string{"not allowed", "redis: loading"}) {
			t.Errorf("it waits for %q", got)
		}
		w.Answered(Kafka, "the group")
		w.Answered(Redis, "the group")
		if got := w.Why("the group"); got != nil {
			t.Errorf("it goes on, and waits for %q", got)
		}
	})
}
