package dist

import (
	"math"
	"testing"
)

// Parameters that no law has give NaN, and no panic.
func TestOutsideOfTheDomain(t *testing.T) {
	for _, bad := range []float64{0, -1, -1.5, math.Inf(-1)} {
		for name, v := range map[string]float64{
			"t, degrees of freedom": StudentCDF(.5, bad), "t far out": StudentCDF(9, bad),
			"inverse gamma, shape": InvGammaAbove(2, bad, 1), "inverse gamma, rate": InvGammaAbove(2, 1, bad-1),
			"gamma quantile": gammaRatioInverse(bad, .5), "trigamma": Trigamma(bad),
		} {
			if !math.IsNaN(v) {
				t.Errorf("%s of %g: %g", name, bad, v)
			}
		}
	}
	if v := gammaRatioInverse(1, -.5); !math.IsNaN(v) {
		t.Errorf("a quantile at -.5: %g", v)
	}
	if v := TrigammaInverse(-3); v > 0 {
		t.Errorf("a variance of -3 has the shape %g", v)
	}
}
