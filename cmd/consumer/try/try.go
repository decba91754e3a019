package try

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

// trial is one run of the command.
type trial struct {
	*app.App
	*flags
	stdin     io.Reader
	stays     bool // with the page, after the last row
	mostKeys  int
	mostRead  int // keys whose posteriors the report is about
	mostBytes int64

	copied bool   // it is read from a copy
	one    string // key of all rows, where no column is the key
	look   *draft.Look
	model  *draft.Model
	text   []byte // the configuration to keep
	census *census
	partly int64 // rows before an interrupt; 0: all was learnt from
	whole  bool  // all was learnt from
	told   bool  // an account was given
}

// run tries the file or the topic. The end of ctx is a failure only before all was learnt from.
func (t *trial) run(ctx context.Context) error {
	err := t.try(ctx)
	if ctx.Err() == nil {
		return err
	}
	if !t.told {
		t.Printf("stopped before anything was learnt")
	}
	if !t.whole {
		return cli.ErrReported
	}
	return nil
}

func (t *trial) try(ctx context.Context) (err error) {
	name, remove, err := t.named(ctx)
	if err != nil {
		return err
	}
	defer remove()
	t.ask.Input, t.ask.Called = name, t.file
	if t.copied = name != t.file; t.copied {
		t.ask.Called = filepath.Base(name)
		defer func() {
			if err != nil {
				err = &called{err, name, cmp.Or(strings.TrimPrefix(t.file, "-"), "standard input"), t.format}
			}
		}()
	}
	if t.file != "" {
		t.one = strings.TrimSuffix(filepath.Base(name), rows.FormatOf(name)) // as producer replay has it
		if err := replay.CheckKey(t.one); err != nil {
			return fmt.Errorf("the file's name is the key of its rows: %w", err)
		}
		t.census = &census{keys: map[string]int64{}}
		t.ask.Selection.Key, t.ask.Key = t.one, t.met
	}
	if t.look, err = t.lookAt(ctx); err != nil {
		return err
	}
	if t.census != nil && t.rows == 0 {
		t.rows = t.census.shard()
	}
	if t.text, t.model, err = t.look.Draft(t.App, max(t.rows, 1)); err != nil {
		return err
	}
	c, err := t.inside()
	if err != nil {
		return err
	}
	o := run.Inside{Names: t.Names, Config: c, Name: "try", Fixed: t.fixed, Scores: true, Log: t.Err, Least: slog.LevelError} // the report tells of flags
	if t.file == "" {
		o.Topic = &connect.Elsewhere{Config: t.look.Config()}
	}
	s, end, err := o.Start(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := app.Tabulate(t.Err, t.look.Table(t.model), 0); err != nil {
		return err
	}
	t.introduce(s)
	if !t.noBrowser {
		s.ShowPage(ctx, t.App)
	}
	return t.learn(ctx, s)
}

// named returns a file whose name tells its format, and what removes it if it is a copy.
func (t *trial) named(ctx context.Context) (string, func(), error) {
	in, base := t.stdin, "stdin"
	switch {
	case t.file == "":
		return "", func() {}, nil
	case t.file == "-":
	case t.format != "" && !strings.HasPrefix(strings.ToLower(rows.FormatOf(t.file)), "."+t.format):
		file, err := os.Open(t.file)
		if err != nil {
			return "", nil, err
		}
		defer func() { _ = file.Close() }()
		in, base = file, cmp.Or(strings.TrimSuffix(filepath.Base(t.file), filepath.Ext(t.file)), base)
	default:
		return t.file, func() {}, nil
	}
	return keepUntil(ctx, in, base, t.format, t.mostBytes)
}

// inside is the drafted configuration with broker and store in this process.
func (t *trial) inside() (*config.Config, error) {
	sets := []string{"kafka.brokers=" + config.Embedded, "redis.url=" + config.Embedded, "http.listen=" + t.listen}
	c, _, err := config.Parse(config.Source{Kinds: t.Kinds, File: "the draft", Sets: sets}, t.text)
	if err != nil {
		return nil, err
	}
	c.Kafka.TLS, c.Kafka.SASL = config.TLS{}, config.SASL{} // the topic's cluster has them
	return c, nil
}

// introduce says what is about to be done.
func (t *trial) introduce(s *run.Service) {
	if page := s.Page(); page != "" {
		t.Printf("the live page: %s", page)
	}
	for _, note := range append(t.look.Notes(), t.model.Notes()...) {
		t.Printf("note: %s", note)
	}
	models := fmt.Sprintf("one model for all rows, under the key %s", t.one)
	switch {
	case t.file == "":
		models = "a model for each key of the records"
	case t.key() != "":
		models = fmt.Sprintf("a model for each of %s values of %s", cli.Count(len(t.census.keys)), t.key())
		if len(t.census.keys) == 1 {
			models = fmt.Sprintf("one model, as %s has one value", t.key())
		}
	}
	t.Printf("%s is explained by kind %s: %s", t.model.ResponseName(), t.model.Kind.Name, models)
}

// reporting bounds the report after an interrupt.
const reporting = 10 * time.Second

// learn runs the service and feeds it, says what was learnt, and returns when all that
// has ended. The service outlives an interrupt, for the report asks it.
func (t *trial) learn(ctx context.Context, s *run.Service) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, working := errgroup.WithContext(working)
	g.Go(func() error { return s.Run(working, false) })
	g.Go(func() error {
		defer stop()
		feeding, end := context.WithCancel(working)
		defer end()
		defer context.AfterFunc(ctx, end)()
		cut, err := t.feed(feeding, s)
		if err != nil && ctx.Err() != nil {
			return t.interrupted(working, s)
		}
		t.whole = err == nil
		if err == nil {
			err = errors.Join(t.report(working, s), cut)
		}
		if t.stays && err == nil && ctx.Err() == nil {
			t.Printf("%s", s.Account(working))
			if page := s.Page(); page != "" {
				t.Printf("the page stays at %s until Ctrl-C", page)
			}
			<-feeding.Done()
		}
		return err
	})
	err := g.Wait()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	account, ok := s.Final()
	if !ok {
		return err
	}
	t.told = true
	if t.stays && account.Ended && t.file != "" {
		return err // it was said
	}
	t.Printf("%s", account)
	if err == nil {
		err = account.Err()
	}
	return err
}

