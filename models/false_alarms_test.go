package models

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/pipeline/alert"
)

var nullStreams = flag.Int("null-streams", 200, "streams without an effect by which false alarms are counted")

const nullShards, nullRows = 20, 40

// falseAlarms returns the share of streams in which an alert on P(B > A) > .99 rises
// although the arms do not differ, by the number of shards that it waits for.
func falseAlarms(t *testing.T, kindName, settings string, streams int, draw func(rng *rand.Rand) float64) map[int64]float64 {
	spec := asked(arms(t, kindName, settings))
	of := probability(t, "", "beta[arm=B] > 0")
	waits := []int64{1, 3}
	for _, n := range waits {
		spec.Publish.Alerts = append(spec.Publish.Alerts, quantity.Alert{Name: fmt.Sprint(n), Of: of, Bound: .99, Clear: .98, For: n})
	}
	var mu sync.Mutex
	rose := map[int64]int{}
	modeltest.EachStream(streams, func(i int) {
		rng := rand.New(rand.NewPCG(uint64(i), 77))
		f := cdf.NewFilter(spec, fmt.Sprint("null", i))
		var states []alert.State
		seen := map[string]bool{}
		for range nullShards {
			sum, err := f.Update(visits(nullRows, func(int) float64 { return draw(rng) }))
			if err != nil {
				t.Error(err)
				return
			}
			var events []alert.Event
			states, events = alert.Step(states, spec.Publish.Alerts, sum.Watched)
			for _, e := range events {
				seen[e.Name] = true
			}
		}
		mu.Lock()
		for _, n := range waits {
			if seen[fmt.Sprint(n)] {
				rose[n]++
			}
		}
		mu.Unlock()
	})
	rates := map[int64]float64{}
	for _, n := range waits {
		rates[n] = float64(rose[n]) / float64(streams)
	}
	return rates
}

// The rates that docs/howto/ab-test.md states, of 10,000 streams each (-null-streams
// 10000); fewer agree within 4 standard errors.
func TestFalseAlarms(t *testing.T) {
	for _, c := range []struct {
		kind, settings string
		draw           func(rng *rand.Rand) float64
		one, three     float64
	}{
		{"linear", "", func(rng *rand.Rand) float64 { return 3 + rng.NormFloat64() }, .055, .020},
		{"probit", "{window: 100, chains: 4}", func(rng *rand.Rand) float64 { return float64(rng.IntN(10) / 7) }, .057, .021},
		{"poisson", "overdispersion: none", func(rng *rand.Rand) float64 { return simulate.Count(rng, 2) }, .059, .022},
	} {
		t.Run(c.kind, func(t *testing.T) {
			n := *nullStreams
			if c.kind == "probit" && n < 1000 {
				n /= 4
			}
			rates := falseAlarms(t, c.kind, c.settings, n, c.draw)
			t.Logf("%d streams: for 1 shard %.4f, for 3 shards %.4f", n, rates[1], rates[3])
			for _, r := range [][2]float64{{rates[1], c.one}, {rates[3], c.three}} {
				got, want := r[0], r[1]
				if e := 4 * math.Sqrt(want*(1-want)/float64(n)); math.Abs(got-want) > e+1/float64(n) {
					t.Errorf("false alarms in %v of the streams, want %v ± %v", got, want, e)
				}
			}
		})
	}
}
