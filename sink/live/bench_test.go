//go:build unix

package live_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/storetest"
	"github.com/credence-stream/credence/sink/live"
)

// topic is a log of one partition in memory, its group and what takes outputs.
type topic struct{ records []pipeline.Record }

func (l *topic) Fetch(ctx context.Context, _ pipeline.Partition, from int64, _ int) (pipeline.Fetched, error) {
	end := int64(len(l.records))
	if from == end {
		<-ctx.Done()
		return pipeline.Fetched{}, ctx.Err()
	}
	to := min(end, from+500)
	return pipeline.Fetched{Records: slices.Clone(l.records[from:to]), Next: to, End: end}, nil
}

func (l *topic) Follow(ctx context.Context, p pipeline.Partition, at pipeline.Position, maxBytes int, _ *pipeline.Room) (pipeline.Fetched, error) {
	return l.Fetch(ctx, p, at.Offset, maxBytes)
}

func (l *topic) Identity(context.Context, pipeline.Partition, pipeline.LeaderEpoch) (pipeline.Identity, error) {
	return pipeline.Identity{}, nil
}

func (l *topic) Bounds(context.Context, pipeline.Partition) (int64, int64, error) {
	return 0, int64(len(l.records)), nil
}

func (l *topic) Partitions(context.Context, string) (int, error) { return 1, nil }
func (l *topic) Publish(context.Context, []pipeline.Output) ([]pipeline.Output, error) {
	return nil, nil
}

func (l *topic) Run(ctx context.Context, member func(string, int), work func(context.Context, pipeline.Assignment)) error {
	member("m", 1)
	work(ctx, pipeline.Assignment{Partition: pipeline.Partition{Topic: "in"}, Generation: 1, Committed: -1,
		Commit: func(context.Context, pipeline.GroupOffset) error { return nil }})
	return ctx.Err()
}

func (l *topic) Expel(context.Context, string) error                { return nil }
func (l *topic) Reach(context.Context) error                        { return nil }
func (l *topic) Members(context.Context) (map[string]string, error) { return nil, nil }

func (l *topic) Note(context.Context, pipeline.Partition) (pipeline.Note, error) {
	return pipeline.Note{}, nil
}

// outputs encodes posteriors as Arrow.
type outputs struct{ *arrow.Encoder }

func (o outputs) Posterior(dst []pipeline.Output, _ *pipeline.Pages, p *pipeline.Posterior, _ *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	b, err := o.Append(nil, p, 0)
	return append(dst, pipeline.Output{Topic: "out", Key: r.Key, Value: b, Offset: r.Offset}), err
}

func (outputs) Predictions(*pipeline.Predictions, *pipeline.Record) ([]pipeline.Output, error) {
	return nil, nil
}
func (outputs) Alert(*pipeline.Alert, *pipeline.Record) (pipeline.Output, error) {
	return pipeline.Output{}, nil
}
func (outputs) Tombstone(pipeline.Partition, *pipeline.Record) pipeline.Output {
	return pipeline.Output{}
}
func (outputs) Dead(pipeline.Partition, *pipeline.Record, pipeline.Stage, string) pipeline.Output {
	return pipeline.Output{}
}

// processor returns the time that all cores spent on this process.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWorker folds a log of 6,000 shards of 500 keys, linear, p = 5,
// n = 100, without Kafka and Redis, with a feed and without. ratio is the
// throughput with it over that without, the two taking turns, by processor
// time: other work on the machine does not count.
func BenchmarkWorker(b *testing.B) {
	const shards, keys, rows, columns = 6_000, 500, 100, 5
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([][]byte, 50)
	for i := range values {
		batch := &cdf.Batch{Rows: rows}
		y := make([]float64, rows)
		for c := range columns {
			x := make([]float64, rows)
			for r := range x {
				x[r] = rng.NormFloat64()
				y[r] += x[r] + rng.NormFloat64()
			}
			batch.Columns = append(batch.Columns, cdf.Column{Name: fmt.Sprint("x", c), Number: x})
		}
		batch.Columns = append(batch.Columns, cdf.Column{Name: "y", Number: y})
		v, err := arrow.Encode(batch)
		if err != nil {
			b.Fatal(err)
		}
		values[i] = v
	}
	l := new(topic)
	for i := range int64(shards) {
		l.records = append(l.records, pipeline.Record{Offset: i, Time: 1e12, Key: fmt.Append(nil, "key-", rng.IntN(keys)), Value: values[i%50]})
	}
	k, _ := models.Lookup("linear")
	spec, err := k.Spec("", cdf.Roles{Intercept: true}, nil)
	if err != nil {
		b.Fatal(err)
	}
	spec.Draws, spec.Limits = 0, cdf.Limits{}
	rules, err := pipeline.NewRules([]pipeline.Rule{{Match: "**", Spec: spec}}, pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 100, Groups: 10, Summary: 1 << 20})
	if err != nil {
		b.Fatal(err)
	}
	run := func(o pipeline.Observer) time.Duration {
		w, err := pipeline.New(pipeline.Options{
			Topic: "in", Group: l, Log: l, Publisher: l, Store: storetest.NewMemory(), Rules: rules,
			Interval: time.Second, Records: 2000, Bytes: 4 << 20, Inflight: 256 << 20, Cache: 1 << 30,
			Heartbeat: time.Second, Flush: time.Second,
			NewDecoder: func() pipeline.Decoder {
				return arrow.NewDecoder(arrow.Limits{Record: 1 << 20, Rows: 1000, Columns: 100})
			},
			NewOutputs: func() pipeline.Outputs { return outputs{arrow.NewEncoder()} },
			Observer:   o, Metrics: pipeline.NewMetrics(prometheus.NewRegistry(), "bench"), Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		start := processor(b)
		go func() { done <- w.Run(ctx) }()
		if err := w.UntilEnd(ctx); err != nil {
			b.Fatal(err)
		}
		cancel()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		return processor(b) - start
	}
	run(nil)
	var with, without time.Duration
	for b.Loop() {
		without += run(nil)
		runtime.GC() // garbage of one is not to be paid by the other
		with += run(live.New(64 << 20))
		runtime.GC()
	}
	b.ReportMetric(float64(shards*b.N)/without.Seconds(), "shards/cpu-s")
	b.ReportMetric(without.Seconds()/with.Seconds(), "ratio")
}
