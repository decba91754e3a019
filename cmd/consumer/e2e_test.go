package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/cmd/internal/replay"
	servers "github.com/credence-stream/credence/internal/embedded"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// world is an embedded broker and store, and a configuration for them.
type world struct {
	*testing.T
	env   *servers.Env
	file  string
	kinds kind.Registry
}

func newWorld(t *testing.T, more string) *world {
	t.Helper()
	return newWorldOf(t, more, `models: [{match: "**", kind: linear}]`)
}

// newWorldOf takes more keys of kafka and what ends the configuration.
func newWorldOf(t *testing.T, more, rest string) *world {
	t.Helper()
	env, err := servers.Start(t.Context(), servers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{T: t, env: env, file: filepath.Join(t.TempDir(), "c.yaml"), kinds: models.Kinds()}
	text := fmt.Sprintf("kafka: {brokers: [%q], %s}\nredis: {url: %q}\nhttp: {listen: \"\"}\n%s\n",
		env.Brokers()[0], more, env.RedisURL(), rest)
	if err := os.WriteFile(w.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// consumer runs a command line and returns its exit code, data and messages.
func (w *world) consumer(args ...string) (code int, out, messages string) {
	w.Helper()
	return w.command(append(args, "--config", w.file)...)
}

// command is consumer without the configuration.
func (w *world) command(args ...string) (code int, out, messages string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), probe.Patience)
	defer cancel()
	var o, e bytes.Buffer
	a := &app.App{Names: cli.Apart(), Kinds: w.kinds, Out: &o, Err: &e}
	code = commands.Run(ctx, a, args)
	if ctx.Err() != nil {
		w.Fatalf("consumer %v did not end:\n%s", args, e.String())
	}
	return code, o.String(), e.String()
}

// config is what a command would load.
func (w *world) config() *config.Config {
	w.Helper()
	c, _, err := config.Load(config.Source{Kinds: w.kinds, File: w.file})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// connect connects as a command would.
func (w *world) connect(c *config.Config) *connect.Connection {
	w.Helper()
	conn, err := connect.Dial(c)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(conn.Close)
	return conn
}

// opened is connect with the store.
func (w *world) opened(c *config.Config) *connect.Connection {
	w.Helper()
	conn := w.connect(c)
	if err := conn.OpenStore(w.Context(), c); err != nil {
		w.Fatal(err)
	}
	return conn
}

// send puts shards of y = 3 + 2x into the input topic.
func (w *world) send(keys []string, shards int) {
	w.Helper()
	var batches []*cdf.Batch
	for n := range shards {
		x := []float64{float64(n), float64(n) + 1, float64(n) + 2}
		y := []float64{3 + 2*x[0], 3.1 + 2*x[1], 2.9 + 2*x[2]}
		batches = append(batches, &cdf.Batch{Rows: 3, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}})
	}
	w.sendShards(keys, batches)
}

// sendShards puts the same shards under each key into the input topic.
func (w *world) sendShards(keys []string, shards []*cdf.Batch) {
	w.Helper()
	w.sending(keys, shards)()
}

// sending is sendShards beside the test, which must wait with what it returns.
func (w *world) sending(keys []string, shards []*cdf.Batch) (wait func()) {
	w.Helper()
	c := w.config()
	conn := w.connect(c)
	if err := conn.CreateTopics(w.Context(), c); err != nil {
		w.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() { sent <- send(w.Context(), conn.NewSender(c.Kafka.Input, 0), keys, shards) }()
	waited := false
	w.Cleanup(func() { // before the connection closes
		if !waited {
			<-sent
		}
	})
	return func() {
		w.Helper()
		waited = true
		if err := <-sent; err != nil {
			w.Fatal(err)
		}
	}
}

func send(ctx context.Context, sender *replay.Sender, keys []string, shards []*cdf.Batch) error {
	for n, b := range shards {
		for _, key := range keys {
			if err := sender.Send(ctx, replay.Shard{Key: key, N: int64(n + 1), Batch: b}); err != nil {
				return err
			}
		}
	}
	return sender.Flush(ctx)
}

// read returns all records of a topic.
func (w *world) read(topic string) []pipeline.Record {
	w.Helper()
	var all []pipeline.Record
	err := w.connect(w.config()).Feed(topic, false, true, w.Logf)(w.Context(), func(r *pipeline.Record) error {
		all = append(all, *r)
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

// Shards in, posteriors out, by the command line alone, in both formats.
func TestFromShardsToPosteriors(t *testing.T) {
	for _, format := range []string{"arrow", "json"} {
		t.Run(format, func(t *testing.T) {
			w := newWorld(t, "format: "+format)
			w.send([]string{"a/1", "b"}, 3)
			code, out, messages := w.consumer("run", "--until-end")
			if code != 0 || out != "" || !strings.Contains(messages, " s: 6 records, 18 rows (") || !strings.HasSuffix(messages, ", 2 keys. No key is flagged after its last shard.\n") || strings.Contains(messages, "configuration:") {
				t.Fatalf("run: exit %d, stdout %q, stderr %s", code, out, messages)
			}
			code, out, messages = w.consumer("tail", "--until-end")
			if lines := strings.Count(out, "\n"); code != 0 || lines != 6 {
				t.Fatalf("tail: exit %d, %d lines, stderr %s\n%s", code, lines, messages, out)
			}
			code, out, _ = w.consumer("tail", "--until-end", "--key", "a/*", "--format", "json")
			last := lastLine(out)
			if code != 0 || strings.Count(out, "\n") != 3 || !json.Valid([]byte(last)) || !strings.HasPrefix(last, `{"key":"a/1","kind":"linear","variant":"corrected","t":3,"n":9,`) {
				t.Errorf("tail a/*: exit %d\n%s", code, out)
			}
			// The store says what the topic said, to the bit.
			code, out, messages = w.consumer("get", "a/1")
			if code != 0 || out != last+"\n" {
				t.Errorf("get: exit %d %s\n%s\n%s", code, messages, out, last)
			}
			if code, out, messages = w.consumer("get", "nobody"); code != 1 || out != "" || !strings.Contains(messages, "no model for key") {
				t.Errorf("get nobody: exit %d, %q, %q", code, out, messages)
			}
			code, out, _ = w.consumer("check")
			if code != 0 || strings.Count(out, "4 partitions, settings fit") != 2 || strings.Count(out, "it has 4 partitions") != 1 {
				t.Errorf("check: exit %d\n%s", code, out)
			}
		})
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// A service says that it is not ready while Kafka is away, answers HTTP all
// the same, and ends when it is told to.
func TestServiceWithoutKafka(t *testing.T) {
	c := configtest.Parse(t, configtest.Shortest, "kafka.brokers="+clitest.Nobody(t), "http.listen=127.0.0.1:0")
	s, err := run.NewService(t.Context(), cli.Apart(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, false) }()
	for path, want := range map[string]int{"/livez": 200, "/readyz": 503, "/v1/models/a": 503, "/metrics": 200} {
		if got := clitest.Status(t, "http://"+s.Addr()+path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("end: %v", err)
	}
}

// The demo prints posteriors until it is interrupted or its time is over.
func TestDemo(t *testing.T) {
	for duration, interrupted := range map[time.Duration]bool{time.Hour: true, time.Millisecond: false} {
		var out, messages clitest.Transcript
		a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &out, Err: &messages}
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		ended := make(chan int, 1)
		go func() {
			ended <- commands.Run(ctx, a, []string{"demo", "--no-browser", "--duration", duration.String(), "--listen", "127.0.0.1:0"})
		}()
		if interrupted {
			probe.Eventually(t, "a posterior is printed", func() bool { return strings.Contains(out.String(), "beta[distance]=") || len(ended) > 0 })
			interrupt()
		}
		if code := <-ended; code != 0 {
			t.Fatalf("exit %d: %s", code, messages.String())
		}
		if interrupted && (!strings.Contains(out.String(), "beta[distance]=") || !strings.Contains(messages.String(), "curl -s http://127.0.0.1:")) {
			t.Errorf("stdout %.500q\nstderr %q", out.String(), messages.String())
		}
	}
}
