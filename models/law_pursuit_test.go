package models

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// What is followed from row to row is what is found from nothing, at few rows
// and many, with responses in between and levels that change their sign.
func TestPursuitIsTheQuantile(t *testing.T) {
	for _, n := range []int{0, 1, 3, 40} {
		for _, sign := range []float64{1, -1} {
			y, _ := someSteps(n, 0)
			for i := range y {
				y[i] *= math.Pow(sign, float64(i))
			}
			m := dlmRun{prior: DefaultDLM()}.model(t).(*DLM)
			if n > 0 {
				d := stepper{model: m}
				d.must(t, rowsShard(y), 1)
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
					w.t.student(2 * w.shape)
					w.mix.reset(&w.t)
					w.levels(&w.grid, float64(noise), true)
					_, width := w.mix.place()
					for k, p := range []float64{levels[0], levels[6]} {
						if want := w.mix.quantile(p); !(math.Abs(g[k]-want) < 1e-7*width) {
							t.Errorf("%d rows, sign %g, row %d, noise %d: %g is at %v, want %v", n, sign, i, noise, p, g[k], want)
						}
					}
				}
				if v == v {
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
	var law lawTable
	law.student(7)
	var x lawMixture
	x.reset(&law)
	x.add(.5, -100, 1)
	x.add(.5, 100, 2)
	_, width := x.place()
	for _, p := range []float64{.025, .4, .975} {
		want := x.quantile(p)
		for _, start := range []float64{want, want + .01, 0, -1e9, 1e300, math.Inf(1), math.NaN()} {
			if got := x.near(p, start, width); !(math.Abs(got-want) < 1e-7*width) {
				t.Errorf("%g from %g: %v, want %v", p, start, got, want)
			}
		}
	}
}
