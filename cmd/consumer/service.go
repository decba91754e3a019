package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cmd/internal/version"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/live"
	"github.com/credence-stream/credence/sink/web"
)

// service is what `run` and `demo` run: the worker, and the HTTP server that
// answers from the first moment on, also while Kafka or Redis are away.
type service struct {
	config  *config
	conn    *connection
	logger  *slog.Logger
	metrics *prometheus.Registry
	worker  *pipeline.Metrics
	feed    *live.Feed
	http    *web.Server // nil: disabled

	mu      sync.Mutex
	waiting string           // why there is no worker yet
	running *pipeline.Worker // nil before
}

// newService takes the HTTP port, so that one in use is told at once, and
// connects to nothing.
func newService(ctx context.Context, c *config, logger *slog.Logger) (*service, error) {
	token, err := web.ReadToken(c.HTTP.TokenFile)
	if err != nil {
		return nil, err
	}
	s := &service{config: c, logger: logger, metrics: prometheus.NewRegistry(), feed: live.New(int64(c.HTTP.History)), waiting: "starting"}
	if s.conn, err = dial(c); err != nil {
		return nil, err
	}
	s.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.worker = pipeline.NewMetrics(s.metrics, version.Get().Version)
	if c.HTTP.Listen == "" {
		return s, nil
	}
	s.http, err = web.Listen(ctx, s.webOptions(token))
	if err != nil {
		s.conn.close()
		return nil, err
	}
	return s, nil
}

// run works until ctx ends or, with untilEnd, until all partitions have
// reached the ends that they have now. It returns when everything has ended.
func (s *service) run(ctx context.Context, untilEnd bool) error {
	defer s.conn.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	if s.http != nil {
		g.Go(func() error { return s.http.Run(ctx) })
	}
	g.Go(func() error {
		defer cancel()
		return s.work(ctx, untilEnd)
	})
	return g.Wait()
}

// work prepares what the worker needs, waiting out outages, and runs it.
func (s *service) work(ctx context.Context, untilEnd bool) error {
	if err := s.insist(ctx, func() error { return s.conn.openStore(ctx, s.config) }); err != nil {
		return stopped(ctx, err)
	}
	if err := s.insist(ctx, func() error { return s.conn.prepare(ctx, s.config, s.logger) }); err != nil {
		return stopped(ctx, err)
	}
	var observer pipeline.Observer
	if s.http != nil { // else nobody could ask what it saw
		observer = s.feed
	}
	w, err := s.conn.newWorker(s.config, s.worker, observer, s.logger)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.running = w
	s.mu.Unlock()
	if !untilEnd {
		return w.Run(ctx)
	}
	working, cancel := context.WithCancel(ctx)
	g, ending := errgroup.WithContext(working)
	g.Go(func() error { return w.Run(ending) })
	g.Go(func() error {
		defer cancel()
		if err := w.UntilEnd(ending); ctx.Err() == nil {
			return err
		}
		return nil
	})
	return g.Wait()
}

// stopped forgets an error that is only the end of ctx.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// insist repeats what fails for an outage until it works, a permanent error
// comes, or ctx ends.
func (s *service) insist(ctx context.Context, try func() error) error {
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := try()
		var permanent *permanentError
		if err == nil || errors.As(err, &permanent) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.mu.Lock()
		s.waiting = err.Error()
		s.mu.Unlock()
		s.logger.Warn("waiting", slog.Any("error", err), slog.Duration("next", pause))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// permanentError is one that waiting cannot cure.
type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// ready returns why the process is not ready, nothing when it is.
func (s *service) ready() []string {
	s.mu.Lock()
	w, waiting := s.running, s.waiting
	s.mu.Unlock()
	if w == nil {
		return []string{waiting}
	}
	if ok, why := w.Ready(); !ok {
		return []string{why}
	}
	return nil
}
