package dlm

import (
	"testing"

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
