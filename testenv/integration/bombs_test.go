//go:build unix

package integration

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
)

// bombBound is what a consumer with memory: {inflight: 64MiB} and limits:
// {record: 16MiB} may need while each of 64 partitions has a batch of 60 MB, which
// a batch may have, and a shard of 48 MB, packed to little. One of each may be
// unpacked at a time.
const bombBound = 1 << 30

// TestBombs sends what is small on the wire and large in memory to all partitions
// at once.
func TestBombs(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		partitions := 64
		if probe.Raced() || testing.Short() {
			partitions = 8 // under the race detector unpacking takes ten times as long
		}
		w := newWorld(t, env, setup{partitions: partitions, topic: map[string]string{"max.message.bytes": "16777216"}, models: badModels})
		rng := rand.New(rand.NewPCG(8, 2))
		million := make([]float64, 1_000_000)
		columns := make([]column, 6)
		for i := range columns {
			columns[i] = column{fmt.Sprint("x", i), million}
		}
		shards := [][]byte{stream(t, []ipc.Option{ipc.WithZstd()}, columns...), stream(t, []ipc.Option{ipc.WithLZ4()}, columns...)}
		zeros, fine := make([]byte, 60_000_000), good(t, rng)
		packs := []kgo.CompressionCodec{kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
		for i, pack := range packs {
			c := franz(t, env, kgo.ProducerBatchMaxBytes(64<<20), kgo.ProducerBatchCompression(pack), kgo.RecordPartitioner(kgo.ManualPartitioner()))
			for p := int32(i); p < int32(partitions); p += int32(len(packs)) {
				for _, value := range [][]byte{fine, zeros, shards[p/4%2], fine} {
					send(t, c, &kgo.Record{Topic: w.input, Partition: p, Key: fmt.Append(nil, "good/", p), Value: value})
				}
			}
			c.Close()
		}
		s := w.start(t, "--set", "memory.inflight=64MiB", "--set", "limits.record=16MiB")
		w.caughtUp(t)
		s.Readiness(t, 200)
		if peak, ok := s.Peak(t); ok && !probe.Raced() {
			t.Logf("peak memory of the process: %d MiB, allowed are %d MiB", peak>>20, bombBound>>20)
			if peak > bombBound {
				t.Errorf("peak memory %d MiB", peak>>20)
			}
		}
		for stage, n := range map[string]int{"decode": partitions, "schema": partitions} {
			if got := s.Metric(t, "records_dead_lettered_total", `stage="`+stage+`"`); got != float64(n) {
				t.Errorf("records_dead_lettered_total of stage %s is %v, want %v", stage, got, n)
			}
		}
		if got := s.Metric(t, "rows_absorbed_total"); got != float64(2*partitions*feederRows) {
			t.Errorf("%v rows are absorbed, want those of all good records: %d", got, 2*partitions*feederRows)
		}
	})
}
