package normal_test

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf/normal"
)

// The references are of mpmath with 50 digits.
func TestTails(t *testing.T) {
	for _, c := range []struct{ x, cdf, log, u, w float64 }{
		{-40.0, 3.6558935409150297e-350, -804.60844201375379, 40.024968847207264, 0.99937733162140861},
		{-8.0, 6.2209605742717841e-16, -35.01343715991455, 8.1213681122361127, 0.98567511655665909},
		{-6.0, 9.8658764503769814e-10, -20.736768949974706, 6.1584826045445989, 0.97601236321083323},
		{-5.5, 1.8989562465887719e-8, -17.779376352625261, 5.6714103138973056, 0.97213822214555377},
		{-1.0, 0.15865525393145705, -1.8410216450092635, 1.5251352761609812, 0.80090233442965121},
		{0.0, 0.5, -0.69314718055994531, 0.79788456080286536, 0.63661977236758134},
		{2.0, 0.97724986805182079, -0.023012909328963488, 0.055247862678989959, 0.11354805168857645},
		{8.0, 0.99999999999999938, -6.2209605742717861e-16, 5.0522710835368954e-15, 4.0418168668295189e-14},
	} {
		u, w := normal.Hazard(c.x)
		for _, v := range [][2]float64{{normal.CDF(c.x), c.cdf}, {normal.LogCDF(c.x), c.log}, {u, c.u}, {w, c.w}} {
			if !(math.Abs(v[0]-v[1]) <= 1e-12*math.Abs(v[1])+1e-16) {
				t.Errorf("x = %v: %v, want %v", c.x, v[0], v[1])
			}
		}
	}
}

func TestQuantileInvertsCDF(t *testing.T) {
	for _, p := range []float64{1e-12, .025, .25, .5, .9, 1 - 1e-12} {
		if got := normal.CDF(normal.Quantile(p)); math.Abs(got-p) > 2e-16 {
			t.Errorf("Phi of the %g quantile is %v", p, got)
		}
	}
	if z := normal.Quantile(.025) + normal.Quantile(.975); z != 0 {
		t.Errorf("quantiles are not symmetric by %g", z)
	}
}
