//go:build unix

package browser

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// world is a consumer with a page, over a topic that the test fills.
type world struct {
	*programs.Service
	env    *testenv.Env
	client *kgo.Client
	rng    *rand.Rand
	at     time.Time // of the next record
}

const topic = "crowd"

// crowdModels are those of a world of many keys.
const crowdModels = `
  - {match: "class/**", kind: probit, draws: 64, columns: {response: c, features: [x]}, settings: {chains: 4, window: 50}}
  - {match: "**", kind: linear, columns: {response: y, features: [x]}}
`

// newWorld starts a broker, a store and a consumer of its own, with settings.
func newWorld(t testing.TB, settings ...string) *world {
	t.Helper()
	return newWorldOf(t, crowdModels, settings...)
}

// newWorldOf is newWorld with models of its own.
func newWorldOf(t testing.TB, models string, settings ...string) *world {
	t.Helper()
	w := &world{env: testenv.Open(t, testenv.Embedded), rng: rand.New(rand.NewPCG(6, 1)), at: time.Now().Add(-time.Hour)}
	if err := w.env.CreateTopic(t.Context(), topic, 4, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.client, err = kgo.NewClient(kgo.SeedBrokers(w.env.Brokers()...)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.Close)
	file := filepath.Join(t.TempDir(), "crowd.yaml")
	text := fmt.Sprintf(`kafka: {brokers: [%q], group: crowd, input: %s, output: crowd-out}
redis: {url: %q}
checkpoint: {interval: 200ms}
http: {listen: "127.0.0.1:0"}
models:%s`, w.env.Brokers()[0], topic, w.env.RedisURL(), models)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--config", file}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	w.Service = programs.Start(t, filepath.Join(scratch, "consumer"), args...)
	return w
}

// tokenFile returns the path of a file that holds the token.
func tokenFile(t testing.TB, token string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// record is a shard of ten rows.
func (w *world) record(t testing.TB, key string) *kgo.Record {
	t.Helper()
	const rows = 10
	x, y, c := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range rows {
		x[i] = w.rng.NormFloat64()
		y[i] = 3 + 2*x[i] + w.rng.NormFloat64()
		if y[i] > 3 {
			c[i] = 1
		}
	}
	value, err := arrow.Encode(&cdf.Batch{Rows: rows, Columns: []cdf.Column{
		{Name: "x", Number: x}, {Name: "y", Number: y}, {Name: "c", Type: cdf.Bool, Number: c},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.at = w.at.Add(time.Millisecond)
	return &kgo.Record{Topic: topic, Key: []byte(key), Value: value, Timestamp: w.at}
}

// send gives each key a shard and returns when the broker has all of them.
func (w *world) send(t testing.TB, keys ...string) {
	t.Helper()
	records := make([]*kgo.Record, len(keys))
	for i, key := range keys {
		records[i] = w.record(t, key)
	}
	if err := w.client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// flow sends shards of random keys, so many per second, until stop is called.
func (w *world) flow(t testing.TB, keys []string, perSecond int) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	const beat = 20 * time.Millisecond
	// Making shards must not keep the pace from holding: they are made before.
	ready := make([]*kgo.Record, 4096)
	for i := range ready {
		ready[i] = w.record(t, keys[w.rng.IntN(len(keys))])
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for n := 0; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for range perSecond * int(beat) / int(time.Second) {
				r := *ready[n%len(ready)]
				r.Timestamp = time.Now()
				w.client.Produce(ctx, &r, nil)
				n++
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// names returns n keys.
func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "shop/" + strconv.Itoa(10_000+i)
	}
	return list
}

// applied waits until everything that was sent is in a checkpoint.
func (w *world) applied(t testing.TB, shards int) {
	t.Helper()
	programs.Eventually(t, strconv.Itoa(shards)+" shards in checkpoints", func() (bool, error) {
		got, lag := w.Metric(t, "records_consumed_total"), w.Metric(t, "consumer_lag_records")
		if got == float64(shards) && lag == 0 {
			return true, nil
		}
		return false, fmt.Errorf("%v applied, lag %v", got, lag)
	})
}
