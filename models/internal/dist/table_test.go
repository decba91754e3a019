package dist

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// The tables against the distribution functions, on the lattice, between and
// beyond.
func TestLawTables(t *testing.T) {
	var table Table
	for _, shape := range []float64{.5, 1, 4, 60} {
		table.Student(2 * shape)
		for z := -45.; z < 45; z += .37 {
			if p, _ := table.at(z); math.Abs(p-StudentCDF(z, 2*shape)) > 2e-7 {
				t.Fatalf("shape %v: P(T <= %v) = %v, want %v", shape, z, p, StudentCDF(z, 2*shape))
			}
		}
		table.LogInvGamma(shape)
		for x := -math.Log(shape) - 3; x < 9; x += .13 {
			if p, _ := table.at(x); math.Abs(p-mathext.GammaIncRegComp(shape, math.Exp(-x))) > 2e-7 {
				t.Fatalf("shape %v: P(log X <= %v) = %v, want %v", shape, x, p, mathext.GammaIncRegComp(shape, math.Exp(-x)))
			}
		}
	}
}

// Quantiles of mixtures against halving, where steps of Halley's method must
// not stop short: overlapping laws, laws of many widths, two with a gap
// between, whose quantile at .5 could be anywhere there.
func TestTableMixtureQuantiles(t *testing.T) {
	var table Table
	for _, shape := range []float64{.5, 1, 4, 60} {
		for _, fill := range []func(){func() { table.Student(2 * shape) }, func() { table.LogInvGamma(shape) }} {
			fill()
			for _, apart := range []float64{.3, 2, 40} {
				var x Mixture
				x.Reset(&table)
				for k := range 9 {
					x.Add(float64(1+k%3)/18, apart*float64(k/5)+.1*float64(k), .5+float64(k)/4)
				}
				_, width := x.Place()
				for _, p := range []float64{.025, .25, .47, .75, .9, .975} {
					lo, hi := -1e5, 1e5
					for range 80 {
						if y := 0.5 * (lo + hi); func() float64 { q, _, _ := x.at(y); return q }() < p {
							lo = y
						} else {
							hi = y
						}
					}
					if got := x.Quantile(p); !(math.Abs(got-lo) < 1e-9*width) {
						t.Errorf("df %v, shape %v, apart %v: the %v quantile is %v, want %v", table.df, table.shape, apart, p, got, lo)
					}
				}
			}
		}
	}
}
