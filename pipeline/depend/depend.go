// Package depend watches what a process depends on: how long its requests take, which
// of them fail, and from when to when a dependency is away.
//
// A dependency is away while somebody cannot go on without it, or while a request has
// had no answer for some seconds. The log tells of each outage once when it begins, and
// once when it is over.
package depend

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The dependencies; labels of metrics and the log have an underscore for a space.
const (
	Kafka          = "kafka"
	Redis          = "redis"
	SchemaRegistry = "schema registry"
	TraceCollector = "trace collector"
)

const (
	// lookEvery is the time between two looks at what is away.
	lookEvery = 250 * time.Millisecond
	// tellAfter is how long a dependency is away before that is an outage: a leader that
	// moves, or a connection that breaks, is none.
	tellAfter = time.Second
	// calmAfter is how long a dependency is there again before an outage is over: a server
	// that starts answers, loads what it has, and answers again.
	calmAfter = time.Second
	// silentAfter is how long a request may be without an answer: a server that was
	// stopped refuses nothing and says nothing.
	silentAfter = 5 * time.Second
	// remindAfter is the least time until the log tells that the reason is another one.
	remindAfter = time.Minute
)

// Watch watches the dependencies of a process. It is safe for concurrent use.
type Watch struct {
	log      *slog.Logger
	duration *prometheus.HistogramVec
	failures *prometheus.CounterVec
	outages  *prometheus.CounterVec
	up       *prometheus.GaugeVec

	mu  sync.Mutex
	all map[string]*dependency
}

// dependency is what is known of one.
type dependency struct {
	blocked  map[string]string    // why, by who cannot go on
	calls    map[uint64]time.Time // under way, since when
	last     uint64               // number of the newest call
	answered time.Time            // when a request last succeeded in less than silentAfter, or somebody who was blocked did
	since    time.Time            // of the present outage; zero: there is none
	bad      time.Time            // when it last was away
	told     time.Time            // when the log was last told of this outage; zero: not yet
	why      string               // that was told last
}

// New registers the metrics of the dependencies.
func New(reg prometheus.Registerer, log *slog.Logger, names ...string) *Watch {
	auto := promauto.With(reg)
	labels := []string{"dependency"}
	w := &Watch{log: log, all: map[string]*dependency{}}
	w.duration = auto.NewHistogramVec(prometheus.HistogramOpts{Namespace: "credence", Name: "dependency_request_duration_seconds",
		Help: "Time of one request, failed ones included.", Buckets: prometheus.ExponentialBuckets(5e-4, 4, 9)}, []string{"dependency", "request"})
	w.failures = auto.NewCounterVec(prometheus.CounterOpts{Namespace: "credence", Name: "dependency_errors_total",
		Help: "Requests that failed."}, []string{"dependency", "request"})
	w.outages = auto.NewCounterVec(prometheus.CounterOpts{Namespace: "credence", Name: "outages_total",
		Help: "Outages of a dependency that lasted a second or longer."}, labels)
	w.up = auto.NewGaugeVec(prometheus.GaugeOpts{Namespace: "credence", Name: "dependency_up",
		Help: "0 during an outage of the dependency, else 1."}, labels)
	for _, name := range names {
		w.of(name)
	}
	return w
}

// Expect makes the series of requests, at 0.
func (w *Watch) Expect(name string, requests ...string) {
	for _, r := range requests {
		w.duration.WithLabelValues(label(name), r)
		w.failures.WithLabelValues(label(name), r)
	}
}

// of returns a dependency. The caller holds the lock, or is alone.
func (w *Watch) of(name string) *dependency {
	d := w.all[name]
	if d == nil {
		d = &dependency{blocked: map[string]string{}, calls: map[uint64]time.Time{}}
		w.all[name] = d
		w.outages.WithLabelValues(label(name))
		w.up.WithLabelValues(label(name)).Set(1)
	}
	return d
}

func label(name string) string { return strings.ReplaceAll(name, " ", "_") }

