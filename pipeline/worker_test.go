package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// kafka is a broker with one partition in memory.
type kafka struct {
	mu      sync.Mutex
	log     []pipeline.Record
	start   int64
	sent    []pipeline.Output
	away    bool
	refuse  *pipeline.RefusedError
	hang    bool // fetches never answer
	idle    bool // there are more members than partitions
	commits []int64
}

var errAway = errors.New("connection refused")

func (k *kafka) Fetch(ctx context.Context, _ pipeline.Partition, from int64, _ int) (pipeline.Fetched, error) {
	k.mu.Lock()
	away, hang, log, start := k.away, k.hang, k.log, k.start
	k.mu.Unlock()
	end := int64(len(log))
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
	return pipeline.Fetched{Records: log[from:min(end, from+20)], Next: min(end, from+20), End: end}, nil
}

func (k *kafka) Bounds(context.Context, pipeline.Partition) (int64, int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.away {
		return 0, 0, errAway
	}
	return k.start, int64(len(k.log)), nil
}

func (k *kafka) Partitions(context.Context, string) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.away {
		return 0, errAway
	}
	return 1, nil
}

func (k *kafka) Publish(_ context.Context, outputs []pipeline.Output) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.away:
		return errAway
	case k.refuse != nil:
		return k.refuse
	}
	k.sent = append(k.sent, outputs...)
	return nil
}

// Run is the group: it hands out the one partition.
func (k *kafka) Run(ctx context.Context, member func(int), work func(context.Context, pipeline.Assignment)) error {
	if k.idle {
		member(0)
		<-ctx.Done()
		return ctx.Err()
	}
	member(1)
	work(ctx, pipeline.Assignment{Partition: pipeline.Partition{Topic: "in"}, Generation: 1, Member: "m", Committed: -1,
		Commit: func(_ context.Context, offset int64) error {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.commits = append(k.commits, offset)
			return nil
		}})
	return ctx.Err()
}

func (k *kafka) set(f func(*kafka)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(k)
}

// bench is a worker on fakes.
type bench struct {
	*pipeline.Worker
	kafka *kafka
	store *storetest.Memory
	reg   *prometheus.Registry
	end   func() error // stops the worker and waits for it
}

func startWorker(t *testing.T, log []pipeline.Record) *bench { return startOn(t, &kafka{log: log}) }

func startOn(t *testing.T, k *kafka) *bench {
	t.Helper()
	return startWith(t, k, storetest.NewMemory(), simRules(t))
}

func startWith(t *testing.T, k *kafka, store *storetest.Memory, rules *pipeline.Rules) *bench {
	t.Helper()
	return startLogging(t, k, store, rules, slog.DiscardHandler)
}

func startLogging(t *testing.T, k *kafka, store *storetest.Memory, rules *pipeline.Rules, log slog.Handler) *bench {
	t.Helper()
	return startObserved(t, k, store, rules, nil, log)
}

func startObserved(t *testing.T, k *kafka, store *storetest.Memory, rules *pipeline.Rules, o pipeline.Observer, log slog.Handler) *bench {
	t.Helper()
	b := &bench{kafka: k, store: store, reg: prometheus.NewRegistry()}
	w, err := pipeline.New(pipeline.Options{
		Topic: "in", Group: b.kafka, Log: b.kafka, Publisher: b.kafka, Store: b.store, Rules: rules,
		Interval: time.Second, Records: 100, Bytes: 1 << 20, Inflight: 1 << 24, Cache: 1 << 24,
		Heartbeat: 500 * time.Millisecond, Flush: 10 * time.Second, Lanes: 2,
		NewDecoder: func() pipeline.Decoder { return &simDecoder{} }, NewOutputs: func() pipeline.Outputs { return simOutputs{} },
		Observer: o, Metrics: pipeline.NewMetrics(b.reg, "test"), Logger: slog.New(log),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Worker = w
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	b.end = func() error { cancel(); return <-done }
	return b
}

func (b *bench) readyWithin(t *testing.T, d time.Duration, want bool) string {
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

func TestWorkerFoldsTheLogAndSavesAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := simLog(7, 400)
		b := startWorker(t, log)
		if err := b.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.readyWithin(t, time.Second, true)
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
		wantStates, _ := undisturbed(t, log)
		keys, err := b.store.Keys(t.Context(), pipeline.Partition{Topic: "in"}, "", "", 100)
		if err != nil || len(keys) != len(wantStates) {
			t.Fatalf("%d keys and error %v, want %d keys", len(keys), err, len(wantStates))
		}
		for _, key := range keys {
			if v, _ := b.store.Get(t.Context(), pipeline.Partition{Topic: "in"}, key); string(v) != wantStates[key] {
				t.Errorf("the state of %s is not that of the rules alone", key)
			}
		}
		if n := len(b.kafka.commits); n == 0 || b.kafka.commits[n-1] != int64(len(log)) {
			t.Errorf("group offsets %v, want the end of the log last", b.kafka.commits)
		}
		if held := metric(t, b.reg, "credence_inflight_bytes"); held != 0 {
			t.Errorf("%g bytes of records and outputs are held at the end, want 0", held)
		}
	})
}

