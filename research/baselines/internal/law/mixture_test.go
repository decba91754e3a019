package law

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// The law of a row against sums over its density: total mass, moments, mass up
// to a quantile and up to a response.
func TestLawOfARow(t *testing.T) {
	l := Mixture{Weight: []float64{.3, 0, .7}, Mean: []float64{-1, 50, 2}, Level: []float64{.2, 1, 0}, Noise: []float64{.3, 1, 2}}
	l.Settle()
	var p cdf.Prediction
	l.Describe(&p)
	l.Value(1.5, &p)
	const h = 1e-3
	mass, mean, square, below, toMedian := 0.0, 0.0, 0.0, 0.0, 0.0
	median := l.quantile(.5, true)
	for y := -15.0; y < 20; y += h {
		d := h * math.Exp(l.logDensity(y))
		mass += d
		mean += y * d
		square += y * y * d
		if y <= 1.5 {
			below += d
		}
		if y <= median {
			toMedian += d
		}
	}
	modeltest.Within(t, "mass", mass, 1, 1e-9)
	modeltest.Within(t, "mean", p.Mean, mean, 1e-9)
	modeltest.Within(t, "mean that residuals are about", l.centre, mean, 1e-9)
	modeltest.Within(t, "sd", p.SD, math.Sqrt(square-mean*mean), 1e-9)
	modeltest.Within(t, "PIT", p.PIT, below, 1e-3)
	modeltest.Within(t, "mass to the median", toMedian, .5, 1e-3)
	modeltest.Within(t, "mass to the 2.5 % quantile", l.pit(p.Q025), .025, 1e-12)
	modeltest.Within(t, "mass to the 97.5 % quantile", l.pit(p.Q975), .975, 1e-12)
	// The line: a normal and a point.
	modeltest.Within(t, "sd of the line", p.EpredSD, math.Sqrt(.3*.2+.3*2.1*2.1+.7*.9*.9), 1e-12)
	modeltest.Within(t, "the point has the upper mass", p.EpredQ975, 2, 1e-9)
	if v := l.logDensity(1e4); !lin.Finite(v) || v > -1e6 {
		t.Errorf("the log density far away is %v", v)
	}
}
