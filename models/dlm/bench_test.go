package dlm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// newWorkload goes along a series, shard by shard.
func newWorkload(t testing.TB, mode string, rows int) *modeltest.Work {
	y, _ := series{phi: constantly(.7), tau: 1, sigma: 1}.make(3, 200_000)
	w := &modeltest.Work{Model: modeltest.Model(t, Kind(), "", strictyaml.Decode("{mode: "+mode+"}"), cdf.Dims{})}
	w.Functionals = each(w.Model.Params())
	w.Step = cdf.Step{Shard: rowsShard(y[:rows]), Forget: 1, RNG: rand.New(rand.NewPCG(1, 2))}
	if !strings.HasPrefix(mode, "grid") {
		w.Step.Draws = &cdf.Draws{S: 500, Chains: 1, Data: make([]float64, 4*500)}
	}
	at := 0
	w.Next = func() {
		if at+rows > len(y) {
			at = 0
		}
		w.Step.Shard.Y = y[at : at+rows]
		at += rows
	}
	return w
}

func TestAllocates(t *testing.T) {
	for _, mode := range []string{"grid", "grid, mean: unknown", "compact", "filtered"} {
		t.Run(mode, func(t *testing.T) { newWorkload(t, mode, 20).AllocatesNothing(t, 20, 50) })
	}
}

// One shard with score, update and summary.
func BenchmarkShard(b *testing.B) {
	for _, mode := range []string{"grid", "grid, mean: unknown", "compact", "filtered"} {
		for _, rows := range []int{1, 20, 200} {
			b.Run(fmt.Sprintf("%s/rows=%d", mode, rows), func(b *testing.B) {
				newWorkload(b, mode, rows).Bench(b, 100)
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rows), "us/row")
			})
		}
	}
}

func BenchmarkParts(b *testing.B) {
	w := newWorkload(b, "grid", 200)
	for range 20 {
		w.Run(b)
	}
	m := w.Model.(*Model)
	modeltest.Part(b, "score 200 rows", func() { _, _ = m.Score(w.Step.Shard, nil) })
	modeltest.Part(b, "absorb 200 rows", func() { m.Blocks()[0].Absorb(&w.Step) })
	for k, p := range Params() {
		modeltest.Part(b, "summarize "+p.Name, func() { _ = m.Summarize(w.Functionals[k:k+1], make([]cdf.Row, 1)) })
	}
}

// BenchmarkForecast predicts 2,000 steps, the most that HTTP answers, of a
// series with few observations, whose posterior is wide, and of a long one.
func BenchmarkForecast(b *testing.B) {
	for _, n := range []int{3, 240} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			y, _ := someSteps(n, 0)
			m := replication{prior: Defaults()}.model(b).(*Model)
			d := modeltest.Stepper{Model: m}
			d.Must(b, rowsShard(y), 1)
			for b.Loop() {
				ahead(b, m, 2000)
			}
		})
	}
}