// Begin notes that a request begins. What it returns is called once, when the request is
// over, with its name and error; a request that the process itself gave up is no failure.
func (w *Watch) Begin(name string) (end func(request string, err error)) {
	start := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.of(name)
	d.last++
	id := d.last
	d.calls[id] = start
	return func(request string, err error) {
		now := time.Now()
		w.duration.WithLabelValues(label(name), request).Observe(now.Sub(start).Seconds())
		if err != nil && !errors.Is(err, context.Canceled) {
			w.failures.WithLabelValues(label(name), request).Inc()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(d.calls, id)
		// One that took as long as an outage is no proof of its end: the next would begin another, for as long as the server is slow.
		if err == nil && now.Sub(start) < silentAfter {
			d.answered = now
		}
	}
}

// Blocked notes that somebody cannot go on for want of a dependency.
func (w *Watch) Blocked(name, who, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of(name).blocked[who] = why
}

// Answered notes that somebody who may have been blocked goes on.
func (w *Watch) Answered(name, who string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.of(name)
	if _, ok := d.blocked[who]; ok {
		delete(d.blocked, who)
		d.answered = time.Now()
	}
}

// Why returns what keeps somebody from going on, in alphabetical order.
func (w *Watch) Why(who string) (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.all {
		if why, ok := d.blocked[who]; ok {
			all = append(all, why)
		}
	}
	slices.Sort(all)
	return all
}

// Gone forgets somebody, which says nothing about the dependencies.
func (w *Watch) Gone(who string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.all {
		delete(d.blocked, who)
	}
}

// Away reports whether the log was told of an outage that is not over, of what partitions
// wait for: nothing waits for the collector of traces.
func (w *Watch) Away() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, d := range w.all {
		if name != TraceCollector && !d.told.IsZero() {
			return true
		}
	}
	return false
}

// Run looks at the dependencies until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			w.look(now)
		case <-ctx.Done():
			return
		}
	}
}

// look compares what is away with what was.
func (w *Watch) look(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(w.all)) {
		d := w.all[name]
		why := d.away(now)
		switch {
		case why == "" && d.since.IsZero():
		case why == "":
			if d.over(now) {
				w.end(name, d)
			}
		case d.since.IsZero():
			d.since, d.bad = now, now
		default:
			d.bad = now
			if now.Sub(d.since) >= tellAfter {
				w.tell(name, d, now, why)
			}
		}
	}
}

// away says why a dependency is away, "" if it is not.
func (d *dependency) away(now time.Time) string {
	if len(d.blocked) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(d.blocked)))
		return d.blocked[first]
	}
	for _, start := range d.calls {
		if now.Sub(start) >= silentAfter {
			return "no answer to a request for " + silentAfter.String()
		}
	}
	return ""
}

// over reports whether an outage is over: that nobody is blocked any more may only mean
// that somebody else asks now. Where requests are not counted there is nothing to wait for.
func (d *dependency) over(now time.Time) bool {
	return d.told.IsZero() || now.Sub(d.bad) > calmAfter && (d.last == 0 || d.answered.After(d.bad))
}

// tell tells the log of an outage, and again where the reason is another one.
func (w *Watch) tell(name string, d *dependency, now time.Time, why string) {
	switch {
	case d.told.IsZero():
		w.outages.WithLabelValues(label(name)).Inc()
		w.up.WithLabelValues(label(name)).Set(0)
		w.log.Warn("dependency unavailable", "dependency", label(name), "error", why, "waiting", len(d.blocked))
	case now.Sub(d.told) >= remindAfter && withoutDigits(why) != withoutDigits(d.why):
		w.log.Info("outage goes on", "dependency", label(name), "error", why, "waiting", len(d.blocked))
	default:
		return
	}
	d.told, d.why = now, why
}

// end ends an outage, as of the first look after those that saw it.
func (w *Watch) end(name string, d *dependency) {
	if !d.told.IsZero() {
		w.up.WithLabelValues(label(name)).Set(1)
		w.log.Info("dependency available", "dependency", label(name), "seconds", d.bad.Add(lookEvery).Sub(d.since).Round(time.Millisecond).Seconds())
	}
	d.since, d.told, d.why = time.Time{}, time.Time{}, ""
}

// withoutDigits is what is compared of texts that differ by ports, offsets and counts.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}
