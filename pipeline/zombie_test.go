package pipeline_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// TestZombieIsSilent: a worker whose partition was claimed by another one looks
// before it publishes what it has, publishes nothing, and does not claim before it
// could have heard that its generation is over.
func TestZombieIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(7, 400)
		b := pipelinetest.StartOn(t, &pipelinetest.Kafka{Log: log[:200], Takes: 20 * time.Millisecond})
		b.CatchUp(t)
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log[:250] })
		<-time.After(400 * time.Millisecond) // so that some records are applied, and the lanes have half a second's work
		if _, err := b.Store.Claim(t.Context(), pipeline.Lease{Partition: pipeline.Partition{Topic: "in"}, Token: "another"}); err != nil {
			t.Fatal(err)
		}
		before := 0
		b.Kafka.Set(func(k *pipelinetest.Kafka) { before = len(k.Sent) })
		claims := metric(t, b.Reg, "credence_claims_total")
		fenced := func() bool { return metric(t, b.Reg, "credence_checkpoint_fenced_total") > 0 }
		for range 5000 {
			if fenced() {
				break
			}
			<-time.After(time.Millisecond)
		}
		if !fenced() {
			t.Fatal("the worker did not notice the other claim within 5 s")
		}
		<-time.After(900 * time.Millisecond) // of two heartbeats, a second
		b.Kafka.Set(func(k *pipelinetest.Kafka) {
			if n := len(k.Sent) - before; n > 0 {
				t.Errorf("%d outputs of a worker that does not own the partition", n)
			}
		})
		if n := metric(t, b.Reg, "credence_claims_total") - claims; n != 0 {
			t.Errorf("%g claims while the group may not have told it yet", n)
		}
		b.CatchUp(t)
		b.Stop(t)
	})
}

// slow takes its time to publish, whatever its context says, and its group ends the
// assignment meanwhile.
type slow struct {
	*pipelinetest.Kafka
	publishing bool
	early      bool // the work had returned before
}

func (s *slow) Publish(_ context.Context, outputs []pipeline.Output) ([]pipeline.Output, error) {
	s.publishing = true
	<-time.After(20 * time.Second)
	s.publishing = false
	return s.Kafka.Publish(context.Background(), outputs)
}

func (s *slow) Run(ctx context.Context, member func(string, int), work func(context.Context, pipeline.Assignment)) error {
	member("m", 1)
	assigned, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	work(assigned, pipeline.Assignment{Partition: pipeline.Partition{Topic: "in"}, Committed: -1,
		Commit: func(context.Context, pipeline.GroupOffset) error { return nil }})
	s.early = s.publishing
	<-ctx.Done()
	return ctx.Err()
}

// TestRevokedWorkIsAwaited: the group may hand a partition on only when nothing of
// the assignment is on its way any more.
func TestRevokedWorkIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Kafka: &pipelinetest.Kafka{Log: pipelinetest.Records(7, 50)}}
		w, err := pipeline.New(pipeline.Options{
			Topic: "in", Group: s, Log: s, Publisher: s, Store: storetest.NewMemory(), Rules: pipelinetest.Rules(t),
			Interval: time.Second, Records: 100, Bytes: 1 << 20, Inflight: 1 << 24, Cache: 1 << 24,
			Heartbeat: 500 * time.Millisecond, Flush: 10 * time.Second, Lanes: 2,
			NewDecoder: func() pipeline.Decoder { return &pipelinetest.Decoder{} }, NewOutputs: func() pipeline.Outputs { return pipelinetest.Outputs{} },
			Metrics: pipeline.NewMetrics(prometheus.NewRegistry(), "test"), Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if s.early {
			t.Error("the work returned while it was publishing")
		}
	})
}
