package pipeline_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// slowLog is a log of shards over many keys.
func slowLog(n int) []pipeline.Record {
	rng := rand.New(rand.NewPCG(6, 2))
	log := make([]pipeline.Record, n)
	for i := range log {
		log[i] = pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("k" + strconv.Itoa(10+i%40)), Value: pipelinetest.Shard(rng)}
	}
	return log
}

// Half a second a shard on two lanes: checkpoints come at about the interval,
// a second, and not when all that was fetched is worked off.
func TestSlowModelsAreSavedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := pipelinetest.StartOn(t, &pipelinetest.Kafka{Log: slowLog(200), Takes: time.Second / 2})
		var last, worst time.Duration
		start, stored := time.Now(), int64(0)
		for time.Since(start) < 30*time.Second {
			<-time.After(100 * time.Millisecond)
			synctest.Wait()
			meta, err := b.Store.Meta(t.Context(), pipeline.Partition{Topic: "in"})
			if err != nil {
				t.Fatal(err)
			}
			if now := time.Since(start); meta.Watermark > stored {
				worst, last, stored = max(worst, now-last), now, meta.Watermark
			}
		}
		if worst > 3*time.Second || stored < 90 {
			t.Errorf("up to %v between checkpoints, watermark %d after 30 s, want 3 s and 90", worst, stored)
		}
		b.Stop(t)
	})
}

// A worker that is revoked again and again makes progress each time.
func TestRevokeKeepsWhatIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &pipelinetest.Kafka{Log: slowLog(200), Takes: 2 * time.Second}
		b := pipelinetest.StartOn(t, k)
		b.Stop(t)
		for round := range int64(6) {
			b = pipelinetest.StartWith(t, k, b.Store, pipelinetest.Rules(t))
			<-time.After(10 * time.Second)
			start := time.Now()
			b.Stop(t)
			meta, err := b.Store.Meta(t.Context(), pipeline.Partition{Topic: "in"})
			if took := time.Since(start); err != nil || meta.Watermark < 8*(round+1) || took > 5*time.Second {
				t.Errorf("round %d: watermark %d, %v; stopped within %v", round, meta.Watermark, err, took)
			}
		}
	})
}
