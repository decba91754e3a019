//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/testenv"
)

const (
	input      = "bench"
	partitions = 4
	keys       = 1000
)

// rig is what the end-to-end runs share.
type rig struct {
	env     *testenv.Env
	client  *kafka.Client
	log     *kafka.Log
	binary  string
	dir     string
	records int
	ends    [partitions]int64
}

// endToEnd measures consumer run against a loop that only fetches and
// decodes, and with checkpoints against without.
func endToEnd(ctx context.Context, b testenv.Backend, records int) (items []item, err error) {
	dir, err := os.MkdirTemp("", "credence-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env, err := testenv.Start(ctx, b, testenv.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	r := &rig{env: env, dir: dir, binary: filepath.Join(dir, "consumer"), records: records}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", r.binary, "./cmd/consumer").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the consumer: %w\n%s", err, out)
	}
	if r.client, err = kafka.New(kafka.Options{Brokers: env.Brokers()}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.client.Close()) }()
	if r.log, err = kafka.NewLog(r.client, 32<<20); err != nil {
		return nil, err
	}
	if err := r.produce(ctx); err != nil {
		return nil, fmt.Errorf("produce: %w", err)
	}
	how := fmt.Sprintf("linear, p = %d, n = %d, %d keys, %d partitions, %d records, %s servers on the same cores", columns, rows, keys, partitions, records, b)
	rates := map[string]float64{}
	for _, run := range []struct {
		name string
		do   func(context.Context) (float64, error)
	}{
		{"warm", r.bare},
		{"bare", r.bare},
		{"every second", func(ctx context.Context) (float64, error) {
			return r.consume(ctx, "a", "{interval: 1s, records: 1000000, bytes: 1GiB}")
		}},
		{"defaults", func(ctx context.Context) (float64, error) { return r.consume(ctx, "b", "{}") }},
		{"never", func(ctx context.Context) (float64, error) {
			return r.consume(ctx, "c", "{interval: 1h, records: 1000000000, bytes: 4GiB}")
		}},
		{"bare again", r.bare},
		{"libraries", r.libraries},
	} {
		if rates[run.name], err = run.do(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", run.name, err)
		}
		fmt.Fprintf(os.Stderr, "%-14s %8.0f records/s\n", run.name, rates[run.name])
	}
	bare := (rates["bare"] + rates["bare again"]) / 2
	return []item{
		{"consumer run against a bare loop of kafka-go's Client.Fetch and arrow's ipc.Reader", rates["defaults"], rates["libraries"], rates["defaults"] / rates["libraries"], "records/s", how},
		{"same, checkpoints every second only", rates["every second"], rates["libraries"], rates["every second"] / rates["libraries"], "records/s", "same"},
		{"consumer run against a bare loop of our own fetch and decoder", rates["defaults"], bare, rates["defaults"] / bare, "records/s", "same"},
		{"same, checkpoints every second only", rates["every second"], bare, rates["every second"] / bare, "records/s", "same"},
		{"checkpoints every second against never", rates["every second"], rates["never"], rates["every second"] / rates["never"], "records/s", "same"},
	}, nil
}

// produce fills the topic.
func (r *rig) produce(ctx context.Context) error {
	topic := kafka.InputTopic(input, partitions, 32<<20)
	if err := r.client.Create(ctx, topic); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([][]byte, 200)
	for i := range values {
		var err error
		if values[i], err = arrow.Encode(shard(rng)); err != nil {
			return err
		}
	}
	p := kafka.NewProducer(r.client, kafka.ProducerOptions{})
	err := p.Run(ctx, func(_ context.Context, send func(pipeline.Output) error) error {
		for i := range r.records {
			key := "key-" + strconv.Itoa(rng.IntN(keys))
			if err := send(pipeline.Output{Topic: input, Key: []byte(key), Value: values[i%len(values)], Time: time.Now().UnixMilli()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for p := range r.ends {
		if _, r.ends[p], err = r.log.Bounds(ctx, pipeline.Partition{Topic: input, ID: int32(p)}); err != nil {
			return err
		}
	}
	return nil
}

// bare fetches and decodes every record and does nothing else.
func (r *rig) bare(ctx context.Context) (float64, error) {
	start := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for p := range r.ends {
		g.Go(func() error {
			d := arrow.NewDecoder(arrow.Limits{Record: 32 << 20, Rows: 1_000_000, Columns: 5000})
			for at := int64(0); at < r.ends[p]; {
				got, err := r.log.Fetch(ctx, pipeline.Partition{Topic: input, ID: int32(p)}, at, 4<<20)
				if err != nil {
					return err
				}
				for i := range got.Records {
					if _, err := d.Decode(got.Records[i].Value); err != nil {
						return err
					}
				}
				at = got.Next
			}
			return nil
		})
	}
	err := g.Wait()
	return float64(r.records) / time.Since(start).Seconds(), err
}

// consume runs the program over the topic in a group of its own. The rate is
// taken from the first record given to a lane to the last: joining a group is
// not what is measured.
func (r *rig) consume(ctx context.Context, group, checkpoint string) (rate float64, err error) {
	listen, err := freePort(ctx)
	if err != nil {
		return 0, err
	}
	config := filepath.Join(r.dir, group+".yaml")
	text := fmt.Sprintf(`kafka: {brokers: [%q], group: %s, input: %s, output: %s-out, dead_letters: %s-dead}
redis: {url: %q}
checkpoint: %s
memory: {inflight: 8GiB}
http: {listen: %q}
models: [{match: "**", kind: linear}]
`, r.env.Brokers()[0], group, input, group, group, r.env.RedisURL(), checkpoint, listen)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, r.binary, "run", "--config", config)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for start, first := (time.Time{}), 0.0; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		n, err := consumed(ctx, listen)
		switch {
		case err != nil || n == 0: // not up yet
		case start.IsZero():
			start, first = time.Now(), n
		case n >= float64(r.records):
			return (n - first) / time.Since(start).Seconds(), nil
		}
	}
}

func freePort(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// consumed asks the program how many records its lanes were given.
func consumed(ctx context.Context, listen string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listen+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	sum := 0.0
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "credence_records_consumed_total{") {
			v, err := strconv.ParseFloat(lines.Text()[strings.LastIndexByte(lines.Text(), ' ')+1:], 64)
			if err != nil {
				return 0, err
			}
			sum += v
		}
	}
	return sum, lines.Err()
}
