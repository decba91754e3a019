package poisson

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/models/internal/dist"
)

// exactMass is P(Y = y) by many nodes.
func exactMass(y, mean, sd float64) float64 {
	const points = 4000
	sum := 0.0
	for i := range points + 1 {
		z := -10 + 20*float64(i)/points
		eta := mean + sd*z
		sum += math.Exp(y*eta - math.Exp(eta) - dist.LogGamma(y+1) - z*z/2)
	}
	return sum * 20 / points / math.Sqrt(2*math.Pi)
}

// The grid against many nodes, in sds up to where it says that it is too coarse:
// masses to 1e-8, and to 1e-6 of those whose logarithm is taken.
func TestGrid(t *testing.T) {
	for _, sd := range []float64{1e-3, .1, .2, .28, .4, .55, .8, 1.2, 1.7, 2.4, 3.2} {
		for _, mean := range []float64{-3, 0, 1, 2.5, 4} {
			below := 0.0
			for y := range exactBelow + 1 {
				want := exactMass(float64(y), mean, sd)
				b, m, ok := onGrid(y, mean, sd)
				switch {
				case !ok:
					if sd < 1.5 {
						t.Errorf("sd %g is too large for the grid", sd)
					}
				case math.Abs(b-below) > 1e-8 || math.Abs(m-want) > 1e-8 || want > onGridFrom && math.Abs(m/want-1) > 1e-6:
					t.Errorf("sd %g about %g, count %d: %v below, mass %v, want %v and %v", sd, mean, y, b, m, below, want)
				}
				below += want
			}
		}
	}
}