// interrupted says what the rows taught that were learnt from before an interrupt.
func (t *trial) interrupted(ctx context.Context, s *run.Service) error {
	t.partly = s.Rows()
	if t.partly == 0 {
		return nil
	}
	ctx, end := context.WithTimeout(ctx, reporting)
	defer end()
	return t.report(ctx, s)
}

// feed gives the service all there is, and waits until it has learnt from it. What makes the
// input end early is cut.
func (t *trial) feed(ctx context.Context, s *run.Service) (cut, err error) {
	total := int64(-1)
	if t.file != "" {
		total = t.census.rows
	}
	bar := term.Progress(t.Err, "rows learnt from", total)
	defer bar.Done()
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(watching, s, bar)
	}()
	cut, err = t.send(ctx, s)
	if err == nil {
		err = s.UntilEnd(ctx)
	}
	stop()
	<-watched
	return cut, err
}

// watch moves the bar on.
func watch(ctx context.Context, s *run.Service, bar *term.Bar) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for seen := int64(0); ; {
		select {
		case <-tick.C:
			if rows := s.Rows(); rows > seen {
				bar.Add(rows - seen)
				seen = rows
			}
		case <-ctx.Done():
			return
		}
	}
}

// send sends the rows of the file in their order. What makes it end early, a bound or a
// file that changes while it is read, is cut; what was sent before is good.
func (t *trial) send(ctx context.Context, s *run.Service) (cut, err error) {
	if t.file == "" {
		return nil, nil // they are there
	}
	src, err := t.look.Rows()
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	sender, err := s.Sender(ctx, 0)
	if err != nil {
		return nil, err
	}
	for shard, err := range rows.Shards(&known{Source: src, trial: t, keys: t.census.keys}, t.rows) {
		if err != nil {
			cut = err
			break
		}
		if err := sender.Send(ctx, shard); err != nil {
			return nil, err
		}
		if sender.Totals().Bytes > t.mostBytes {
			cut = fmt.Errorf("the first %s rows fill %s, which is as much as is kept here; the rest needs real servers", cli.Count(sender.Totals().Rows), cli.Size(t.mostBytes))
			break
		}
	}
	return cut, sender.Flush(ctx)
}

// name is the input in words.
func (t *trial) name() string {
	switch t.file {
	case "":
		return "topic " + t.ask.Topic
	case "-":
		return "standard input"
	}
	return filepath.Base(t.file)
}
