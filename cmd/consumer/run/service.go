package run

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/version"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/trace/otlp"
	"github.com/credence-stream/credence/sink/live"
	"github.com/credence-stream/credence/sink/web"
)

// Service is what `run` and `demo` run: the worker, and the HTTP server that
// answers from the first moment on, also while Kafka or Redis are away.
type Service struct {
	names   cli.Names
	config  *config.Config
	conn    *connect.Connection
	logger  *slog.Logger
	metrics *prometheus.Registry
	worker  *pipeline.Metrics
	watch   *depend.Watch
	feed    *live.Feed
	scored  *live.Scored   // without HTTP; nil: not asked for
	http    *web.Server    // nil: disabled
	traces  *otlp.Exporter // nil: nothing is traced

	from *from     // where a new group begins; nil: not said
	tty  io.Writer // of a bar; nil: none
	said *patient  // which the logger writes to; nil: to another writer

	began    time.Time
	accounts bool             // for when it ends
	servers  *connect.Servers // that end with it, and are asked before; nil: none
	up       chan struct{}    // closed once there is a worker

	mu      sync.Mutex
	waiting string           // why there is no worker yet
	running *pipeline.Worker // nil before
	ended   bool             // all that was there is done
	final   Account
}

// NewService takes the HTTP port, so that one in use is told at once, and
// connects to nothing. The names are those of the commands that it mentions.
func NewService(ctx context.Context, names cli.Names, c *config.Config, logger *slog.Logger) (*Service, error) {
	s := &Service{names: names, config: c, logger: logger, metrics: prometheus.NewRegistry(), feed: live.New(int64(c.HTTP.History)), waiting: "starting", began: time.Now(), up: make(chan struct{})}
	s.watch = depend.New(s.metrics, logger, dependencies(c)...)
	var err error
	if s.conn, err = connect.DialWatched(c, s.watch, s.unusable); err != nil {
		return nil, err
	}
	if s.traces, err = openTraces(c, s.watch, s.unusable, s.metrics); err != nil {
		s.conn.Close()
		return nil, err
	}
	s.conn.Traces = s.workerTraces()
	s.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.worker = pipeline.NewMetrics(s.metrics, version.Get().Version)
	RegisterMetrics(s.metrics, s.worker, s.feed.Bytes, func() int64 { return s.said.linesLost() })
	s.worker.Expect(s.conn.Rules)
	if c.HTTP.Listen == "" {
		return s, nil
	}
	s.http, err = web.Listen(ctx, s.webOptions())
	if err != nil {
		s.conn.Close()
		return nil, err
	}
	return s, nil
}

// unusable tells of a file that has changed and cannot be used.
func (s *Service) unusable(err error) {
	s.logger.Warn("a changed file is not used", slog.Any("error", err))
}

// dependencies are those that a configuration has.
func dependencies(c *config.Config) []string {
	all := []string{depend.Kafka, depend.Redis}
	if c.Input.Schema.Registry != "" {
		all = append(all, depend.SchemaRegistry)
	}
	if c.Traces.Endpoint != "" {
		all = append(all, depend.TraceCollector)
	}
	return all
}

// Addr returns where HTTP listens.
func (s *Service) Addr() string { return s.http.Addr() }

// Run works until ctx ends or, with untilEnd, until all partitions have
// reached the ends that they have now. It returns when everything has ended.
func (s *Service) Run(ctx context.Context, untilEnd bool) error {
	defer s.conn.Close()
	defer s.export(ctx)()
	s.accounts = s.accounts || untilEnd
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	if s.http != nil {
		g.Go(func() error { return s.http.Run(ctx) })
	}
	g.Go(func() error {
		s.watch.Run(ctx)
		return nil
	})
	g.Go(func() error { return s.servers.Watch(ctx) })
	g.Go(func() error {
		defer cancel()
		return s.work(ctx, untilEnd)
	})
	return g.Wait()
}

