package pipeline_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// restless hands out its partition again and again, now and then while something fails.
type restless struct {
	*pipelinetest.Kafka
	store *storetest.Memory
	times int
	after func(turn int) // when an assignment has ended
}

func (r *restless) Run(ctx context.Context, member func(string, int), work func(context.Context, pipeline.Assignment)) error {
	for turn := range r.times {
		member("m", 1)
		switch turn % 5 {
		case 1: // the store answers nothing
			r.store.Inject(func(storetest.Call) storetest.Fault { return storetest.Hang })
		case 2: // and then is away
			r.store.Inject(func(c storetest.Call) storetest.Fault {
				if c.Op == "save" {
					return storetest.Before
				}
				return storetest.None
			})
		case 3: // fetches are cut off
			r.Set(func(k *pipelinetest.Kafka) { k.Hang = true })
		}
		assigned, cancel := context.WithTimeout(ctx, time.Duration(50+10*turn%400)*time.Millisecond)
		work(assigned, pipeline.Assignment{Partition: pipeline.Partition{Topic: "in"}, Generation: int32(turn), Member: "m", Committed: -1,
			Commit: func(context.Context, pipeline.GroupOffset) error { return nil }})
		cancel()
		r.store.Inject(nil)
		r.Set(func(k *pipelinetest.Kafka) { k.Hang = false })
		member("m", -1)
		r.after(turn)
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestRebalancesLeaveNothing: after a thousand assignments, most of which end in the middle of
// something, as many goroutines are left as after the first, and no memory of the budget.
func TestRebalancesLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg, store := prometheus.NewRegistry(), storetest.NewMemory()
		r := &restless{Kafka: &pipelinetest.Kafka{Log: pipelinetest.Records(5, 400)}, store: store, times: 1000}
		first, done := 0, make(chan struct{})
		r.after = func(turn int) {
			if turn%7 != 0 && turn != r.times-1 { // sevens meet every trouble
				return
			}
			synctest.Wait()
			stacks := make([]byte, 1<<17)
			stacks = stacks[:runtime.Stack(stacks, true)]
			n := bytes.Count(stacks, []byte("synctest bubble")) // the runtime's own come and go
			if held := metric(t, reg, "credence_inflight_bytes"); held != 0 {
				t.Errorf("after %d assignments %g bytes are held", turn+1, held)
			}
			switch {
			case turn == 0:
				first = n
			case n > first:
				t.Errorf("after %d assignments there are %d goroutines, and there were %d:\n%s", turn+1, n, first, stacks)
				close(done)
				r.times = 0
			case turn == r.times-1:
				close(done)
			}
		}
		w, err := pipeline.New(pipeline.Options{
			Topic: "in", Group: r, Log: r, Publisher: r, Store: store, Rules: pipelinetest.Rules(t),
			Interval: time.Second, Records: 100, Bytes: 1 << 20, Inflight: 1 << 24, Cache: 1 << 24,
			Heartbeat: 500 * time.Millisecond, Flush: 2 * time.Second, Lanes: 2,
			NewDecoder: func() pipeline.Decoder { return &pipelinetest.Decoder{} }, NewOutputs: func() pipeline.Outputs { return pipelinetest.Outputs{} },
			Metrics: pipeline.NewMetrics(reg, "test"), Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		<-done
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestStopsInEveryState: whatever a worker is at when it is told to end, and whatever does not
// answer then, it has ended within the time to flush and a second.
func TestStopsInEveryState(t *testing.T) {
	hang := func(op string) func(storetest.Call) storetest.Fault {
		return func(c storetest.Call) storetest.Fault {
			if c.Op == op {
				return storetest.Hang
			}
			return storetest.None
		}
	}
	refuses := &pipeline.RefusedError{Topic: "out", Limit: "max.message.bytes", Remedy: "raise it", Err: ErrAway}
	for name, set := range map[string]func(*pipelinetest.Kafka, *storetest.Memory){
		"starting":                 func(k *pipelinetest.Kafka, _ *storetest.Memory) { k.Away = true },
		"asking for the partition": func(_ *pipelinetest.Kafka, s *storetest.Memory) { s.Inject(hang("pin")) },
		"claiming":                 func(_ *pipelinetest.Kafka, s *storetest.Memory) { s.Inject(hang("claim")) },
		"loading":                  func(_ *pipelinetest.Kafka, s *storetest.Memory) { s.Inject(hang("load")) },
		"saving":                   func(_ *pipelinetest.Kafka, s *storetest.Memory) { s.Inject(hang("save")) },
		"store away": func(_ *pipelinetest.Kafka, s *storetest.Memory) {
			s.Inject(func(storetest.Call) storetest.Fault { return storetest.Before })
		},
		"fetching": func(k *pipelinetest.Kafka, _ *storetest.Memory) { k.Hang = true },
		"rescaling": func(_ *pipelinetest.Kafka, s *storetest.Memory) {
			_ = s.SetLayout(context.Background(), "in", pipeline.Layout{Partitions: -1}, pipeline.Layout{Partitions: pipeline.Rescales})
		},
		"halted by an output": func(k *pipelinetest.Kafka, _ *storetest.Memory) { k.Refuse = refuses },
		"halted by the log": func(k *pipelinetest.Kafka, _ *storetest.Memory) {
			k.Start = 10
			k.Noted = pipeline.Note{Told: true, Origin: 5}
		},
		"at work":      func(*pipelinetest.Kafka, *storetest.Memory) {},
		"at slow work": func(k *pipelinetest.Kafka, _ *storetest.Memory) { k.Takes = 500 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			for _, after := range []time.Duration{0, 10 * time.Millisecond, 700 * time.Millisecond, 3 * time.Second, 25 * time.Second, 2 * time.Minute} {
				synctest.Test(t, func(t *testing.T) {
					k, store := &pipelinetest.Kafka{Log: pipelinetest.Records(5, 400)}, storetest.NewMemory()
					set(k, store)
					b := pipelinetest.StartWith(t, k, store, pipelinetest.Rules(t))
					<-time.After(after) // of the bubble's clock
					begun := time.Now()
					b.Stop(t)
					if d := time.Since(begun); d > 11*time.Second {
						t.Errorf("told to end after %v it took %v, want 11 s at most", after, d)
					}
				})
			}
		})
	}
}
