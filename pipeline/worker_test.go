package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

var ErrAway = errors.New("connection refused")

func TestWorkerFoldsTheLogAndSavesAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(7, 400)
		b := pipelinetest.Start(t, log)
		b.CatchUp(t)
		b.ReadyWithin(t, time.Second, true)
		b.Stop(t)
		wantStates, _ := undisturbed(t, pipelinetest.Rules(t), log)
		keys, err := b.Store.Keys(t.Context(), pipeline.Partition{Topic: "in"}, "", "", 100)
		if err != nil || len(keys) != len(wantStates) {
			t.Fatalf("%d keys and error %v, want %d keys", len(keys), err, len(wantStates))
		}
		for _, key := range keys {
			if v, _ := b.Store.Get(t.Context(), pipeline.Partition{Topic: "in"}, key); string(v) != wantStates[key] {
				t.Errorf("the state of %s is not that of the rules alone", key)
			}
		}
		if n := len(b.Kafka.Commits); n == 0 || b.Kafka.Commits[n-1] != int64(len(log)) {
			t.Errorf("group offsets %v, want the end of the log last", b.Kafka.Commits)
		}
		if held := metric(t, b.Reg, "credence_inflight_bytes"); held != 0 {
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
		cut  func(*pipelinetest.Bench, bool)
	}{
		{"kafka", func(b *pipelinetest.Bench, away bool) { b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Away = away }) }},
		{"redis", func(b *pipelinetest.Bench, away bool) {
			b.Store.Inject(func(storetest.Call) storetest.Fault {
				if away {
					return storetest.Before
				}
				return storetest.None
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := pipelinetest.Records(3, 300)
				var text bytes.Buffer
				b := pipelinetest.StartLogging(t, &pipelinetest.Kafka{Log: log[:100]}, storetest.NewMemory(), pipelinetest.Rules(t), slog.NewTextHandler(&text, nil))
				b.CatchUp(t)
				c.cut(b, true)
				b.ReadyWithin(t, 10*time.Second, false)
				b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log })
				<-time.After(30 * time.Second)
				c.cut(b, false)
				b.ReadyWithin(t, 10*time.Second, true)
				b.CatchUp(t)
				<-time.After(2 * time.Second) // the log is told once a second
				b.Stop(t)
				if n := metric(t, b.Reg, "credence_stalls_total"); n != 0 {
					t.Errorf("%g fetches are said to hang, and all were answered", n)
				}
				for _, want := range []string{"level=WARN", `level=WARN msg="dependency unavailable" dependency=` + c.name, `level=INFO msg="dependency available" dependency=` + c.name} {
					if n := strings.Count(text.String(), want); n != 1 {
						t.Errorf("the log says %s %d times, want once:\n%s", want, n, &text)
					}
				}
			})
		})
	}
}

func TestRefusedOutputHaltsThePartitionAndItGoesOnWhenCured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := pipelinetest.Start(t, pipelinetest.Records(3, 50))
		b.Kafka.Set(func(k *pipelinetest.Kafka) {
			k.Refuse = &pipeline.RefusedError{Topic: "out", Limit: "max.message.bytes", Remedy: "raise it", Err: errors.New("MESSAGE_TOO_LARGE")}
		})
		why := b.ReadyWithin(t, 30*time.Second, false)
		for !strings.Contains(why, "max.message.bytes") {
			<-time.After(time.Second)
			_, why = b.Ready()
		}
		if err := b.UntilEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "raise it") {
			t.Errorf("waiting for the end: %v, want the halted partition and its remedy", err)
		}
		if n := metric(t, b.Reg, "credence_partitions_halted"); n != 1 {
			t.Errorf("partitions_halted is %g, want 1", n)
		}
		if n := metric(t, b.Reg, "credence_summaries_published_total"); n != 0 {
			t.Errorf("summaries_published_total is %g, and none was acknowledged", n)
		}
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Refuse = nil })
		b.ReadyWithin(t, 30*time.Second, true)
		b.CatchUp(t)
		if n := metric(t, b.Reg, "credence_partitions_halted"); n != 0 {
			t.Errorf("partitions_halted is %g, want 0", n)
		}
		posteriors := 0
		b.Kafka.Set(func(k *pipelinetest.Kafka) {
			for _, o := range k.Sent {
				if o.Topic == "out" && o.Value != nil {
					posteriors++
				}
			}
		})
		if n := metric(t, b.Reg, "credence_summaries_published_total"); posteriors == 0 || n != float64(posteriors) {
			t.Errorf("summaries_published_total is %g, and %d were acknowledged", n, posteriors)
		}
		b.Stop(t)
	})
}

func TestIdleOwnerNoticesAStoreThatWentBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(5, 200)
		b := pipelinetest.Start(t, log[:100])
		b.CatchUp(t)
		old := b.Store.Snapshot()
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		b.CatchUp(t)
		b.Store.Restore(old)
		<-time.After(10 * time.Second) // nothing arrives: only the look at an idle claim can notice
		b.CatchUp(t)
		if n := metric(t, b.Reg, "credence_state_rollbacks_total"); n != 1 {
			t.Errorf("state_rollbacks_total is %g, want 1", n)
		}
		b.Stop(t)
	})
}

func TestStuckFetchIsCutOffAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(5, 60)
		b := pipelinetest.Start(t, log[:30])
		b.CatchUp(t)
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Hang = true })
		<-time.After(25 * time.Second)
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Hang, k.Log = false, log })
		b.CatchUp(t)
		if n := metric(t, b.Reg, "credence_stalls_total"); n < 1 {
			t.Error("a fetch that hung was not counted in stalls_total")
		}
		b.Stop(t)
	})
}

// A call of the store that is never answered is given up and asked again, whatever
// it is for.
func TestStuckCallsOfTheStoreAreCutOff(t *testing.T) {
	for _, op := range []string{"pin", "claim", "load", "save", "meta"} {
		t.Run(op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, hung, lost := storetest.NewMemory(), 0, 0
				store.Inject(func(c storetest.Call) storetest.Fault {
					switch {
					case c.Op == op && hung < 3:
						hung++
						return storetest.Hang
					case c.Op == "save" && op == "meta" && lost < 3: // its fate has to be looked up
						lost++
						return storetest.After
					}
					return storetest.None
				})
				b := pipelinetest.StartWith(t, &pipelinetest.Kafka{Log: pipelinetest.Records(5, 200)}, store, pipelinetest.Rules(t))
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute) // a load has twice as long each time
				defer cancel()
				if err := b.UntilEnd(ctx); err != nil || hung != 3 {
					t.Errorf("%d calls hung: %v", hung, err)
				}
				b.Stop(t)
			})
		})
	}
}

func TestMemberWithoutAPartitionIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := pipelinetest.StartOn(t, &pipelinetest.Kafka{Idle: true})
		b.ReadyWithin(t, time.Second, true)
		b.Stop(t)
	})
}

// TestUntilEndWaitsOutages: a broker that is away when the ends are asked for is an outage as
// any other.
func TestUntilEndWaitsOutages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := pipelinetest.StartOn(t, &pipelinetest.Kafka{Log: pipelinetest.Records(5, 40), Away: true})
		ended := make(chan error, 1)
		go func() { ended <- b.UntilEnd(t.Context()) }()
		b.ReadyWithin(t, 10*time.Second, false)
		<-time.After(5 * time.Second)
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Away = false })
		if err := <-ended; err != nil || len(b.Kafka.Sent) < 40 {
			t.Errorf("%d outputs at the end: %v", len(b.Kafka.Sent), err)
		}
		b.Stop(t)
	})
}

// without is a log without its topic.
type without struct{ *pipelinetest.Kafka }

func (without) Partitions(context.Context, string) (int, error) { return 0, pipeline.ErrNoTopic }

// TestUntilEndOfNoTopic: a topic that is not there has no end to wait for, but one that is
// new may be unknown for a while.
func TestUntilEndOfNoTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &pipelinetest.Kafka{Idle: true}
		w, err := pipeline.New(pipeline.Options{
			Topic: "in", Group: k, Log: without{k}, Store: storetest.NewMemory(), Rules: pipelinetest.Rules(t),
			Interval: time.Second, Records: 1, Bytes: 1, Inflight: 1, Heartbeat: time.Second, Flush: time.Second,
			Metrics: pipeline.NewMetrics(prometheus.NewRegistry(), "test"), Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := w.UntilEnd(t.Context()); !errors.Is(err, pipeline.ErrNoTopic) || time.Since(begun) < 5*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

func TestUntilEndWaitsForTheDecisionAlsoWhereNothingIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := pipelinetest.Start(t, pipelinetest.Records(5, 40))
		first.CatchUp(t)
		first.Stop(t)
		other := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: pipelinetest.Spec(t, cdf.Publish{Every: 1, Scale: "original", Variables: []string{"**"}})})
		second := pipelinetest.StartWith(t, first.Kafka, first.Store, other)
		if err := second.UntilEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "configuration") {
			t.Errorf("until the end: %v, want the halted partition", err)
		}
		second.Stop(t)
	})
}

// TestLowLoadIsNotHeldUp: a record that comes alone is published and saved as soon
// as it is read, which the broker in memory lets happen every 250 ms, not at the
// interval of a second.
func TestLowLoadIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := pipelinetest.Records(3, 30)
		b := pipelinetest.StartOn(t, &pipelinetest.Kafka{Log: log[:10]})
		b.CatchUp(t)
		for n := 11; n <= len(log); n++ {
			b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log[:n] })
			<-time.After(300 * time.Millisecond)
			synctest.Wait()
			meta, err := b.Store.Meta(t.Context(), pipeline.Partition{Topic: "in"})
			if err != nil || meta.Watermark != int64(n) {
				t.Fatalf("after 300 ms the state ends at %d (%v), want %d", meta.Watermark, err, n)
			}
		}
		b.Stop(t)
	})
}
