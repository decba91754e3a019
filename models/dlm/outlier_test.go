package dlm

import (
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
)

// A response that is far off behind 500 others moves the posterior out of the grid at once: it is where a fixed grid over
// the full range has it, to what the reserve resolves, and not 10,000 sds off.
func TestFarOutlier(t *testing.T) {
	for _, mean := range []string{"known", "unknown"} {
		for _, size := range []float64{50, 300, 1e6} {
			y, _ := series{phi: constantly(.9), tau: .33, sigma: .66}.make(500, 600)
			y[510] += size
			s := Defaults()
			s.Mean = mean
			d := modeltest.Stepper{Model: newTest(t, s)}
			g := newFixedGrid(s.Prior, fullLow, fullHigh, 101)
			if mean == "unknown" {
				g.withMean()
			}
			for at := 0; at < len(y); at += 20 {
				d.Must(t, rowsShard(y[at:at+20]), 1)
				wellFormed(t, d.Model.(*Model))
			}
			for _, v := range y {
				g.step([]float64{v})
			}
			miss, sd := g.against(t, d.Model)
			if t.Logf("mean %s, %g sds off: misses %.2f sd, sds %.2f", mean, size, miss, sd); !(miss < .8 && sd < .8) {
				t.Errorf("mean %s, %g sds off: misses %.2f sd, sds %.2f", mean, size, miss, sd)
			}
		}
	}
}
