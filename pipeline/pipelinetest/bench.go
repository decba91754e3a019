// Package pipelinetest offers tests a broker in memory, a stream with every kind
// of record, and a worker that runs on both.
package pipelinetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/storetest"
)

var errLarge = errors.New("too large to be unpacked")

// errAway is what a broker that is away answers.
var errAway = errors.New("kafka is away")

// Kafka is a broker with one partition in memory.
type Kafka struct {
	ID      int32 // of the partition
	Count   int   // of the partitions that the topic is said to have, 0: one
	mu      sync.Mutex
	Log     []pipeline.Record
	Start   int64
	Limit   int    // of a value in bytes, 0: none; a larger one is refused unread
	Topic   string // its id
	Open    int64  // records at the end that belong to an open transaction
	Sent    []pipeline.Output
	Offered int                     // outputs that were to be sent, also in vain
	Gone    func(offset int64) bool // compacted; nil: nothing
	Away    bool
	Refuse  *pipeline.RefusedError
	Refuses func(*pipeline.Output) bool // nil: all of them
	Takes   time.Duration               // of the bubble's clock, to decode a record
	Hang    bool                        // fetches never answer
	Idle    bool                        // there are more members than partitions
	Commits []int64
	Noted   pipeline.Note // beside the group offset
	Group   int64         // the offset that the group has when a worker begins, 0: none
}

// Fetch implements pipeline.Log: at most 20 records a call.
func (k *Kafka) Fetch(ctx context.Context, _ pipeline.Partition, from int64, _ int) (pipeline.Fetched, error) {
	k.mu.Lock()
	away, hang, log, start, high, limit, gone := k.Away, k.Hang, k.Log, k.Start, int64(len(k.Log)), k.Limit, k.Gone
	end := high - k.Open
	k.mu.Unlock()
	switch {
	case hang:
		<-ctx.Done()
		return pipeline.Fetched{}, ctx.Err()
	case away:
		return pipeline.Fetched{}, errAway
	case from < start || from > end:
		return pipeline.Fetched{}, pipeline.ErrOutOfRange
	case from == end:
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return pipeline.Fetched{}, ctx.Err()
		}
	}
	got := pipeline.Fetched{Next: min(end, from+20), End: end, High: high}
	got.Records, got.Free = lent(log[from:got.Next])
	if gone != nil {
		got.Records = slices.DeleteFunc(got.Records, func(r pipeline.Record) bool {
			if gone(r.Offset) {
				got.Lack.Add(r.Offset, 1)
			}
			return gone(r.Offset)
		})
	}
	if limit > 0 {
		for i := range got.Records {
			if r := &got.Records[i]; len(r.Value) > limit {
				r.Key, r.Value, r.Refused = nil, nil, errLarge
			}
		}
	}
	return got, nil
}

// lent returns the records in memory that shows another record to who looks at it
// after it was given back.
func lent(records []pipeline.Record) (_ []pipeline.Record, free func()) {
	var all [][]byte
	own := func(b []byte) []byte {
		b = bytes.Clone(b)
		all = append(all, b)
		return b
	}
	records = slices.Clone(records)
	for i := range records {
		r := &records[i]
		r.Key, r.Value, r.Headers = own(r.Key), own(r.Value), slices.Clone(r.Headers)
		for j := range r.Headers {
			r.Headers[j].Value = own(r.Headers[j].Value)
		}
	}
	return records, func() {
		for _, b := range all {
			copy(b, bytes.Repeat([]byte("#"), len(b)))
		}
	}
}

// Follow implements pipeline.Log.
func (k *Kafka) Follow(ctx context.Context, p pipeline.Partition, at pipeline.Position, maxBytes int, _ *pipeline.Room) (pipeline.Fetched, error) {
	k.mu.Lock()
	topic := k.Topic
	k.mu.Unlock()
	if at.Topic != topic {
		return pipeline.Fetched{}, pipeline.ErrAnotherLog
	}
	return k.Fetch(ctx, p, at.Offset, maxBytes)
}

// Identity implements pipeline.Log.
func (k *Kafka) Identity(context.Context, pipeline.Partition, pipeline.LeaderEpoch) (pipeline.Identity, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Away {
		return pipeline.Identity{}, errAway
	}
	return pipeline.Identity{Topic: k.Topic, EpochEnd: int64(len(k.Log))}, nil
}

// Bounds implements pipeline.Log.
func (k *Kafka) Bounds(context.Context, pipeline.Partition) (int64, int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Away {
		return 0, 0, errAway
	}
	return k.Start, int64(len(k.Log)) - k.Open, nil
}

// Partitions implements pipeline.Log.
func (k *Kafka) Partitions(context.Context, string) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Away {
		return 0, errAway
	}
	return max(1, k.Count), nil
}

// Publish implements pipeline.Publisher.
func (k *Kafka) Publish(_ context.Context, outputs []pipeline.Output) ([]pipeline.Output, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Offered += len(outputs)
	if k.Away {
		return outputs, errAway
	}
	for i := range outputs {
		if k.Refuse != nil && (k.Refuses == nil || k.Refuses(&outputs[i])) {
			return outputs[i:], k.Refuse
		}
		o := outputs[i]
		o.Value = bytes.Clone(o.Value)
		k.Sent = append(k.Sent, o)
	}
	return nil, nil
}

