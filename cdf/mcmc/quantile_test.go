package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The error of a quantile is that by which it varies, of draws that depend on each other
// (autocorrelation .5): over 2,000 runs of 4 chains of 500, the sd of the estimate and the
// root mean square of the errors differ by a few per cent, the sampling error of the ratio
// being 1.6 %.
func TestMCSEQuantile(t *testing.T) {
	const runs, chains, n, rho = 2000, 4, 500, .5
	rng := rand.New(rand.NewPCG(8, 20))
	var d Diagnostics
	x := make([]float64, chains*n)
	for _, p := range []float64{.05, .5, .9} {
		var at, square []float64
		for range runs {
			for c := range chains {
				v := rng.NormFloat64()
				for i := range n {
					x[c*n+i] = v
					v = rho*v + math.Sqrt(1-rho*rho)*rng.NormFloat64()
				}
			}
			r := d.Rank(x, chains)
			at = append(at, Quantile(r.Sorted(), p))
			e := r.MCSEQuantile(p)
			square = append(square, e*e)
		}
		_, variance := Moments(at)
		mean, _ := Moments(square)
		if ratio := math.Sqrt(mean / variance); !(ratio > .93 && ratio < 1.07) {
			t.Errorf("level %g: the error is %.3f times the sd", p, ratio)
		}
	}
	for i := range x {
		x[i] = 1
	}
	if e := d.Rank(x, chains).MCSEQuantile(.5); !math.IsNaN(e) {
		t.Errorf("equal draws have an error of %v", e)
	}
	if x[3] = math.Inf(1); !math.IsNaN(d.Rank(slices.Clone(x), chains).MCSEQuantile(.5)) {
		t.Error("infinite draws have an error")
	}
}
