package pipeline_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// many hands out all partitions of a topic at once, of which the first alone has records.
type many struct {
	*pipelinetest.Kafka
	n int
}

func (m many) Partitions(context.Context, string) (int, error) { return m.n, nil }

func (m many) Bounds(ctx context.Context, p pipeline.Partition) (int64, int64, error) {
	if p.ID > 0 {
		return 0, 0, nil
	}
	return m.Kafka.Bounds(ctx, p)
}

func (m many) Follow(ctx context.Context, p pipeline.Partition, at pipeline.Position, most int, r *pipeline.Room) (pipeline.Fetched, error) {
	if p.ID == 0 {
		return m.Kafka.Follow(ctx, p, at, most, r)
	}
	select {
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
	}
	return pipeline.Fetched{Next: at.Offset, End: at.Offset, High: at.Offset}, ctx.Err()
}

func (m many) Run(ctx context.Context, member func(string, int), work func(context.Context, pipeline.Assignment)) error {
	member("m", m.n)
	var all sync.WaitGroup
	for id := range int32(m.n) {
		all.Go(func() {
			work(ctx, pipeline.Assignment{Partition: pipeline.Partition{Topic: "in", ID: id}, Generation: 1, Member: "m", Committed: -1,
				Commit: func(context.Context, pipeline.GroupOffset) error { return nil }})
		})
	}
	all.Wait()
	return ctx.Err()
}

// queueStore has a number of connections, on each of which a call takes its time.
type queueStore struct {
	*storetest.Memory
	connections chan struct{}
	takes       time.Duration
}

