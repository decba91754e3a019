package poisson

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Quantiles from draws are 4000 draws' own: within five standard errors.
func TestPriorOfGroups(t *testing.T) {
	rows := modeltest.Prior(t, Kind(), strictyaml.Decode("prior: {group: inverse-gamma, group_shape: 3, group_rate: 2}"))
	u := rows["u[b]"] // t with 6 degrees of freedom, scale^2 = 2/3
	scale := math.Sqrt(2. / 3)
	modeltest.Within(t, "sd of u", u.SD, 1, 1e-9)
	modeltest.Within(t, ".975 quantile of u", u.Q975, scale*dist.StudentQuantile(dist.NormalQuantiles[6], 6), .25)
	modeltest.Within(t, ".75 quantile of u", u.Q75, scale*dist.StudentQuantile(dist.NormalQuantiles[4], 6), .08)
	modeltest.Within(t, "mean of u", u.Mean, 0, 0)
	modeltest.Within(t, "sd of sigma2_u", rows["sigma2_u"].SD, 1, 1e-9)
	modeltest.Within(t, "sd of beta", rows["beta[intercept]"].SD, 100, 1e-9)

	rows = modeltest.Prior(t, Kind(), nil)
	v := rows["sigma2_u"] // of a half-Cauchy with scale 10: the median is 10^2
	modeltest.Within(t, "median of sigma2_u", v.Median, 100, 1e-9)
	modeltest.Within(t, ".25 quantile of sigma2_u", v.Q25, 100*math.Pow(math.Tan(math.Pi/8), 2), 1e-9)
	if u := rows["u[a]"]; !math.IsNaN(u.SD) || !math.IsNaN(u.Mean) || !(u.Q975 > 50) {
		t.Errorf("effects of a half-Cauchy have no moments and wide tails: %+v", u)
	}
}
