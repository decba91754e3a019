package pipeline_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// many hands out all partitions of a topic at once.
type many struct {
	*pipelinetest.Kafka
	n int
}

func (m many) Partitions(context.Context, string) (int, error) { return m.n, nil }

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

func (s *queueStore) Save(ctx context.Context, l pipeline.Lease, c pipeline.Checkpoint) error {
	if err := s.call(ctx); err != nil {
		return err
	}
	return s.Memory.Save(ctx, l, c)
}

// TestManyPartitionsOfASlowStore: a process that is given more partitions than a slow store can have claimed
// within the limit of a claim has them claimed nevertheless, by and by.
func TestManyPartitionsOfASlowStore(t *testing.T) {
	rules := pipelinetest.Rules(t)
	synctest.Test(t, func(t *testing.T) {
		k := many{&pipelinetest.Kafka{}, 300}
		store := &queueStore{storetest.NewMemory(), make(chan struct{}, 10), time.Second}
		opt := pipelinetest.Options(k.Kafka, store, rules)
		opt.Group, opt.Log, opt.Interval = k, k, 10*time.Second
		w, err := pipeline.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		waits, over := context.WithTimeout(ctx, 20*time.Minute)
		defer over()
		begun := time.Now()
		err = w.UntilEnd(waits)
		begin := 0
		for id := range int32(k.n) {
			if m, merr := store.Meta(t.Context(), pipeline.Partition{Topic: "in", ID: id}); merr == nil && m.Exists {
				begin++
			}
		}
		t.Logf("%d of %d partitions have begun after %v", begin, k.n, time.Since(begun))
		if err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
