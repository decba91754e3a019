package anova

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// Quantiles from draws are 4000 draws' own: within five standard errors.
func TestPriorOfGroups(t *testing.T) {
	rows := modeltest.Prior(t, Kind(), strictyaml.Decode("prior: {mu_variance: 4, tau2_shape: 3, tau2_rate: 10}"))
	modeltest.Within(t, "sd of mu", rows["mu"].SD, 2, 1e-9)
	modeltest.Within(t, "sd of zeta", rows["zeta[a]"].SD, 3, 1e-9)
	modeltest.Within(t, ".975 quantile of zeta", rows["zeta[a]"].Q975, 5.9, .6)
	modeltest.Within(t, "mean of tau2", rows["tau2"].Mean, 5, 1e-9)

	flat := modeltest.Prior(t, Kind(), nil)
	if r := flat["zeta[a]"]; !math.IsNaN(r.Median) || !math.IsNaN(r.SD) {
		t.Errorf("zeta under a flat prior is described: %+v", r)
	}
}
