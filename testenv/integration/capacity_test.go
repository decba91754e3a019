//go:build unix

package integration

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestCapacity compares what consumer capacity says of a file with what a broker,
// a store and a consumer then hold of it.
func TestCapacity(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		const keys, shards, rows = 20_000, 1, 10
		w := newWorld(t, env, setup{})
		file := filepath.Join(w.dir, "rows.csv")
		r := rand.New(rand.NewPCG(11, 11))
		text := strings.Builder{}
		text.WriteString("shop,a,b,c,y\n")
		for range shards * rows {
			for k := range keys {
				fmt.Fprintf(&text, "shop-%06d", k)
				for range 4 {
					text.WriteString("," + strconv.FormatFloat(r.NormFloat64(), 'g', 6, 64))
				}
				text.WriteByte('\n')
			}
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		said := w.consumer(t, "capacity", "--input", file, "--key-column", "shop", "--rows", strconv.Itoa(rows),
			"--sample", strconv.Itoa(keys*shards), "--keys", strconv.Itoa(keys), "--rate", "1", "--json")
		if said.Code != 0 {
			t.Fatalf("capacity: exit %d\n%s", said.Code, said.Messages)
		}
		var plan struct {
			Measured struct {
				Input   float64 `json:"input_bytes"`
				Output  float64 `json:"output_bytes"`
				Resting float64 `json:"memory_bytes"`
			} `json:"measured"`
			Redis float64 `json:"redis_bytes"`
		}
		if err := json.Unmarshal([]byte(said.Data), &plan); err != nil {
			t.Fatalf("%v in %s", err, said.Data)
		}
		sent := programs.Run(t, filepath.Join(binaries, "producer"), "replay", "--input", file, "--key-column", "shop", "--rows", strconv.Itoa(rows),
			"--topic", w.input, "--brokers", env.Brokers()[0])
		if sent.Code != 0 {
			t.Fatalf("producer: exit %d\n%s", sent.Code, sent.Messages)
		}
		s := w.start(t, "--set", "memory.cache=48MiB")
		w.caughtUp(t)
		agree := func(what string, said, found, within float64) {
			t.Helper()
			t.Logf("%s: %.0f said, %.0f found", what, said, found)
			if !(math.Abs(said-found) <= within*found) {
				t.Errorf("%s: %.0f said, %.0f found", what, said, found)
			}
		}
		// A state has the producer's run, too, and keys that came again are at hand.
		agree("memory of a key", plan.Measured.Resting, s.Metric(t, "cache_bytes")/s.Metric(t, "cache_keys"), .2)
		s.Stop(t)
		agree("bytes of an input record", plan.Measured.Input, w.bytes(t, w.input)/(keys*shards), .05)
		agree("bytes of an output record", plan.Measured.Output, w.bytes(t, w.output)/(keys*shards), .05)
		if env.Backend == testenv.Embedded {
			return // its memory is not that of Redis
		}
		used := 0.0
		for names := w.store.Scan(t.Context(), 0, "credence:{"+w.cluster+"/"+w.group+"/*", 1000).Iterator(); names.Next(t.Context()); {
			n, err := w.store.MemoryUsage(t.Context(), names.Val(), 0).Result()
			if err != nil {
				t.Fatal(err)
			}
			used += float64(n)
		}
		agree("Redis", plan.Redis, used, .15)
	})
}

// bytes is what the records of a topic take, with a dozen for the lengths of each.
func (w *world) bytes(t *testing.T, topic string) (n float64) {
	t.Helper()
	for _, r := range read(t, w.env, topic) {
		n += float64(len(r.Key) + len(r.Value) + 12)
		for _, h := range r.Headers {
			n += float64(len(h.Key) + len(h.Value) + 2)
		}
	}
	return n
}
