package run

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/consumer/demo"
	"github.com/credence-stream/credence/cmd/consumer/show"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	servers "github.com/credence-stream/credence/internal/embedded"
)

//go:embed demo_config.yaml
var demoConfig []byte

const (
	demoRows   = 10               // flights per shard
	demoRate   = 30               // shards per second: about 70 seconds in all
	demoListen = "127.0.0.1:8080" // unless it is taken
	demoAny    = "127.0.0.1:0"    // then
	demoKey    = "ATL"            // an airport with many flights
)

// DemoCommand returns the command demo.
func DemoCommand(a *app.App) *cobra.Command {
	var listen string
	var duration time.Duration
	var noBrowser bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Model which flights are late, airport by airport, with nothing else installed",
		Long: `demo starts a Kafka broker and a Redis server inside the process, replays 20,000
flights within the United States in order of departure, and updates one probit
regression per airport with them: whether a flight arrives more than 15 minutes
late, by its distance and hour of departure.`,
		GroupID: app.GroupFirst,
		Args:    app.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if duration < 0 {
				return cli.Usagef("--duration %v is below 0", duration)
			}
			ctx := cmd.Context()
			if duration > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, duration)
				defer cancel()
			}
			return runDemo(ctx, a, listen, cmd.Flags().Changed("listen"), !noBrowser)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", demoListen, "`ADDRESS` of the HTTP server")
	cmd.Flags().DurationVar(&duration, "duration", 0, "end after this time; 0: when interrupted")
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "do not open the page in a browser; none is opened where there is no terminal, in CI and over SSH")
	return cmd
}

// runDemo runs broker, store, worker and producer in this process until ctx ends.
func runDemo(ctx context.Context, a *app.App, listen string, fixed, browser bool) error {
	c, _, err := config.Parse(config.Source{Kinds: a.Kinds, File: "demo_config.yaml", Sets: []string{"http.listen=" + listen}}, demoConfig)
	if err != nil {
		return err
	}
	end, err := connect.StartEmbedded(ctx, c, servers.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return cli.Stopped(ctx, err)
	}
	defer end()
	live := term.IsTerminal(a.Out)
	log := a.Err
	if live {
		log = io.Discard // the table says what keeps it from moving
	}
	s, err := NewService(ctx, c, newLogger(log, slog.LevelWarn))
	if err != nil && !fixed {
		c.HTTP.Listen = demoAny
		s, err = NewService(ctx, c, newLogger(log, slog.LevelWarn))
	}
	if err != nil {
		return err
	}
	if s.http != nil {
		c.HTTP.Listen = s.http.Addr()
	}
	file, err := writeTemp(c)
	if err != nil {
		return errors.Join(err, s.discard())
	}
	c.File = file
	defer func() { _ = os.RemoveAll(filepath.Dir(file)) }()
	explain(a, c, file)
	if s.http != nil && browser && wantsBrowser(live, a.Env) {
		openBrowser(ctx, pageURL(c.HTTP.Listen))
	}

	p, notify := show.NewPrinter(a, app.Table, show.NewSelection("", 0), "flights")
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Run(ctx, false) })
	g.Go(func() error {
		if err := s.conn.CreateTopics(ctx, c); err != nil {
			return cli.Stopped(ctx, err)
		}
		h, ctx := errgroup.WithContext(ctx)
		h.Go(func() error { return show.Tail(ctx, s.conn.Feed(c.Kafka.Output, false, false, notify), p) })
		h.Go(func() error { return cli.Stopped(ctx, s.replay(ctx, notify)) })
		return h.Wait()
	})
	return g.Wait()
}

// replay sends the flights.
func (s *Service) replay(ctx context.Context, notify func(string, ...any)) error {
	sender := s.conn.NewSender(s.config.Kafka.Input, demoRate)
	for shard, err := range demo.Shards(demoRows) {
		if err != nil {
			return err
		}
		if err := sender.Send(ctx, shard); err != nil {
			return err
		}
	}
	if err := sender.Flush(ctx); err != nil {
		return err
	}
	sent := sender.Totals()
	notify("all %d flights are sent; Ctrl-C ends the demo", sent.Rows)
	return nil
}

// discard gives back what a service that never ran holds.
func (s *Service) discard() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return s.Run(ended, false)
}

// pageURL is where the page of a server is that listens on an address.
func pageURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// explain says where the page is, what there is to see and where to look
// further.
func explain(a *app.App, c *config.Config, file string) {
	page := "none, --listen is empty"
	if c.HTTP.Listen != "" {
		page = pageURL(c.HTTP.Listen)
	}
	_, _ = fmt.Fprintf(a.Err, `The live page: %s

Credence demo: 20,000 flights of early 2001, replayed in order of departure.
Each airport has its own model: does a flight arrive more than 15 minutes late,
by its distance and hour of departure? Every %d flights of an airport are a
shard, and every shard updates its posterior.

While it runs, try:
  curl -s %s/v1/models/%s
  curl -s %s/metrics
  consumer get %s --config %s
  consumer tail --format json --config %s
The configuration is %s.

`, page, demoRows, page, demoKey, page, demoKey, file, file, file)
}

// writeTemp writes the configuration where other commands can read it.
func writeTemp(c *config.Config) (string, error) {
	dir, err := os.MkdirTemp("", "credence-demo-*")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "demo.yaml")
	return file, os.WriteFile(file, []byte(c.String()), 0o600)
}
