package run

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/demo"
	"github.com/credence-stream/credence/cmd/consumer/show"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/term"
)

//go:embed demo_config.yaml
var demoConfig []byte

const (
	demoRows   = 10               // flights per shard
	demoRate   = 30               // shards per second: about 70 seconds in all
	demoListen = "127.0.0.1:8080" // unless it is taken
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
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if duration < 0 {
				return cli.Usagef("--duration %v is below 0", duration)
			}
			if err := CheckListen(listen); err != nil {
				return err
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
	live := term.IsTerminal(a.Out)
	log := a.Err
	if live {
		log = io.Discard // the table says what keeps it from moving
	}
	s, end, err := Inside{Names: a.Names, Config: c, Name: "demo", Fixed: fixed, Log: log, Least: slog.LevelWarn}.Start(ctx)
	if err != nil {
		return cli.Stopped(ctx, err)
	}
	defer end()
	explain(a, c, s.Page())
	if browser {
		s.ShowPage(ctx, a)
	}

	p, notify := show.NewPrinter(a, app.Table, show.NewSelection("", 0), "flights")
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Run(ctx, false) })
	g.Go(func() error {
		sender, err := s.Sender(ctx, demoRate)
		if err != nil {
			return cli.Stopped(ctx, err)
		}
		h, ctx := errgroup.WithContext(ctx)
		h.Go(func() error { return show.Tail(ctx, s.conn.Feed(c.Kafka.Output, false, false, notify), p) })
		h.Go(func() error { return cli.Stopped(ctx, replayFlights(ctx, sender, notify)) })
		return h.Wait()
	})
	return g.Wait()
}

// replayFlights sends them.
func replayFlights(ctx context.Context, sender *replay.Sender, notify func(string, ...any)) error {
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

// explain says where the page is, "" for none, what there is to see and where to look
// further.
func explain(a *app.App, c *config.Config, page string) {
	consumer, file := cli.Command(a.Consumer), cli.Quote(c.File)
	where, asked := "none, --listen is empty", ""
	if page != "" {
		where = page
		asked = fmt.Sprintf("  curl -s %s/v1/models/%s\n  curl -s %s/metrics\n", page, demoKey, page)
	}
	_, _ = fmt.Fprintf(a.Err, `The live page: %s

Credence demo: 20,000 flights of early 2001, replayed in order of departure.
Each airport has its own model: does a flight arrive more than 15 minutes late,
by its distance and hour of departure? Every %d flights of an airport are a
shard, and every shard updates its posterior.

While it runs, try:
%s  %s get %s --config %s
  %s tail --format json --config %s
The configuration is %s.

`, where, demoRows, asked, consumer, demoKey, file, consumer, file, file)
}