// metric is the sum of a metric over its labels.
func metric(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			sum += m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return sum
}

func TestOutagesAreWaitedOut(t *testing.T) {
	for _, c := range []struct {
		name string
		cut  func(*bench, bool)
	}{
		{"kafka", func(b *bench, away bool) { b.kafka.set(func(k *kafka) { k.away = away }) }},
		{"redis", func(b *bench, away bool) {
			b.store.Inject(func(storetest.Call) storetest.Fault {
				if away {
					return storetest.Before
				}
				return storetest.None
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := simLog(3, 300)
				b := startWorker(t, log[:100])
				if err := b.UntilEnd(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.cut(b, true)
				b.readyWithin(t, 10*time.Second, false)
				b.kafka.set(func(k *kafka) { k.log = log })
				<-time.After(30 * time.Second)
				c.cut(b, false)
				b.readyWithin(t, 10*time.Second, true)
				if err := b.UntilEnd(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := b.end(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestRefusedOutputHaltsThePartitionAndItGoesOnWhenCured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startWorker(t, simLog(3, 50))
		b.kafka.set(func(k *kafka) {
			k.refuse = &pipeline.RefusedError{Topic: "out", Limit: "max.message.bytes", Remedy: "raise it", Err: errors.New("MESSAGE_TOO_LARGE")}
		})
		why := b.readyWithin(t, 30*time.Second, false)
		for !strings.Contains(why, "max.message.bytes") {
			<-time.After(time.Second)
			_, why = b.Ready()
		}
		if err := b.UntilEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "raise it") {
			t.Errorf("waiting for the end: %v, want the halted partition and its remedy", err)
		}
		if n := metric(t, b.reg, "credence_partitions_halted"); n != 1 {
			t.Errorf("partitions_halted is %g, want 1", n)
		}
		b.kafka.set(func(k *kafka) { k.refuse = nil })
		b.readyWithin(t, 30*time.Second, true)
		if err := b.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := metric(t, b.reg, "credence_partitions_halted"); n != 0 {
			t.Errorf("partitions_halted is %g, want 0", n)
		}
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestIdleOwnerNoticesAStoreThatWentBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := simLog(5, 200)
		b := startWorker(t, log[:100])
		if err := b.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		old := b.store.Snapshot()
		b.kafka.set(func(k *kafka) { k.log = log })
		if err := b.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.store.Restore(old)
		<-time.After(10 * time.Second) // nothing arrives: only the look at an idle claim can notice
		if err := b.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := metric(t, b.reg, "credence_state_rollbacks_total"); n != 1 {
			t.Errorf("state_rollbacks_total is %g, want 1", n)
		}
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestStuckFetchIsCutOffAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := simLog(5, 60)
		b := startWorker(t, log[:30])
		if err := b.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.kafka.set(func(k *kafka) { k.hang = true })
		<-time.After(25 * time.Second)
		b.kafka.set(func(k *kafka) { k.hang, k.log = false, log })
		if err := b.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := metric(t, b.reg, "credence_stalls_total"); n < 1 {
			t.Error("a fetch that hung was not counted in stalls_total")
		}
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestMemberWithoutAPartitionIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startOn(t, &kafka{idle: true})
		b.readyWithin(t, time.Second, true)
		if err := b.end(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestUntilEndWaitsForTheDecisionAlsoWhereNothingIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := startWorker(t, simLog(5, 40))
		if err := first.UntilEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := first.end(); err != nil {
			t.Fatal(err)
		}
		other := simRulesOf(t, pipeline.Rule{Match: "k*", Spec: simSpec(t, cdf.Publish{Every: 1, Scale: "original", Variables: []string{"**"}})})
		second := startWith(t, first.kafka, first.store, other)
		if err := second.UntilEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "configuration") {
			t.Errorf("until the end: %v, want the halted partition", err)
		}
		if err := second.end(); err != nil {
			t.Fatal(err)
		}
	})
}