// work prepares what the worker needs, waiting out outages, and runs it.
func (s *Service) work(ctx context.Context, untilEnd bool) error {
	if err := s.retry(ctx, func() error { return s.conn.OpenStore(ctx, s.config) }); err != nil {
		return cli.Stopped(ctx, err)
	}
	prepare := func() error { return s.conn.Prepare(ctx, s.config, s.logger) }
	if err := s.retry(ctx, func() error { return heeding(ctx, prepare) }); err != nil {
		return cli.Stopped(ctx, err)
	}
	var observer pipeline.Observer
	switch { // without either nobody could ask what it saw, and nothing is told
	case s.http != nil:
		observer = &crowdTeller{Feed: s.feed, log: s.logger, limit: int64(s.config.HTTP.History)}
	case s.scored != nil:
		observer = s.scored
	}
	if s.from != nil {
		var b *backfill
		begin := func() (err error) {
			b, err = s.begin(ctx, s.from)
			return err
		}
		if err := s.retry(ctx, begin); err != nil {
			return cli.Stopped(ctx, err)
		}
		following, end := context.WithCancel(ctx)
		var told sync.WaitGroup
		told.Go(func() { s.follow(following, b, s.tty) })
		defer told.Wait()
		defer end()
	}
	w, err := s.conn.NewWorker(s.config, s.worker, observer, s.logger)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.running = w
	s.mu.Unlock()
	close(s.up)
	if s.accounts {
		defer func() {
			if s.final = s.Account(ctx); s.servers != nil {
				s.final.file = ""
			}
		}()
	}
	working, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.conn.WatchStore(working, s.logger) })
	defer func() {
		cancel()
		watching.Wait()
	}()
	g, ending := errgroup.WithContext(working)
	g.Go(func() error { return s.conn.Locked(ending) })
	if !untilEnd {
		g.Go(func() error {
			defer cancel()
			return w.Run(ending)
		})
		return g.Wait()
	}
	g.Go(func() error { return w.Run(ending) })
	g.Go(func() error {
		defer cancel()
		if err := s.UntilEnd(ending); ctx.Err() == nil {
			return err
		}
		return nil
	})
	return g.Wait()
}

// Final returns what became of the records once Run has returned: of a run to the end,
// or with a broker inside. It is false where no worker ever was.
func (s *Service) Final() (Account, bool) { return s.final, s.final.Took > 0 }

// worked returns the worker, waiting until there is one.
func (s *Service) worked(ctx context.Context) (*pipeline.Worker, error) {
	select {
	case <-s.up:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running, nil
}

// retry repeats what fails for an outage until it works, a permanent error
// comes, or ctx ends.
func (s *Service) retry(ctx context.Context, try func() error) error {
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := try()
		if err == nil || connect.IsPermanent(err) {
			s.watch.Answered(depend.Kafka, starting)
			s.watch.Answered(depend.Redis, starting)
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.mu.Lock()
		s.waiting = err.Error()
		s.mu.Unlock()
		s.blocked(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// starting is who waits for a dependency before there is a worker.
const starting = "the start"

// blocked tells of which dependency the start waits for.
func (s *Service) blocked(err error) {
	of, other := depend.Kafka, depend.Redis
	if o := new(pipeline.OutageError); errors.As(err, &o) {
		of, other = other, of
	}
	s.watch.Answered(other, starting)
	s.watch.Blocked(of, starting, err.Error())
}

// heeding returns at the end of ctx also where f, which waits for an answer, does
// not.
func heeding(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ready returns why the process is not ready, nothing when it is.
func (s *Service) ready() []string {
	s.mu.Lock()
	w, waiting := s.running, s.waiting
	s.mu.Unlock()
	if w == nil {
		return []string{waiting}
	}
	if err := s.conn.Store.Unsafe(); err != nil {
		return []string{err.Error()}
	}
	if ok, why := w.Ready(); !ok {
		return []string{why}
	}
	return nil
}
