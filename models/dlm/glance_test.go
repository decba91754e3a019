package dlm

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// A glance at steps finds as many wild ones as their scores, wherever they lie, with the same errors, and looks no further at most others.
func TestGlance(t *testing.T) {
	for _, mean := range []string{"known", "unknown"} {
		for _, before := range []int{3, 25, 100} {
			s := Defaults()
			s.Mean = mean
			m := newTest(t, s)
			d := modeltest.Stepper{Model: m}
			y, _ := series{phi: constantly(.9), tau: .33, sigma: .66}.make(500, before+60)
			for i := range 20 {
				y[before+3*i] += float64(i) * .7 * float64(1-i%2*2)
			}
			d.Must(t, rowsShard(y[:before]), 1)
			sh := rowsShard(y[before:])
			want, err := m.Score(sh, nil)
			if err != nil {
				t.Fatal(err)
			}
			sh.Glance = true
			got, err := m.Score(sh, nil)
			if err != nil || got.Wild != want.Wild || got.Far != want.Far || got.RMSE != want.RMSE || got.LogDensity != want.LogDensity {
				t.Errorf("mean %s behind %d: %+v, want %+v: %v", mean, before, got, want, err)
			}
			if t.Logf("mean %s behind %d: %d wild, %v covered", mean, before, want.Wild, want.Coverage95); want.Wild == 0 || !(got.Coverage95 > want.Coverage95) {
				t.Errorf("mean %s behind %d: %d wild, %v covered at a glance, %v scored", mean, before, want.Wild, got.Coverage95, want.Coverage95)
			}
		}
	}
}

// A glance by a window of two dozen rows, which predicts by plug-ins, takes a row of 5.5 sds for one of many and tells one of 12: of right
// rows, a t law of as many degrees of freedom has one in 80,000 beyond the first, where the tails of 1e-6 are 4.9 sds of a normal law.
func TestGlanceOfFewRows(t *testing.T) {
	for _, mode := range []string{"compact", "filtered"} {
		s := Defaults()
		s.Mode = mode
		m, err := map[string]func(Settings, cdf.Dims) (cdf.Model, error){
			"compact":  func(s Settings, d cdf.Dims) (cdf.Model, error) { return NewCompact(s, d) },
			"filtered": func(s Settings, d cdf.Dims) (cdf.Model, error) { return NewFiltered(s, d) },
		}[mode](s, cdf.Dims{})
		if err != nil {
			t.Fatal(err)
		}
		y, _ := series{phi: constantly(.5), tau: .33, sigma: .66}.make(500, 25)
		d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: 500, Chains: 1, Data: make([]float64, 4*500)}}
		d.Must(t, rowsShard(y), 1)
		next := rowsShard([]float64{0})
		p := make([]cdf.Prediction, 1)
		if err := m.(cdf.Predictor).Predict(next, p); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			off     float64
			glance  bool
			outlier uint32
		}{{5.5, true, 0}, {5.5, false, 1}, {12, true, 1}, {-12, true, 1}, {12, false, 1}} {
			next.Y[0], next.Glance = p[0].Mean+c.off*p[0].SD, c.glance
			got, err := m.(cdf.Predictor).Score(next, nil)
			if err != nil || got.Wild != c.outlier {
				t.Errorf("%s, %g sds off, at a glance: %v: %d, want %d: %v", mode, c.off, c.glance, got.Wild, c.outlier, err)
			}
		}
	}
}
