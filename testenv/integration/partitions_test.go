//go:build unix

package integration

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestThousandPartitions gives one process a topic of a thousand partitions: all
// of them are read, and those that have nothing cost next to nothing.
func TestThousandPartitions(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		partitions := 1000
		if env.Backend == testenv.Embedded {
			partitions = 100 // kfake looks at all of them in one goroutine
		}
		w := newWorld(t, env, setup{partitions: partitions, models: badModels})
		s := w.start(t)
		s.Readiness(t, 200)
		c := franz(t, env)
		defer c.Close()
		shard := good(t, rand.New(rand.NewPCG(6, 6)))
		total := 3 * partitions
		for i := range total {
			c.Produce(t.Context(), &kgo.Record{Topic: w.input, Key: fmt.Append(nil, "good/", i), Value: shard}, nil)
		}
		if err := c.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		programs.Eventually(t, "every record applied", func() (bool, error) {
			if n := s.Metric(t, "records_consumed_total"); n != float64(total) {
				return false, fmt.Errorf("%g of %d", n, total)
			}
			return true, nil
		})
		sockets, ok := s.Sockets(t)
		peak, _ := s.Peak(t)
		t.Logf("%d records of %d partitions applied %v after the last was sent; %d sockets, %d MiB at most", total, partitions, time.Since(start), sockets, peak>>20)
		if ok && sockets > 150 {
			t.Errorf("%d sockets", sockets)
		}
	})
}
