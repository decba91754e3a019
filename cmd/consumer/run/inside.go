package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/term"
	servers "github.com/credence-stream/credence/internal/embedded"
	"github.com/credence-stream/credence/internal/sockets"
	"github.com/credence-stream/credence/sink/live"
)

// anyPort is where the page is if its usual port is taken.
const anyPort = "127.0.0.1:0"

// CheckListen refuses a value of --listen that is no address; "" asks for no page.
func CheckListen(address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	if err != nil {
		return cli.Usagef("--listen %s: want HOST:PORT, as in 127.0.0.1:8080", address)
	}
	return nil
}

// Inside says how a service runs that brings its own broker and store.
type Inside struct {
	Config *config.Config // completed with the addresses
	Names  cli.Names      // of the commands that it mentions
	Name   string         // of the file with the configuration, for other commands
	Fixed  bool           // the port of --listen and no other
	// Topic, if not nil, is where the records of the input topic are read: of another
	// cluster, to which nothing is written.
	Topic *connect.Elsewhere
	// Scores has Predicted tell also where there is no page.
	Scores bool
	Log    io.Writer
	Least  slog.Level // that is logged
}

// Start starts the servers and takes the port of the page. The caller ends them once
// the service has run.
func (o Inside) Start(ctx context.Context) (s *Service, end func(), err error) {
	c, logger := o.Config, newLogger(o.Log, o.Config.Log.Format, o.Least)
	inside, err := connect.StartEmbedded(ctx, c, servers.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			inside.End()
		}
	}()
	s, err = NewService(ctx, o.Names, c, logger)
	refused := new(net.OpError)
	switch {
	case err == nil:
	case !o.Fixed:
		c.HTTP.Listen = anyPort
		s, err = NewService(ctx, o.Names, c, logger)
	case sockets.InUse(err): // of a flag, not of a file
		err = fmt.Errorf("--listen %s: address already in use: another program listens there; take another port, or leave the flag out for one that is free", c.HTTP.Listen)
	case errors.As(err, &refused) && refused.Op == "listen":
		err = fmt.Errorf("--listen %s: %w", c.HTTP.Listen, refused.Err)
	}
	if err != nil {
		return nil, nil, err
	}
	if o.Topic != nil {
		if err := s.conn.ReadFrom(ctx, o.Topic); err != nil {
			return nil, nil, errors.Join(err, s.discard())
		}
	}
	if o.Scores && s.http == nil {
		s.scored = live.NewScored()
	}
	s.accounts, s.servers = true, inside
	if s.http != nil {
		c.HTTP.Listen = s.http.Addr()
	}
	if c.File, err = writeTemp(c, o.Name); err != nil {
		return nil, nil, errors.Join(err, s.discard())
	}
	return s, func() {
		inside.End()
		_ = os.RemoveAll(filepath.Dir(c.File))
	}, nil
}

// ShowPage opens the page where somebody sees it.
func (s *Service) ShowPage(ctx context.Context, a *app.App) {
	if s.http != nil && wantsBrowser(term.IsTerminal(a.Out), a.Env) {
		openBrowser(ctx, s.Page())
	}
}

// Sender makes the topics and returns what sends shards to the input.
func (s *Service) Sender(ctx context.Context, rate float64) (*replay.Sender, error) {
	if err := s.conn.CreateTopics(ctx, s.config); err != nil {
		return nil, err
	}
	return s.conn.NewSender(s.config.Kafka.Input, rate), nil
}

// FirstKeys returns the first keys that have a state, in byte order.
func (s *Service) FirstKeys(ctx context.Context, limit int) ([]string, error) {
	conn, err := s.started()
	if err != nil {
		return nil, err
	}
	return conn.Lookup.FirstKeys(ctx, "", limit)
}

// Predicted returns how well rows were predicted before they were absorbed, all keys
// together: nothing where neither a page nor Inside.Scores asked for it.
func (s *Service) Predicted() live.Sums {
	if s.scored != nil {
		return s.scored.Sums()
	}
	return live.Together(s.feed.Across("", ""))
}

// Rows returns how many rows were folded into models or dropped so far.
func (s *Service) Rows() int64 {
	t := s.worker.Tally()
	return t.Rows + t.Dropped
}

// Refused returns how many records became dead letters so far.
func (s *Service) Refused() int64 { return Account{Tally: s.worker.Tally()}.dead() }

// UntilEnd waits until what the input topic holds now is in checkpoints.
func (s *Service) UntilEnd(ctx context.Context) error {
	w, err := s.worked(ctx)
	if err != nil {
		return err
	}
	if err := w.UntilEnd(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	return nil
}

// reached reports whether a run to the end has come to it.
func (s *Service) reached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// discard gives back what a service that never ran holds.
func (s *Service) discard() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return s.Run(ended, false)
}

// writeTemp writes the configuration where other commands can read it.
func writeTemp(c *config.Config, name string) (string, error) {
	dir, err := os.MkdirTemp("", "credence-"+name+"-*")
	if err != nil {
		return "", cli.Temporary(err)
	}
	file := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(file, []byte(c.String()), 0o600); err != nil {
		return "", errors.Join(fmt.Errorf("the configuration for other commands: %w", cli.Temporary(err)), os.RemoveAll(dir))
	}
	return file, nil
}
