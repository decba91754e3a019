package dlm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// workload is what the engine asks of a model per shard.
type workload struct {
	m    cdf.Model
	step cdf.Step
	f    []cdf.Functional
	rows []cdf.Row
	y    []float64
	at   int
	sink float64
}

func newWorkload(t testing.TB, mode string, rows int) *workload {
	m := modeltest.Model(t, Kind(), "", strictyaml.Decode("mode: "+mode), cdf.Dims{})
	w := &workload{m: m, f: functionals(), rows: make([]cdf.Row, 4)}
	w.y, _ = series{phi: constantly(.7), tau: 1, sigma: 1}.make(3, 200_000)
	d := modeltest.Stepper{}
	if mode != "grid" {
		d.Draws = &cdf.Draws{S: 500, Chains: 1, Data: make([]float64, 4*500)}
	}
	w.step = cdf.Step{Shard: rowsShard(w.y[:rows]), Forget: 1, RNG: rand.New(rand.NewPCG(1, 2)), Draws: d.Draws}
	return w
}

func (w *workload) run(t testing.TB) {
	n := w.step.Shard.Rows
	if w.at+n > len(w.y) {
		w.at = 0
	}
	w.step.Shard.Y = w.y[w.at : w.at+n]
	w.at += n
	score, err := w.m.(cdf.Predictor).Score(w.step.Shard, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := w.m.Blocks()[0]
	b.Absorb(&w.step)
	if err := b.Sample(&w.step); err != nil {
		t.Fatal(err)
	}
	if err := w.m.(cdf.Summarizer).Summarize(w.f, w.rows); err != nil {
		t.Fatal(err)
	}
	w.sink += score.LogDensity
}

// One shard with score, update and summary.
func BenchmarkShard(b *testing.B) {
	for _, mode := range []string{"grid", "compact", "filtered"} {
		for _, rows := range []int{1, 20, 200} {
			b.Run(fmt.Sprintf("%s/rows=%d", mode, rows), func(b *testing.B) {
				w := newWorkload(b, mode, rows)
				for range 100 {
					w.run(b)
				}
				b.ReportAllocs()
				for b.Loop() {
					w.run(b)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rows), "us/row")
			})
		}
	}
}

func BenchmarkParts(b *testing.B) {
	w := newWorkload(b, "grid", 200)
	for range 20 {
		w.run(b)
	}
	block := w.m.Blocks()[0]
	b.Run("score 200 rows", func(b *testing.B) {
		for b.Loop() {
			_, _ = w.m.(cdf.Predictor).Score(w.step.Shard, nil)
		}
	})
	b.Run("absorb 200 rows", func(b *testing.B) {
		for b.Loop() {
			block.Absorb(&w.step)
		}
	})
	for k, p := range rows {
		b.Run("summarize "+p.Name, func(b *testing.B) {
			for b.Loop() {
				_ = w.m.(cdf.Summarizer).Summarize(w.f[k:k+1], w.rows)
			}
		})
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
