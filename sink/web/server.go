package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/credence-stream/credence/pipeline"
)

// Lookup finds the current posterior of a key.
type Lookup interface {
	// Posterior returns the posterior after the last shard that a checkpoint
	// covers, nil when the key has none. It is called concurrently.
	Posterior(ctx context.Context, key string) (*pipeline.Posterior, error)
}

// Options configure a Server.
type Options struct {
	Listen string // host:port, port 0 for a free one
	// Token, where not empty, must come as a bearer token with every request
	// but /livez and /readyz.
	Token string
	// Ready returns why the process is not ready, nothing when it is.
	Ready  func() []string
	Lookup Lookup
	// Encoders are offered by content type; the first is the default.
	Encoders []pipeline.Encoder
	// Limit bounds an answer, in bytes.
	Limit   int
	Metrics prometheus.Gatherer
	Logger  *slog.Logger
}

// Server serves HTTP on one address.
type Server struct {
	options  Options
	listener net.Listener
	handler  http.Handler
}

const (
	lookupTimeout   = 10 * time.Second // one read of the store
	shutdownTimeout = 5 * time.Second  // for requests under way at the end
)

// Listen takes the address, so that a port in use is known before anything
// else starts. The server must then be Run, which closes the listener.
func Listen(ctx context.Context, o Options) (*Server, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("http.listen %s: %w", o.Listen, err)
	}
	s := &Server{options: o, listener: l}
	s.handler = s.routes()
	return s, nil
}

// Addr returns the address that is listened on, with its true port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Run serves until ctx ends, lets requests under way finish for a few
// seconds, and returns when all of them have ended.
func (s *Server) Run(ctx context.Context) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("http server on %s: %w", s.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}

func (s *Server) routes() http.Handler {
	public := http.NewServeMux()
	public.HandleFunc("GET /livez", s.live)
	public.HandleFunc("GET /readyz", s.ready)
	private := http.NewServeMux()
	private.Handle("GET /metrics", promhttp.HandlerFor(s.options.Metrics, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelWarn),
	}))
	health := jsonErrors(public)
	rest := authorize(s.options.Token, jsonErrors(private))
	models := authorize(s.options.Token, http.HandlerFunc(s.models))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.EscapedPath(); {
		case path == "/livez" || path == "/readyz":
			health.ServeHTTP(w, r)
		case strings.HasPrefix(path, modelsPath):
			// A key may contain slashes and dots, escaped or not:
			// http.ServeMux would tidy the path up.
			models.ServeHTTP(w, r)
		default:
			rest.ServeHTTP(w, r)
		}
	})
}
