package dlm

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

func TestPriorOfVariables(t *testing.T) {
	for _, mode := range []string{"grid", "compact", "filtered"} {
		rows := modeltest.Prior(t, Kind(), strictyaml.Decode("{mode: "+mode+", prior: {sigma2_shape: 4, sigma2_rate: 3}}"))
		modeltest.Within(t, mode+": sd of phi", rows["phi"].SD, 1/math.Sqrt(3), .002)
		modeltest.Within(t, mode+": .975 quantile of phi", rows["phi"].Q975, .95, .002)
		modeltest.Within(t, mode+": mean of sigma2", rows["sigma2"].Mean, 1, 1e-9)
		modeltest.Within(t, mode+": sd of sigma2", rows["sigma2"].SD, math.Sqrt(.5), 1e-9)
	}
	rows := modeltest.Prior(t, Kind(), strictyaml.Decode("{mode: compact, prior: {phi_mean: .9, phi_variance: .01, theta0_variance: 9}}"))
	modeltest.Within(t, "sd of theta", rows["theta"].SD, math.Sqrt(9*.2), 1e-9)
	// phi is normal below 1: the median has half of P(Z < 1) below it.
	median := .9 + .1*math.Sqrt2*math.Erfinv(normal.CDF(1)-1)
	modeltest.Within(t, "median of a truncated phi", rows["phi"].Median, median, .008)
	if !(rows["phi"].Q975 < 1) {
		t.Errorf("phi beyond 1: %+v", rows["phi"])
	}
}
