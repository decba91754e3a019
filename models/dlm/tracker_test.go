package dlm

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

// What is followed from row to row is what is found from nothing, at few rows
// and many, with responses in between and levels that change their sign.
func TestTrackerIsTheQuantile(t *testing.T) {
	for _, n := range []int{0, 1, 3, 40} {
		for _, sign := range []float64{1, -1} {
			y, _ := someSteps(n, 0)
			for i := range y {
				y[i] *= math.Pow(sign, float64(i))
			}
			m := replication{prior: Defaults()}.model(t).(*Model)
			if n > 0 {
				d := modeltest.Stepper{Model: m}
				d.Must(t, rowsShard(y), 1)
			}
			ask := make([]float64, 300)
			for i := range ask {
				if ask[i] = math.NaN(); i > 100 && i%40 < 3 {
					ask[i] = sign * float64(i%5)
				}
			}
			got := make([]cdf.Prediction, len(ask))
			if err := m.Predict(rowsShard(ask), got); err != nil {
				t.Fatal(err)
			}
			w := m.family.take()
			f, err := m.forward(w, rowsShard(ask))
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range ask {
				w.grid.step(1, math.NaN(), w.product)
				for noise, g := range [][2]float64{{got[i].EpredQ025, got[i].EpredQ975}, {got[i].Q025, got[i].Q975}} {
					w.t.Student(2 * w.shape)
					w.mix.Reset(&w.t)
					w.levels(&w.grid, float64(noise), true)
					_, width := w.mix.Place()
					for k, p := range []float64{dist.Levels[0], dist.Levels[6]} {
						if want := w.mix.Quantile(p); !(math.Abs(g[k]-want) < 1e-7*width) {
							t.Errorf("%d rows, sign %g, row %d, noise %d: %g is at %v, want %v", n, sign, i, noise, p, g[k], want)
						}
					}
				}
				if !math.IsNaN(v) {
					if _, err := f.absorb(v); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// A start that is far off, in a gap or no number at all does no harm.
func TestNearFromAfar(t *testing.T) {
	var law dist.Table
	law.Student(7)
	var x dist.Mixture
	x.Reset(&law)
	x.Add(.5, -100, 1)
	x.Add(.5, 100, 2)
	_, width := x.Place()
	for _, p := range []float64{.025, .4, .975} {
		want := x.Quantile(p)
		for _, start := range []float64{want, want + .01, 0, -1e9, 1e300, math.Inf(1), math.NaN()} {
			if got := x.Near(p, start, width); !(math.Abs(got-want) < 1e-7*width) {
				t.Errorf("%g from %g: %v, want %v", p, start, got, want)
			}
		}
	}
}