// Run is the group: it hands out the one partition.
func (k *Kafka) Run(ctx context.Context, member func(string, int), work func(context.Context, pipeline.Assignment)) error {
	if k.Idle {
		member("m", 0)
		<-ctx.Done()
		return ctx.Err()
	}
	member("m", 1)
	work(ctx, pipeline.Assignment{Partition: pipeline.Partition{Topic: "in", ID: k.ID}, Generation: 1, Member: "m", Committed: cmp.Or(k.Group, -1),
		Commit: func(_ context.Context, at pipeline.GroupOffset) error {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.Commits = append(k.Commits, at.Offset)
			k.Noted.Rescaled = cmp.Or(k.Noted.Rescaled, at.Rescaled)
			return nil
		}})
	return ctx.Err()
}

// Expel implements pipeline.Group: there is nobody else.
func (k *Kafka) Expel(context.Context, string) error { return nil }

// Reach implements pipeline.Group.
func (k *Kafka) Reach(context.Context) error { return nil }

// Members implements pipeline.Group.
func (k *Kafka) Members(context.Context) (map[string]string, error) { return nil, nil }

// Note implements pipeline.Group.
func (k *Kafka) Note(context.Context, pipeline.Partition) (pipeline.Note, error) { return k.Noted, nil }

// Set changes the broker while a worker may be using it.
func (k *Kafka) Set(f func(*Kafka)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(k)
}

// Bench is a worker on fakes.
type Bench struct {
	*pipeline.Worker
	Kafka *Kafka
	Store *storetest.Memory
	Reg   *prometheus.Registry
	End   func() error // stops the worker and waits for it
}

// Start starts a worker on a log with the rules of Rules.
func Start(t *testing.T, log []pipeline.Record) *Bench { return StartOn(t, &Kafka{Log: log}) }

// StartOn is Start on a broker.
func StartOn(t *testing.T, k *Kafka) *Bench {
	t.Helper()
	return StartWith(t, k, storetest.NewMemory(), Rules(t))
}

// StartWith is StartOn with a store and rules.
func StartWith(t *testing.T, k *Kafka, store *storetest.Memory, rules *pipeline.Rules) *Bench {
	t.Helper()
	return StartLogging(t, k, store, rules, slog.DiscardHandler)
}

// StartLogging is StartWith with a log handler.
func StartLogging(t *testing.T, k *Kafka, store *storetest.Memory, rules *pipeline.Rules, log slog.Handler) *Bench {
	t.Helper()
	return StartObserved(t, k, store, rules, nil, log)
}

// StartObserved is StartLogging with an observer.
func StartObserved(t *testing.T, k *Kafka, store *storetest.Memory, rules *pipeline.Rules, o pipeline.Observer, log slog.Handler) *Bench {
	t.Helper()
	return start(t, k, store, rules, o, pipeline.Traces{}, log)
}

// StartTraced is StartOn with traces.
func StartTraced(t *testing.T, k *Kafka, traces pipeline.Traces) *Bench {
	t.Helper()
	return start(t, k, storetest.NewMemory(), Rules(t), nil, traces, slog.DiscardHandler)
}

// Options are those of a worker on fakes, which logs nothing.
func Options(k *Kafka, store pipeline.Store, rules *pipeline.Rules) pipeline.Options {
	return pipeline.Options{
		Topic: "in", Group: k, Log: k, Publisher: k, Store: store, Rules: rules,
		Interval: time.Second, MinPause: 5 * time.Millisecond, Records: 100, Bytes: 1 << 20, Inflight: 1 << 24, Cache: 1 << 24,
		Heartbeat: 500 * time.Millisecond, Flush: 10 * time.Second, Lanes: 2,
		NewDecoder: func() pipeline.Decoder { return &Decoder{Takes: k.Takes} }, NewOutputs: func() pipeline.Outputs { return Outputs{} },
		Metrics: pipeline.NewMetrics(prometheus.NewRegistry(), "test"), Logger: slog.New(slog.DiscardHandler),
	}
}

func start(t *testing.T, k *Kafka, store *storetest.Memory, rules *pipeline.Rules, o pipeline.Observer, traces pipeline.Traces, log slog.Handler) *Bench {
	t.Helper()
	b := &Bench{Kafka: k, Store: store, Reg: prometheus.NewRegistry()}
	opt := Options(k, store, rules)
	opt.Observer, opt.Traces, opt.Metrics, opt.Logger = o, traces, pipeline.NewMetrics(b.Reg, "test"), slog.New(log)
	w, err := pipeline.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	b.Worker = w
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	b.End = func() error { cancel(); return <-done }
	return b
}

// CatchUp waits until the log is worked off; an error ends the test.
func (b *Bench) CatchUp(t *testing.T) {
	t.Helper()
	if err := b.UntilEnd(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Stop is End, whose error ends the test, and after which nothing may be held.
func (b *Bench) Stop(t *testing.T) {
	t.Helper()
	if err := b.End(); err != nil {
		t.Fatal(err)
	}
	if n := b.Held(t); n != 0 {
		t.Errorf("%g bytes of the budget are held after the end", n)
	}
}

// Held returns the bytes that are taken of the budget.
func (b *Bench) Held(t *testing.T) float64 {
	t.Helper()
	families, err := b.Reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "credence_inflight_bytes" {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatal("no gauge of the bytes held")
	return 0
}

// ReadyWithin waits, in the time of synctest, until the worker is ready or not
// as wanted, and returns the reason that it gives.
func (b *Bench) ReadyWithin(t *testing.T, d time.Duration, want bool) string {
	t.Helper()
	for end := time.Now().Add(d); ; {
		synctest.Wait()
		ok, why := b.Ready()
		if ok == want {
			return why
		}
		if time.Now().After(end) {
			t.Fatalf("ready is %v (%s) after %v, want %v", ok, why, d, want)
		}
		<-time.After(100 * time.Millisecond) // of the bubble's clock
	}
}
