package pipeline_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// A partition that cannot go on gives back what it fetched ahead, which others
// could use, and fetches it again when it can: every record is applied once.
func TestStuckPartitionGivesItsQueueBack(t *testing.T) {
	refusal := &pipeline.RefusedError{Topic: "out", Limit: "max.message.bytes", Err: errors.New("too large")}
	for name, stick := range map[string]func(k *pipelinetest.Kafka, stuck bool){
		"refused": func(k *pipelinetest.Kafka, stuck bool) {
			k.Refuse, k.Refuses = refusal, func(o *pipeline.Output) bool { return stuck && o.Offset == 450 }
		},
		"outage": func(k *pipelinetest.Kafka, stuck bool) { k.Away = stuck },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(3, 9))
				log := make([]pipeline.Record, 3500)
				sizes := 0.0
				for i := range log {
					log[i] = pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("k7"), Value: pipelinetest.Shard(rng)}
					sizes += float64(log[i].Size())
				}
				// Each takes a while, so that the outage finds some that wait.
				k := &pipelinetest.Kafka{Log: log[:3000:3000], Takes: 10 * time.Millisecond}
				b := pipelinetest.StartOn(t, k)
				<-time.After(2 * time.Second)
				before := metric(t, b.Reg, "credence_inflight_bytes")
				k.Set(func(k *pipelinetest.Kafka) { stick(k, true) })
				<-time.After(time.Minute)
				waiting := metric(t, b.Reg, "credence_consumer_lag_records")
				k.Set(func(k *pipelinetest.Kafka) { k.Log = log })
				<-time.After(4 * time.Minute)
				if n := metric(t, b.Reg, "credence_consumer_lag_records") - waiting; n != 500 && !k.Away { // where the broker is away nobody knows
					t.Errorf("500 records came while the partition was stuck, and the lag grew by %g", n)
				}
				stuck := metric(t, b.Reg, "credence_inflight_bytes")
				if before < sizes/2 || stuck > sizes/3 {
					t.Errorf("%g of %g bytes are held while the partition works, %g while it is stuck", before, sizes, stuck)
				}
				k.Set(func(k *pipelinetest.Kafka) { stick(k, false) })
				b.ReadyWithin(t, time.Minute, true)
				b.CatchUp(t)
				<-time.After(3 * time.Second)
				if n := b.Held(t); n != 0 {
					t.Errorf("%g bytes are held when nothing is left to do, want 0", n)
				}
				b.Stop(t)
				if n := len(k.Sent); n != len(log) {
					t.Errorf("%d outputs were sent for %d records", n, len(log))
				}
				if n := metric(t, b.Reg, "credence_claims_total"); n != 1 {
					t.Errorf("%g claims, want 1", n)
				}
			})
		})
	}
}
