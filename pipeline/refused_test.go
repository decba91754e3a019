package pipeline_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// One output of a thousand is refused for ten minutes, and then taken: each
// is sent once, and the one that is refused is what is tried.
func TestRefusedOutputIsTriedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 9))
		log := make([]pipeline.Record, 1000)
		for i := range log {
			log[i] = pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("k7"), Value: pipelinetest.Shard(rng)}
		}
		tries := 0
		k := &pipelinetest.Kafka{Log: log, Refuse: &pipeline.RefusedError{Topic: "out", Limit: "max.message.bytes", Err: errors.New("too large")}}
		k.Refuses = func(o *pipeline.Output) bool {
			if o.Offset == 450 {
				tries++
			}
			return o.Offset == 450
		}
		b := pipelinetest.StartOn(t, k)
		b.ReadyWithin(t, 30*time.Second, false)
		<-time.After(10 * time.Minute)
		if why := b.ReadyWithin(t, time.Second, false); !strings.Contains(why, "too large") || metric(t, b.Reg, "credence_partitions_halted") != 1 {
			t.Errorf("waits for %s", why)
		}
		k.Set(func(k *pipelinetest.Kafka) {
			if n := k.Offered - len(k.Sent); tries < 50 || tries > 65 || n > tries+100 {
				t.Errorf("tried %d times in ten minutes, want one every ten seconds; %d outputs in vain", tries, n)
			}
			k.Refuse = nil
		})
		b.ReadyWithin(t, time.Minute, true)
		b.CatchUp(t)
		b.Stop(t)
		if n := len(k.Sent); n != len(log) {
			t.Errorf("%d outputs were sent for %d records", n, len(log))
		}
		for i, o := range k.Sent[1:] {
			if o.Offset <= k.Sent[i].Offset {
				t.Fatalf("the output of offset %d comes after that of %d", o.Offset, k.Sent[i].Offset)
			}
		}
		if n := metric(t, b.Reg, "credence_claims_total"); n != 1 {
			t.Errorf("%g claims, want 1", n)
		}
		if n := metric(t, b.Reg, "credence_inflight_bytes"); n != 0 {
			t.Errorf("%g bytes are held at the end, want 0", n)
		}
	})
}
