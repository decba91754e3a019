package commands

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/demo"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/internal/embedded"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/testenv/probe"
)

// startKafka starts a broker in this process.
func startKafka(t *testing.T) *embedded.Env {
	t.Helper()
	env, err := embedded.Start(context.WithoutCancel(t.Context()), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Error(err)
		}
		if refused := env.Refused(); len(refused) > 0 {
			t.Errorf("Apache Kafka 4 does not know %v", refused)
		}
	})
	return env
}

// fetch reads n records of a topic with a client that is not ours.
func fetch(t *testing.T, env *embedded.Env, topic string, n int) []*kgo.Record {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(env.Brokers()...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	var all []*kgo.Record
	for len(all) < n {
		f := c.PollFetches(ctx)
		if err := f.Err(); err != nil {
			t.Fatalf("after %d of %d records: %v", len(all), n, err)
		}
		all = append(all, f.Records()...)
	}
	return all
}

// runProgram runs a command line against real brokers.
func runProgram(ctx context.Context, args ...string) result {
	var stdout, stderr bytes.Buffer
	p := Program{names: cli.Apart(), Program: cli.Program{Stdout: &stdout, Stderr: &stderr}, dial: dial, encode: encode}
	code := p.Run(ctx, args)
	return result{code, stdout.String(), stderr.String()}
}

// TestReplayThroughKafka sends the demo's flights and reads them back.
func TestReplayThroughKafka(t *testing.T) {
	env := startKafka(t)
	data, err := demo.Flights()
	if err != nil {
		t.Fatal(err)
	}
	file := clitest.WriteFile(t, "flights.csv.gz", clitest.Gzip(t, string(data)))
	began := time.Now().UnixMilli()
	r := runProgram(t.Context(), "replay", "--input", file, "--key-column", "origin", "--rows", "10",
		"--topic", "shards", "--brokers", env.Brokers()[0], "--partitions", "3", "--run-id", "R")
	ended := time.Now().UnixMilli()
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	records := fetch(t, env, "shards", 2104)
	if len(records) != 2104 {
		t.Fatalf("%d records, want 2104", len(records))
	}

	byKey := map[string][]*kgo.Record{}
	murmur2 := kgo.StickyKeyPartitioner(nil).ForTopic("shards")
	partitions := map[int32]bool{}
	for _, rec := range records {
		byKey[string(rec.Key)] = append(byKey[string(rec.Key)], rec)
		partitions[rec.Partition] = true
		if want := murmur2.Partition(rec, 3); int(rec.Partition) != want {
			t.Errorf("key %s is in partition %d, want %d as Java has it", rec.Key, rec.Partition, want)
		}
		if at := rec.Timestamp.UnixMilli(); at < began || at > ended {
			t.Errorf("key %s has time %d, want that of sending, %d to %d", rec.Key, at, began, ended)
		}
	}
	if len(partitions) != 3 {
		t.Errorf("%d partitions are in use, want 3", len(partitions))
	}

	decoder := arrow.NewDecoder(arrow.Limits{})
	for sh, err := range demo.Shards(10) {
		if err != nil {
			t.Fatal(err)
		}
		rec := byKey[sh.Key][sh.N-1]
		if got := headersOf(rec); got != fmt.Sprintf("content-type=application/vnd.apache.arrow.stream credence-shard=R/%d", sh.N) {
			t.Fatalf("headers of %s are %s", sh.Key, got)
		}
		batch, err := decoder.Decode(rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := showBatch(batch), showBatch(sh.Batch); got != want {
			t.Fatalf("shard %d of %s is\n%s, want\n%s", sh.N, sh.Key, got, want)
		}
	}
}

func headersOf(r *kgo.Record) string {
	var all []string
	for _, h := range r.Headers {
		all = append(all, h.Key+"="+string(h.Value))
	}
	return strings.Join(all, " ")
}

func showBatch(b *cdf.Batch) string {
	s := fmt.Sprint(b.Rows)
	for _, c := range b.Columns {
		s += fmt.Sprintf(" %s %d %v %v %v %v", c.Name, c.Type, c.Number, c.Int, c.Code, c.Levels)
	}
	return s
}

// TestReplayThroughAnOutage kills the broker before the first shard is sent.
func TestReplayThroughAnOutage(t *testing.T) {
	env := startKafka(t)
	if err := env.KillKafka(); err != nil {
		t.Fatal(err)
	}
	stderr := make(chan string, 100)
	p := Program{names: cli.Apart(), Program: cli.Program{Stdout: new(bytes.Buffer), Stderr: tee(stderr)}, dial: dial, encode: encode}
	code := make(chan int)
	file := clitest.WriteFile(t, "in.csv", []byte(sample))
	go func() {
		code <- p.Run(t.Context(), []string{"replay", "--input", file, "--rows", "2", "--key-column", "g",
			"--topic", "shards", "--brokers", env.Brokers()[0]})
	}()
	if line := <-stderr; !strings.Contains(line, "waiting for "+env.Brokers()[0]) {
		t.Errorf("the program says %q while the broker is away", line)
	}
	if err := env.StartKafka(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != 0 {
		t.Fatalf("exit %d", got)
	}
	if got := len(fetch(t, env, "shards", 5)); got != 5 {
		t.Errorf("%d records, want 5", got)
	}
}

// tee passes on what is written, line by line.
type tee chan<- string

func (c tee) Write(b []byte) (int, error) {
	c <- string(b)
	return len(b), nil
}
