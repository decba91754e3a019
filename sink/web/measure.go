package web

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/credence-stream/credence/pipeline/trace"
	"github.com/credence-stream/credence/sink/live"
)

// The routes of what has no path of its own.
const (
	routePage  = "page"
	routeOther = "other"
	pprofPath  = "/debug/pprof/"
)

// meter counts answers and measures how long they take. A path is a label only as a
// route: keys are never labels.
type meter struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	routes   map[string]bool // those that are paths
	keyed    map[string]keyMethods
	traces   trace.Requests
}

// expectedCodes are there from the start, so that the first one of them counts as growth.
var expectedCodes = [...]int{http.StatusOK, http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}

// newMeter registers the metrics of the routes, and of the history that they tell.
func newMeter(reg prometheus.Registerer, paths []string, keyed map[string]keyMethods, feed *live.Feed) *meter {
	auto := promauto.With(reg)
	auto.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "credence", Name: "history_bytes",
		Help: "Bytes of past posteriors and of sums for calibration in memory."}, func() float64 { return float64(feed.Bytes()) })
	m := &meter{routes: map[string]bool{}, keyed: keyed}
	m.requests = auto.NewCounterVec(prometheus.CounterOpts{Namespace: "credence", Name: "http_requests_total",
		Help: "Answers to HTTP requests."}, []string{"route", "code"})
	m.duration = auto.NewHistogramVec(prometheus.HistogramOpts{Namespace: "credence", Name: "http_request_duration_seconds",
		Help: "Time until an HTTP answer is written.", Buckets: prometheus.ExponentialBuckets(1e-3, 4, 8)}, []string{"route"})
	all := []string{routePage, routeOther}
	for _, path := range paths {
		m.routes[path] = true
		all = append(all, path)
	}
	for about := range maps.Keys(keyed) {
		all = append(all, keyRoute(about))
	}
	slices.Sort(all)
	for _, route := range all {
		m.duration.WithLabelValues(route)
		for _, code := range expectedCodes {
			m.requests.WithLabelValues(route, strconv.Itoa(code))
		}
	}
	return m
}

// RegisterMetrics registers what a server measures, for pages that list all metrics.
func RegisterMetrics(reg prometheus.Registerer) { newMeter(reg, nil, nil, nil) }

func keyRoute(about string) string {
	return strings.TrimSuffix("/v1/models/{key}/"+about, "/")
}

// route returns the route of an escaped path.
func (m *meter) route(escaped string) string {
	switch {
	case m.routes[escaped]:
		return escaped
	case strings.HasPrefix(escaped, pprofPath):
		return routeOther
	case strings.HasPrefix(escaped, modelsPath):
		if _, about, err := splitKey(escaped); err == nil && m.keyed[about] != nil {
			return keyRoute(about)
		}
		return routeOther
	}
	if about, ok := askedAbout(escaped); ok && m.keyed[about] != nil {
		return keyRoute(about)
	}
	if escaped == "/v1" || strings.HasPrefix(escaped, "/v1/") {
		return routeOther
	}
	return routePage
}

// pattern is a route as a pattern of paths, "" where it is none.
func pattern(route string) string {
	if route == routePage || route == routeOther {
		return ""
	}
	return route
}

// measure counts what next answers, whatever it is that answers.
func (m *meter) measure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, route := time.Now(), m.route(r.URL.EscapedPath())
		a := &answered{ResponseWriter: w, code: http.StatusOK}
		span := m.traces.Begin(r, pattern(route), start)
		defer func() {
			m.requests.WithLabelValues(route, strconv.Itoa(a.code)).Inc()
			m.duration.WithLabelValues(route).Observe(time.Since(start).Seconds())
			m.traces.Answered(span, a.code)
		}()
		next.ServeHTTP(a, r)
	})
}

// answered remembers the status of an answer.
type answered struct {
	http.ResponseWriter
	code  int
	begun bool
}

func (a *answered) WriteHeader(code int) {
	if !a.begun && code >= http.StatusOK {
		a.code, a.begun = code, true
	}
	a.ResponseWriter.WriteHeader(code)
}

func (a *answered) Write(b []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController, with which streams are flushed.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }
