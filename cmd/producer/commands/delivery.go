package commands

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/term"
)

const (
	defaultPartitions = 4
	// connecting bounds the wait for brokers that are still starting.
	connecting = 30 * time.Second
	// slowest is the least rate, about one shard in eleven days.
	slowest = 1e-6
)

// topicName is what Kafka takes as the name of a topic; brokers inside a program may take more.
var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

// errStopped reports that a signal ended the work.
var errStopped = errors.New("stopped")

// delivery is the part of a command that is the same whatever is sent: where
// to, how fast, and what to say about it.
type delivery struct {
	connection
	topic      string
	partitions int
	noCreate   bool
	rate       float64
	run        string
	fresh      bool // the run is a new one
	json       bool
	tracing    tracing
}

func (d *delivery) register(f *pflag.FlagSet) {
	f.StringVar(&d.topic, "topic", "", "send to topic `NAME` (required)")
	d.connection.register(f)
	f.IntVar(&d.partitions, "partitions", defaultPartitions, "create a missing topic with `N` partitions")
	f.BoolVar(&d.noCreate, "no-create", false, "fail when the topic is missing")
	f.Float64Var(&d.rate, "rate", 0, "at most `N` shards per second; 0: as fast as the brokers acknowledge")
	f.StringVar(&d.run, "run-id", "", "continue the run `ID`: the consumer skips what it has already applied (default: a new run)")
	f.BoolVar(&d.json, "json", false, "print the summary as JSON")
	d.tracing.register(f)
}

// check returns what is wrong with the flags and gives the run an id.
func (d *delivery) check() error {
	if d.topic == "" {
		return errors.New("--topic must not be empty")
	}
	if !topicName.MatchString(d.topic) {
		return fmt.Errorf("--topic: %q is not a topic name: 1 to 249 letters, digits, dots, underscores and hyphens", d.topic)
	}
	if d.partitions < 1 {
		return fmt.Errorf("--partitions %d: want at least 1", d.partitions)
	}
	if math.IsNaN(d.rate) || math.IsInf(d.rate, 0) || d.rate < 0 || d.rate > 0 && d.rate < slowest {
		return fmt.Errorf("--rate %g: want 0 or at least %g", d.rate, slowest)
	}
	if d.run == "" {
		d.run, d.fresh = replay.NewRun(), true
	} else if err := replay.CheckRun(d.run); err != nil {
		return err
	}
	if err := d.tracing.check(); err != nil {
		return err
	}
	return d.connection.check()
}

// deliver sends the shards, at most limit of them if limit is not 0, and
// prints the summary. Progress counts rows; a total below 1 is not known.
func (p *Program) deliver(ctx context.Context, d *delivery, shards iter.Seq2[replay.Shard, error], limit, total int64) error {
	b, err := p.connect(ctx, d)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	tracing, traced, err := d.tracing.open(ctx, p.Say)
	if err != nil {
		return err
	}
	defer traced()

	bar := term.Progress(p.Stderr, "rows sent", total)
	start := time.Now()
	s := replay.NewSender(replay.Options{
		Topic: d.topic, Run: d.run, Rate: d.rate, Publisher: b, Encode: p.encode, Tracing: tracing,
		Acked: func(_, rows int64) { bar.Add(rows) },
		Waiting: func(err error, pause time.Duration) {
			bar.Printf("no acknowledgement, next attempt in %v: %v", pause, err)
		},
	})
	err = sendAll(ctx, s, shards, limit)
	bar.Done()
	if err != nil {
		p.Say("%d shards were acknowledged. To send the rest, repeat the command with --run-id %s:\n"+
			"the consumer skips the shards that it has already applied.", s.Totals().Shards, d.run)
		if ctx.Err() != nil {
			return errStopped
		}
		return err
	}
	return p.summary(d, s.Totals(), time.Since(start))
}

func sendAll(ctx context.Context, s *replay.Sender, shards iter.Seq2[replay.Shard, error], limit int64) error {
	n := int64(0)
	for sh, err := range shards {
		if err != nil {
			// What was read before a bad row is good.
			return errors.Join(err, s.Flush(ctx))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.Send(ctx, sh); err != nil {
			return err
		}
		if n++; n == limit {
			break
		}
	}
	return s.Flush(ctx)
}

// connect reaches the brokers and makes the topic, trying for a while: brokers
// and producers are often started together.
func (p *Program) connect(ctx context.Context, d *delivery) (broker, error) {
	b, err := p.dial(ctx, d.connection)
	if err != nil {
		return nil, err
	}
	partitions := d.partitions
	if d.noCreate {
		partitions = 0
	}
	trying, cancel := context.WithTimeout(ctx, connecting)
	defer cancel()
	var last error // that says more than that the time is over
	for said := false; ; said = true {
		created, err := b.EnsureTopic(trying, d.topic, partitions)
		switch {
		case err == nil && created:
			p.Say("created topic %s with %d partitions", d.topic, partitions)
			fallthrough
		case err == nil:
			p.Say("run %s to topic %s", d.run, d.topic)
			return b, nil
		case errors.Is(err, errNoTopic):
			_ = b.Close()
			return nil, fmt.Errorf("%w: %s; create it, or leave --no-create out", errNoTopic, d.topic)
		}
		if !said {
			p.Say("waiting for %s: %v", strings.Join(d.Brokers, ","), err)
		}
		if last == nil || !errors.Is(err, context.DeadlineExceeded) {
			last = err
		}
		select {
		case <-trying.Done():
			_ = b.Close()
			if ctx.Err() != nil {
				return nil, errStopped
			}
			return nil, fmt.Errorf("no answer from %s for %v: %w%s", strings.Join(d.Brokers, ","), connecting, last, advice(last))
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// advice says what to do where brokers are not reached, unless the error does. A port of another protocol says
// nothing: it closes the connection or waits.
func advice(err error) string {
	var dial *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate), errors.As(err, &dial) && dial.Op == "dial":
		return ""
	default:
		return "; compare the flags --tls and --sasl with what this port of the brokers expects"
	}
}

// summary prints what was sent.
func (p *Program) summary(d *delivery, t replay.Totals, took time.Duration) error {
	if d.json {
		return json.NewEncoder(p.Stdout).Encode(struct {
			Run   string `json:"run"`
			Topic string `json:"topic"`
			replay.Totals
			Seconds float64 `json:"seconds"`
		}{d.run, d.topic, t, took.Seconds()})
	}
	_, err := fmt.Fprintf(p.Stdout, "sent %s (%s, %s, %s) to topic %s in %.1f s, run %s\n",
		cli.Plural(t.Shards, "shard"), cli.Plural(t.Rows, "row"), cli.Plural(t.Keys, "key"), cli.Plural(t.Bytes, "byte"), d.topic, took.Seconds(), d.run)
	return err
}