func (s *queueStore) call(ctx context.Context) error {
	select {
	case s.connections <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.connections }()
	select {
	case <-time.After(s.takes):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *queueStore) Layout(ctx context.Context, topic string) (pipeline.Layout, error) {
	if err := s.call(ctx); err != nil {
		return pipeline.Layout{}, err
	}
	return s.Memory.Layout(ctx, topic)
}

func (s *queueStore) Claim(ctx context.Context, l pipeline.Lease) (pipeline.Meta, error) {
	if err := s.call(ctx); err != nil {
		return pipeline.Meta{}, err
	}
	return s.Memory.Claim(ctx, l)
}

func (s *queueStore) Load(ctx context.Context, l pipeline.Lease, watermarks []int64, keys []string, most int64) ([]pipeline.Stored, error) {
	if err := s.call(ctx); err != nil {
		return nil, err
	}
	return s.Memory.Load(ctx, l, watermarks, keys, most)
}

func (s *queueStore) Save(ctx context.Context, l pipeline.Lease, c pipeline.Checkpoint) error {
	if err := s.call(ctx); err != nil {
		return err
	}
	return s.Memory.Save(ctx, l, c)
}

// TestManyPartitionsOfASlowStore: a process that is given more partitions than a slow store can have claimed
// within the limit of a claim has them claimed nevertheless, by and by.
func TestManyPartitionsOfASlowStore(t *testing.T) {
	testCrowd(t, many{&pipelinetest.Kafka{}, 300}, time.Second, 10*time.Second, 198*time.Second)
}

// TestIdlePartitionsLeaveTheStoreToOthers: idle partitions look every second whether their claims hold. Where
// the store is slow, these looks do not have a partition wait that has work.
func TestIdlePartitionsLeaveTheStoreToOthers(t *testing.T) {
	testCrowd(t, many{&pipelinetest.Kafka{Log: pipelinetest.Records(5, 2000)}, 200}, 200*time.Millisecond, time.Second, 90*time.Second)
}

// testCrowd fails unless all partitions have begun and have applied what there is within a time, by a store of ten
// connections on which a call takes its time.
func testCrowd(t *testing.T, k many, takes, interval, within time.Duration) {
	t.Helper()
	rules := pipelinetest.Rules(t)
	synctest.Test(t, func(t *testing.T) {
		store := &queueStore{storetest.NewMemory(), make(chan struct{}, 10), takes}
		opt := pipelinetest.Options(k.Kafka, store, rules)
		opt.Group, opt.Log, opt.Interval = k, k, interval
		took, end, err := untilEnd(t, opt, 20*time.Minute)
		begin, first := 0, int64(0)
		for id := range int32(k.n) {
			m, merr := store.Meta(t.Context(), pipeline.Partition{Topic: "in", ID: id})
			if merr == nil && m.Exists {
				begin++
			}
			if id == 0 {
				first = m.Watermark
			}
		}
		t.Logf("after %v %d of %d partitions have begun, and the first is at offset %d of %d", took, begin, k.n, first, len(k.Log))
		if err != nil || took > within {
			t.Errorf("error %v, want it within %v", err, within)
		}
		end()
	})
}

// farStore takes as long for each call of a claim, and counts those that ask for all partitions.
type farStore struct {
	queueStore
	begun atomic.Int64
}

func (s *farStore) Begun(ctx context.Context, topic string, partitions int) (int, error) {
	s.begun.Add(1)
	for range partitions {
		if err := s.call(ctx); err != nil {
			return 0, err
		}
	}
	return s.Memory.Begun(ctx, topic, partitions)
}

func (s *farStore) Pin(ctx context.Context, topic string, partitions int) (int, error) {
	if err := s.call(ctx); err != nil {
		return 0, err
	}
	return s.Memory.Pin(ctx, topic, partitions)
}

// TestClaimsOfAFarStore: a claim each of whose calls takes long comes to its end at the first attempt, one of a process asks
// for all partitions of a topic that has no count yet, and what is waited for is said.
func TestClaimsOfAFarStore(t *testing.T) {
	const n, takes = 6, 9 * time.Second
	k := many{&pipelinetest.Kafka{Log: pipelinetest.Records(5, 20)}, n}
	rules := pipelinetest.Rules(t)
	synctest.Test(t, func(t *testing.T) {
		store := &farStore{queueStore: queueStore{storetest.NewMemory(), make(chan struct{}, 20), takes}}
		for _, want := range []struct {
			begun  int64
			within time.Duration
			says   string
		}{
			{1, (2 + n + 2 + 4 + 4) * takes, "waits for Redis, which is asked whether partitions have states, for "},
			{1, (1 + 4 + 4) * takes, "waits for Redis, which is asked for the claim, for "},
		} {
			opt := pipelinetest.Options(k.Kafka, store, rules)
			opt.Group, opt.Log, opt.Interval = k, k, time.Second
			reg := prometheus.NewRegistry()
			opt.Metrics = pipeline.NewMetrics(reg, "test")
			w, err := pipeline.New(opt)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- w.Run(ctx) }()
			begun, said, ready := time.Now(), "", false
			for !ready && time.Since(begun) < want.within {
				<-time.After(500 * time.Millisecond)
				var why string
				ready, why = w.Ready()
				said += why
			}
			if !ready || !strings.Contains(said, want.says) {
				t.Errorf("ready %v after %v, said %q: %.500s", ready, time.Since(begun), want.says, said)
			}
			t.Logf("ready after %v", time.Since(begun))
			if claims := metric(t, reg, "credence_claims_total"); claims != n || store.begun.Load() != want.begun {
				t.Errorf("%g claims of %d partitions, all of which were asked for %d times, want %d", claims, n, store.begun.Load(), want.begun)
			}
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestFirstCheckpointOfAFarStore: a partition that is revoked while it saves for the first time, at a store where that takes its
// time, is saved.
func TestFirstCheckpointOfAFarStore(t *testing.T) {
	k := many{&pipelinetest.Kafka{Log: pipelinetest.Records(5, 20), Takes: 3 * time.Second}, 1}
	rules := pipelinetest.Rules(t)
	synctest.Test(t, func(t *testing.T) {
		store := &farStore{queueStore: queueStore{storetest.NewMemory(), make(chan struct{}, 20), time.Second}}
		opt := pipelinetest.Options(k.Kafka, store, rules)
		opt.Group, opt.Log, opt.Interval, opt.Flush = k, k, 100*time.Millisecond, 10*time.Second
		w, err := pipeline.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		for ready := false; !ready; ready, _ = w.Ready() {
			<-time.After(100 * time.Millisecond)
		}
		<-time.After(1500 * time.Millisecond) // it has loaded what it needs, and publishes
		begun := time.Now()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		meta, err := store.Meta(t.Context(), pipeline.Partition{Topic: "in"})
		if took := time.Since(begun); err != nil || meta.Watermark < 1 || took < 3*time.Second || took > 10*time.Second {
			t.Errorf("watermark %d, error %v, ended after %v", meta.Watermark, err, took)
		}
	})
}
