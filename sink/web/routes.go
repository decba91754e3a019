package web

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/credence-stream/credence/pipeline/trace"
)

// methods are the handlers of one path. GET answers HEAD as well.
type methods map[string]handler

// routes puts together what every request passes, from the outside in: headers,
// the check of the host, the rate, who it is, where it came from.
func (s *Server) routes() (http.Handler, error) {
	compress, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.ContentTypeFilter(compressible))
	if err != nil {
		return nil, err
	}
	public := map[string]methods{
		"/livez":     {http.MethodGet: s.live},
		"/readyz":    {http.MethodGet: s.ready},
		"/login":     {http.MethodGet: s.serveLogin, http.MethodPost: s.serveLogin},
		"/login.css": {http.MethodGet: s.serveLogin},
		"/logout":    {http.MethodPost: s.serveLogin},
	}
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, http.StatusForbidden, "cross_origin", "a page of another origin may not send this")
	}))
	paths, keyed := s.paths(), s.keyed()
	everything := s.answer(func(escaped string) (route, error) {
		if found, ok := paths[escaped]; ok {
			return found, nil
		}
		if strings.HasPrefix(escaped, modelsPath) {
			// A key may contain slashes and dots, escaped or not:
			// http.ServeMux would tidy the path up.
			key, about, err := splitKey(escaped)
			if err != nil {
				return route{}, err
			}
			if h := keyed[about]; h != nil {
				return route{needKeys, h.of(key)}, nil
			}
			return route{}, nil
		}
		if about, ok := askedAbout(escaped); ok {
			return route{needKeys, keyed[about].asked()}, nil
		}
		if escaped == "/v1" || strings.HasPrefix(escaped, "/v1/") {
			return route{}, nil
		}
		return route{needNothing, methods{http.MethodGet: s.page}}, nil
	})
	compressed := compress(everything)
	private := s.authorize(s.profiles(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == eventsPath {
			// A compressor would hold messages back until a block is full.
			everything.ServeHTTP(w, r)
			return
		}
		compressed.ServeHTTP(w, r)
	})))
	open := s.answer(func(escaped string) (route, error) { return route{needNothing, public[escaped]}, nil })
	all := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if public[r.URL.EscapedPath()] != nil {
			open.ServeHTTP(w, r)
			return
		}
		private.ServeHTTP(w, r)
	})
	if s.meter == nil {
		s.meter = newMeter(s.options.Metrics, slices.AppendSeq(slices.Collect(maps.Keys(public)), maps.Keys(paths)), s.keyed(), s.options.Feed)
		s.meter.traces = trace.Requests{Tracer: s.options.Tracer, Paths: s.options.TraceKeys, Quiet: []string{"/livez", "/readyz", "/metrics"}}
	}
	guarded := secure(checkHost(s.options.Listen, s.listener.Addr(), limit(s.limiter, s.options.TLS.certified(origin.Handler(all)))))
	guarded = behind(s.options.Proxies, guarded)
	return s.meter.measure(guarded), nil
}

const eventsPath = "/v1/events"

// paths are those without a key.
func (s *Server) paths() map[string]route {
	metrics := promhttp.HandlerFor(s.options.Metrics, promhttp.HandlerOpts{
		ErrorLog:           slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelWarn),
		DisableCompression: true, // all answers are compressed in one place
	})
	get := func(n need, h handler) route { return route{n, methods{http.MethodGet: h}} }
	return map[string]route{
		"/metrics": get(needAll, func(w http.ResponseWriter, r *http.Request) error {
			metrics.ServeHTTP(w, r)
			return nil
		}),
		"/v1/kinds":        get(needNothing, s.kinds),
		"/v1/models":       get(needKeys, s.list),
		"/v1/operations":   get(needAll, s.operations),
		"/v1/dead-letters": get(needOperator, s.deadLetters),
		"/v1/openapi.json": get(needNothing, s.openapi),
		"/v1/calibration":  get(needKeys, s.calibration),
		eventsPath:         get(needKeys, s.events),
	}
}

// keyed are those of one key, by what is asked about it. For a key that a request may not
// see a server answers that has none.
func (s *Server) keyed() map[string]keyMethods {
	all, none := s.handlers(), s.blind().handlers()
	for about, m := range all {
		for method, h := range m {
			m[method] = func(w http.ResponseWriter, r *http.Request, key string) error {
				if !scopeOf(r).Sees(key) {
					return none[about][method](w, r, key)
				}
				return h(w, r, key)
			}
		}
	}
	return all
}

func (s *Server) handlers() map[string]keyMethods {
	return map[string]keyMethods{
		"":            {http.MethodGet: s.model},
		"about":       {http.MethodGet: s.about},
		"history":     {http.MethodGet: s.history},
		"calibration": {http.MethodGet: s.keyCalibration},
		"contrast":    {http.MethodGet: s.contrast},
		"observed":    {http.MethodGet: s.observed},
		"predict":     {http.MethodPost: s.predict},
	}
}

// keyMethods are the handlers of one path for any key.
type keyMethods map[string]func(w http.ResponseWriter, r *http.Request, key string) error

// of answers for the key of the path.
func (k keyMethods) of(key string) methods {
	return k.by(func(r *http.Request) (*http.Request, string, error) { return r, key, nil })
}

// asked answers for the key of the query.
func (k keyMethods) asked() methods { return k.by(askedKey) }

// by finds the key in the request, which may lose it.
func (k keyMethods) by(find func(*http.Request) (*http.Request, string, error)) methods {
	m := methods{}
	for method, h := range k {
		m[method] = func(w http.ResponseWriter, r *http.Request) error {
			r, key, err := find(r)
			if err != nil {
				return err
			}
			return h(w, r, key)
		}
	}
	return m
}

// answer finds the handler of a request's path and method and turns its error
// into an answer. find returns no methods where there is nothing.
func (s *Server) answer(find func(escaped string) (route, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := find(r.URL.EscapedPath())
		if err == nil && found.methods == nil {
			err = refuse(http.StatusNotFound, "not_found", "nothing at %s", r.URL.Path)
		}
		if err == nil {
			err = found.check(r)
		}
		if err == nil {
			err = found.serve(w, r)
		}
		if err != nil {
			s.failed(w, r, err)
		}
	})
}

func (m methods) serve(w http.ResponseWriter, r *http.Request) error {
	h := m[r.Method]
	if h == nil && r.Method == http.MethodHead {
		h = m[http.MethodGet]
	}
	if h != nil {
		return h(w, r)
	}
	var allowed []string
	for name := range m {
		if allowed = append(allowed, name); name == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return refuse(http.StatusMethodNotAllowed, "method_not_allowed", "%s is not possible here, only %s", r.Method, strings.Join(allowed, ", "))
}

// compressible tells what shrinks.
func compressible(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	switch media = strings.TrimSpace(media); media {
	case jsonType, arrowType, "image/svg+xml", "application/manifest+json":
		return true
	}
	return strings.HasPrefix(media, "text/")
}
