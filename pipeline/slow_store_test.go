package pipeline_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// slowStore takes as long for each of its calls. A save is two of them for every megabyte, and one more.
type slowStore struct {
	*storetest.Memory
	takes  time.Duration
	saves  int
	failed int
	most   int // bytes of a checkpoint that was saved
}

func (s *slowStore) Save(ctx context.Context, l pipeline.Lease, c pipeline.Checkpoint) error {
	bytes := 0
	for i := range c.Changes {
		bytes += len(c.Changes[i].Value)
	}
	s.saves++
	for range 1 + 2*(bytes>>20) {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			s.failed++
			return ctx.Err()
		}
	}
	s.most = max(s.most, bytes)
	return s.Memory.Save(ctx, l, c)
}

// wide gives every row a thousandth of its own in each of many columns.
type wide struct{ columns []cdf.Column }

func (d wide) Decode(value []byte) (*cdf.Batch, error) {
	for j := range d.columns {
		d.columns[j].Number = []float64{float64((int(value[0])*31+j*17)%97) / 97}
	}
	return &cdf.Batch{Rows: 1, Columns: d.columns}, nil
}

func (wide) Release() bool { return false }

// TestSlowStoreIsWaitedFor: a store each of whose calls takes seconds, for as long as it does, has large
// checkpoints come more slowly, and not never.
func TestSlowStoreIsWaitedFor(t *testing.T) {
	const columns, keys = 500, 8
	kind, _ := models.Lookup("linear")
	var features []cdf.Feature
	all := []cdf.Column{{Name: "y"}}
	for j := range columns {
		features = append(features, cdf.Feature{Name: fmt.Sprintf("x%d", j)})
		all = append(all, cdf.Column{Name: features[j].Name})
	}
	spec, err := kind.Spec("", cdf.Roles{Intercept: true, Features: features}, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Publish = cdf.Publish{Every: 1, Scale: "original", Groups: "none", Predictions: "none", Variables: []string{"sigma"}}
	spec.Limits = cdf.Limits{Rows: 10, Columns: columns + 1, Groups: 10}
	rules, err := pipeline.NewRules([]pipeline.Rule{{Match: "k*", Spec: spec}}, pipeline.Limits{Record: 1 << 20, Rows: 10, Columns: columns + 1, Groups: 10, Summary: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		k := &pipelinetest.Kafka{}
		for i := range 2 * keys {
			k.Log = append(k.Log, pipeline.Record{Offset: int64(i), Time: 1e12, Key: fmt.Appendf(nil, "k%d", i%keys), Value: []byte{byte(i)}})
		}
		store := &slowStore{Memory: storetest.NewMemory(), takes: 6 * time.Second}
		opt := pipelinetest.Options(k, store, rules)
		opt.NewDecoder = func() pipeline.Decoder { return wide{append([]cdf.Column(nil), all...)} }
		opt.Bytes, opt.Inflight = 8<<20, 1<<26
		took, end, err := untilEnd(t, opt, 10*time.Minute)
		t.Logf("all is saved after %v (error %v): %d saves, %d of them failed, of at most %d bytes", took, err, store.saves, store.failed, store.most)
		if err != nil || store.failed > 0 || store.most < 3<<20 {
			t.Error("want it saved, in checkpoints of several megabytes")
		}
		end()
	})
}

// untilEnd runs a worker until all there is has been applied, or a time is over, and returns how long it took. end ends it.
func untilEnd(t *testing.T, opt pipeline.Options, within time.Duration) (took time.Duration, end func(), err error) {
	t.Helper()
	w, err := pipeline.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	waits, over := context.WithTimeout(ctx, within)
	defer over()
	begun := time.Now()
	err = w.UntilEnd(waits)
	return time.Since(begun), func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}, err
}

// lateLoads takes its time for the values of states.
type lateLoads struct {
	*storetest.Memory
	takes time.Duration
	loads int
}

func (s *lateLoads) Load(ctx context.Context, l pipeline.Lease, watermarks []int64, keys []string, most int64) ([]pipeline.Stored, error) {
	if len(keys) > 0 {
		s.loads++
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.Memory.Load(ctx, l, watermarks, keys, most)
}

// TestLargeLoadComesToItsEnd: a value that takes longer to come than the first attempts have time for is loaded all the same.
func TestLargeLoadComesToItsEnd(t *testing.T) {
	rules := pipelinetest.Rules(t)
	synctest.Test(t, func(t *testing.T) {
		store := &lateLoads{Memory: storetest.NewMemory(), takes: 100 * time.Second}
		opt := pipelinetest.Options(&pipelinetest.Kafka{Log: pipelinetest.Records(1, 1)}, store, rules)
		took, end, err := untilEnd(t, opt, 10*time.Minute)
		t.Logf("after %v and %d loads", took, store.loads)
		if err != nil || store.loads != 3 {
			t.Errorf("%d loads and error %v, want the third to come to its end", store.loads, err)
		}
		end()
	})
}
