package pipeline_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// Every tenth record fails, in each way that a record can: none costs more than
// itself, and none leaves a trace in a state.
func TestFailingRecordsCostOnlyThemselves(t *testing.T) {
	const n, every = 2000, 10
	rng := rand.New(rand.NewPCG(8, 1))
	log := make([]pipeline.Record, n)
	for i := range log {
		key := fmt.Sprint("k", rng.IntN(9))
		log[i] = pipeline.Record{Offset: int64(i), Time: 1e12 + int64(i), Key: []byte(key), Value: pipelinetest.Shard(rng),
			Headers: pipelinetest.ShardHeader("run", i+1)}
	}
	spared := slices.Clone(log)
	for i := every / 2; i < n; i += every {
		spared[i].Key = []byte("unmatched") // a dead letter that no key sees
		switch i / every % 3 {
		case 0:
			log[i].Value = []byte("!panic")
		case 1:
			log[i].Value = []byte("!numeric")
		case 2:
			log[i].Headers = append(log[i].Headers, pipeline.Header{Key: pipelinetest.Unencodable})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		want := pipelinetest.Start(t, spared)
		want.CatchUp(t)
		want.Stop(t)
		got := pipelinetest.Start(t, log)
		got.CatchUp(t)
		got.Stop(t)
		for name, limit := range map[string]float64{"credence_claims_total": 1, "credence_records_consumed_total": n, "credence_records_dead_lettered_total": n / every} {
			if v := metric(t, got.Reg, name); v != limit {
				t.Errorf("%s is %g, want %g", name, v, limit)
			}
		}
		p := pipeline.Partition{Topic: "in"}
		for key := range 9 {
			key := fmt.Sprint("k", key)
			a, _ := want.Store.Get(t.Context(), p, key)
			b, _ := got.Store.Get(t.Context(), p, key)
			if a == nil || string(a) != string(b) {
				t.Errorf("the state of %s has a trace of records that failed", key)
			}
		}
		dead := 0
		for _, o := range got.Kafka.Sent {
			if o.Topic == "dead" {
				dead++
			}
		}
		if sent := len(got.Kafka.Sent); dead != n/every || sent != len(want.Kafka.Sent) {
			t.Errorf("%d outputs, %d of them dead letters; %d without failures", sent, dead, len(want.Kafka.Sent))
		}
	})
}

// A model that cannot go back takes its partition's memory with it; the replay
// makes the record a dead letter and goes on.
func TestLostStateIsReplayed(t *testing.T) {
	publish := cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}}
	spec := pipelinetest.Spec(t, publish)
	spec.Columns.Scaling = "none" // with it the first shards are replayed, which needs no way back
	build := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := build(d)
		return &oneWay{unyielding: unyielding{m}}, err
	}
	rng := rand.New(rand.NewPCG(4, 6))
	got := slices.Compact(published(t, spec, pipelinetest.Shard(rng), pipelinetest.Shard(rng), []byte("x")))
	for i, want := range []string{"out 0 t=1", "dead 1", "dead 2"} {
		if len(got) != 3 || !strings.HasPrefix(got[i], want) {
			t.Fatalf("published %q", got)
		}
	}
}

// oneWay fails at its second shard, and cannot go back to what it was before.
type oneWay struct {
	unyielding
	failed bool
}

func (m *oneWay) Blocks() []cdf.Block {
	blocks := m.unyielding.Blocks()
	for i, b := range blocks {
		blocks[i] = oneWayBlock{b, m}
	}
	return blocks
}

func (m *oneWay) UnmarshalBinary(b []byte) error {
	if m.failed {
		return errors.New("cannot go back")
	}
	return m.Model.UnmarshalBinary(b)
}

type oneWayBlock struct {
	cdf.Block
	of *oneWay
}

func (b oneWayBlock) Sample(s *cdf.Step) error {
	err := b.Block.Sample(s)
	b.of.failed = err != nil
	return err
}
