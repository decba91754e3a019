package poisson

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/models/internal/dist"
)

// The entropy is the sum over all counts, within .05.
func TestEntropyIsThatOfAllCounts(t *testing.T) {
	for _, mean := range []float64{-4, -2, -1, 0, .9, 1.1, 2, 3, 5} {
		for _, sd := range []float64{0.01, .1, .3, .6, 1} {
			var x dist.NormalMixture
			x.Size(1)
			x.W[0], x.Mean[0], x.SD[0] = 1, mean, sd
			p := mass{&x, mean, sd}
			want, left := 0.0, 1.0
			for y := 0.0; left > 1e-7 && y < 20_000; y++ {
				log := p.logMass(y)
				want -= log * math.Exp(log)
				left -= math.Exp(log)
			}
			if got := p.entropy(); !(math.Abs(got-want) < .05) {
				t.Errorf("log rate %g, sd %g: %.4f, the sum is %.4f", mean, sd, got, want)
			}
		}
	}
}
