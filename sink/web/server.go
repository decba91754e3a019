// Package web is the HTTP side of a consumer: health, metrics, and the
// current posterior of any key.
//
// Any process answers any key, because answers come from the checkpoint
// store and not from the memory of the partition's owner.
package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/sockets"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/gather"
	"github.com/credence-stream/credence/pipeline/trace"
	"github.com/credence-stream/credence/sink"
	"github.com/credence-stream/credence/sink/live"
)

// Options configure a Server.
type Options struct {
	Listen string // host:port, port 0 for a free one
	// Token, where not empty, must come as a bearer token, or with the cookie
	// that a login with it gave, with every request but /livez and /readyz.
	Token string
	// TokenFile holds the token instead, and is read again when it has changed.
	TokenFile string
	// TokensFile holds several tokens instead, each with what it may see, see token.ReadList.
	TokensFile string
	TLS        TLS
	// Rate is the requests per second that one client may send, predictions a
	// quarter of it; 0 is no limit.
	Rate float64
	// Proxies are the networks of the peers whose X-Forwarded-For says who the client is.
	Proxies []netip.Prefix
	// Ready returns why the process is not ready, nothing when it is.
	Ready  func() []string
	Store  Store
	Topics Topics
	Feed   *live.Feed
	Kinds  kind.Registry // of models
	// Gathering says when rows of a key that wait are a shard.
	Gathering gather.Rule
	// Forms write posteriors and predictions, by content type: JSON and Arrow.
	Forms map[string]sink.Form
	// Encode writes a table as an Arrow stream, NaN as null.
	Encode func(*cdf.Batch) ([]byte, error)
	// NewDecoder returns what reads the rows of one request.
	NewDecoder func() pipeline.Decoder
	Limit      int   // bytes of a posterior; 0: none
	Body       int64 // bytes of a request's body
	Process    Process
	Commands   Commands
	Page       fs.FS                // files of the live page; nil: there is none
	Manual     fs.FS                // the documents that it leads to, Markdown; nil: there are none
	Metrics    *prometheus.Registry // served, and what the server measures itself is added
	Pprof      bool                 // serve profiles to who may come in
	Logger     *slog.Logger
	// Tracer makes the spans of requests; nil: there are none. TraceKeys has them tell paths
	// with keys in them.
	Tracer    *trace.Tracer
	TraceKeys bool
}

// Server serves HTTP on one address.
type Server struct {
	options  Options
	listener net.Listener
	handler  http.Handler
	meter    *meter
	keeper   *authenticator
	audit    *audit
	limiter  *limiter
	outside  cached
	follow   following
	turns    turns
	arrival  time.Duration // of a request, its body included
	compute  time.Duration // of a request for predictions
	grace    time.Duration // for requests under way at the end
}

const (
	arrivalTimeout  = 30 * time.Second
	lookupTimeout   = 10 * time.Second // what one request reads of the store
	shutdownTimeout = 5 * time.Second
)

// Listen takes the address, so that a port in use is known before anything
// else starts. The server must then be Run, which closes the listener.
func Listen(ctx context.Context, o Options) (*Server, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", o.Listen)
	if sockets.InUse(err) {
		return nil, fmt.Errorf("http.listen %s: %w: another program listens there; take another port, or none with an empty http.listen", o.Listen, err)
	}
	if err != nil {
		return nil, fmt.Errorf("http.listen %s: %w", o.Listen, err)
	}
	s := &Server{
		options: o, listener: l, keeper: newAuthenticator(o.Token), audit: newAudit(o.Logger), limiter: newLimiter(o.Rate), follow: newFollowing(),
		turns: newTurns(runtime.GOMAXPROCS(0), o.Body), arrival: arrivalTimeout, compute: computeTimeout, grace: shutdownTimeout,
	}
	if err := s.secure(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if s.handler, err = s.routes(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return s, nil
}

// secure reads the token and the certificate, which are read again when their files have
// changed.
func (s *Server) secure() (err error) {
	o := &s.options
	tell := func(err error) {
		o.Logger.Warn("a changed file is not used", slog.Any("error", err))
	}
	if o.TokenFile != "" || o.TokensFile != "" {
		if s.keeper, err = openAuthenticator(o.TokenFile, o.TokensFile, tell); err != nil {
			return err
		}
	}
	encrypted, err := o.TLS.config(tell)
	if encrypted != nil {
		s.listener = tls.NewListener(s.listener, encrypted)
	}
	return err
}

// Addr returns the address that is listened on, with its true port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// lines takes the lines of the library: whoever reaches the port can have it write one for every
// connection that breaks off, such as a probe of a load balancer.
type lines struct{ *depend.Lines }

// Write implements io.Writer.
func (l lines) Write(line []byte) (int, error) {
	l.Printf("%s", bytes.TrimSpace(line))
	return len(line), nil
}

// Run serves until ctx ends, lets requests under way finish for a few
// seconds, and returns when all of them have ended.
func (s *Server) Run(ctx context.Context) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       s.arrival,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(lines{depend.NewLines(s.options.Logger, "net/http", slog.LevelWarn)}, "", 0),
	}
	server.RegisterOnShutdown(func() { close(s.follow.ending) })
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	defer s.audit.tellAll()
	look := time.NewTicker(auditLook)
	defer look.Stop()
	for serving := true; serving; {
		select {
		case err := <-ended:
			return fmt.Errorf("http server on %s: %w", s.Addr(), err)
		case <-look.C:
			s.audit.look()
		case <-ctx.Done():
			serving = false
		}
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}
