//go:build unix

package integration

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
)

// TestResidentMemory has far more keys than the cache has room for: the memory
// of the process stays within 1.3 times of what is configured and 128 MiB.
func TestResidentMemory(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		keys := 100_000
		if env.Backend == testenv.Embedded || probe.Raced() || testing.Short() {
			keys = 5_000
		}
		const cache, inflight = 64, 64 // MiB
		w := newWorld(t, env, setup{partitions: 8, models: badModels})
		c := franz(t, env)
		defer c.Close()
		shard := good(t, rand.New(rand.NewPCG(9, 9)))
		for i := range keys {
			c.Produce(t.Context(), &kgo.Record{Topic: w.input, Key: fmt.Append(nil, "good/", i), Value: shard}, nil)
		}
		if err := c.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		s := w.start(t, "--set", fmt.Sprintf("memory.cache=%dMiB", cache), "--set", fmt.Sprintf("memory.inflight=%dMiB", inflight))
		w.caughtUp(t)
		took := time.Since(start)
		peak, ok := s.Peak(t)
		if !ok || probe.Raced() {
			t.Logf("%d keys in %v", keys, took)
			return
		}
		const most = (cache + inflight + 128) * 13 / 10
		t.Logf("%d keys in %v: at most %d MiB, allowed are %d MiB; the cache says %.0f MiB", keys, took, peak>>20, most, s.Metric(t, "cache_bytes")/(1<<20))
		if peak>>20 > most {
			t.Errorf("%d MiB", peak>>20)
		}
	})
}
