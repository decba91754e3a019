//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/testenv"
)

const partitions = 4 // of a topic that does not say otherwise

// rig is what the runs through Kafka and Redis share.
type rig struct {
	env     *testenv.Env
	client  *kafka.Client
	log     *kafka.Log
	binary  string // of the consumer
	dir     string
	peers   *peers
	topics  map[string]*topic
	started int // consumers and jobs, each in a group of its own
}

// topic is a topic of linear's shards that was filled.
type topic struct {
	name    string
	n       int // rows of a shard
	keys    int
	records int
	ends    []int64 // of its partitions
}

func (t *topic) how(b testenv.Backend) string {
	return fmt.Sprintf("linear p=%d, n=%d, %d keys, %d partitions, %d records, %s servers on the same cores", columns, t.n, t.keys, len(t.ends), t.records, b)
}

// newRig starts servers and builds the consumer; the caller calls close.
func newRig(ctx context.Context, b testenv.Backend, dir string, p *peers) (*rig, error) {
	r := &rig{dir: dir, binary: filepath.Join(dir, "consumer"), peers: p, topics: map[string]*topic{}}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", r.binary, "./cmd/consumer").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the consumer: %w\n%s", err, out)
	}
	var err error
	if r.env, err = testenv.Start(ctx, b, testenv.Options{}); err != nil {
		return nil, err
	}
	if r.client, err = kafka.New(kafka.Options{Brokers: r.env.Brokers()}); err == nil {
		r.log, err = kafka.NewLog(r.client, 32<<20)
	}
	if err != nil {
		return nil, errors.Join(err, r.env.Close())
	}
	return r, nil
}

func (r *rig) close() error { return errors.Join(r.client.Close(), r.env.Close()) }

// create makes an empty input topic.
func (r *rig) create(ctx context.Context, name string, partitions int) error {
	return r.client.Create(ctx, kafka.InputTopic(name, partitions, 32<<20))
}

// produce fills a topic, once. Where there are as many keys as records each has
// one shard, else they are drawn at random.
func (r *rig) produce(ctx context.Context, n, keys, records int) (*topic, error) {
	return r.produceTo(ctx, partitions, n, keys, records)
}

func (r *rig) produceTo(ctx context.Context, partitions, n, keys, records int) (*topic, error) {
	t := &topic{name: fmt.Sprintf("bench-%d-%d-%d", partitions, n, keys), n: n, keys: keys, records: records, ends: make([]int64, partitions)}
	fresh := regression(n, columns).fresh()
	return r.fill(ctx, t, records, func(key int, send func(pipeline.Output) error) error {
		value, err := arrow.Encode(fresh())
		if err != nil {
			return err
		}
		return send(record(t.name, key, value))
	})
}

// fill makes a topic of so many shards, once; put sends one.
func (r *rig) fill(ctx context.Context, t *topic, shards int, put func(key int, send func(pipeline.Output) error) error) (*topic, error) {
	if filled := r.topics[t.name]; filled != nil {
		return filled, nil
	}
	if err := r.create(ctx, t.name, len(t.ends)); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	err := r.send(ctx, func(send func(pipeline.Output) error) error {
		for i := range shards {
			key := i
			if t.keys < shards {
				key = rng.IntN(t.keys)
			}
			if err := put(key, send); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for p := range t.ends {
		if _, t.ends[p], err = r.log.Bounds(ctx, pipeline.Partition{Topic: t.name, ID: int32(p)}); err != nil {
			return nil, err
		}
	}
	r.topics[t.name] = t
	return t, nil
}

// send runs a producer.
func (r *rig) send(ctx context.Context, each func(send func(pipeline.Output) error) error) error {
	p := kafka.NewProducer(r.client, kafka.ProducerOptions{})
	return p.Run(ctx, func(_ context.Context, send func(pipeline.Output) error) error { return each(send) })
}

func record(topic string, key int, value []byte) pipeline.Output {
	return pipeline.Output{Topic: topic, Key: []byte("key-" + strconv.Itoa(key)), Value: value, Time: time.Now().UnixMilli()}
}

// whole is a contestant that takes a whole topic per batch, in processor time
// and time per record.
type whole func(context.Context) (pace, error)

func (w whole) batch(ctx context.Context, _ time.Duration) (pace, error) { return w(ctx) }

// timed is the pace of reading a topic in this process.
func (t *topic) timed(read func() error) (pace, error) {
	cpu, start := processor(), time.Now()
	err := read()
	n := float64(t.records)
	return pace{(processor() - cpu).Seconds() / n, time.Since(start).Seconds() / n}, err
}

// file writes a file of the rig.
func (r *rig) file(name, text string) (string, error) {
	path := filepath.Join(r.dir, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}
