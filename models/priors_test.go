package models

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/kind"
)

// priorOf returns the prior of a key's variables after one shard of four rows
// in two groups, by name, nothing being scaled. Seed 1.
func priorOf(t *testing.T, name, variant string, change func(settings any)) map[string]cdf.Row {
	t.Helper()
	k, ok := Lookup(name)
	if !ok {
		t.Fatalf("no kind %s", name)
	}
	columns := cdf.Roles{Scaling: "none", Features: []cdf.Feature{}, Intercept: true}
	if k.Groups != kind.NoGroups {
		columns.Groups = []cdf.Group{{Column: "g"}}
	}
	spec, err := k.Spec(variant, columns, func(s any) error {
		change(s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f := cdf.NewFilter(spec, "key")
	if _, err := f.Update(&cdf.Batch{Rows: 4, Columns: []cdf.Column{
		{Name: "y", Type: cdf.Float, Number: []float64{1, 0, 1, 2}},
		{Name: "g", Type: cdf.Text, Code: []int32{0, 1, 0, 1}, Levels: []string{"a", "b"}},
	}}); err != nil {
		t.Fatal(err)
	}
	p, err := f.Prior()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]cdf.Row{}
	for _, r := range p.Rows {
		rows[r.Variable] = r
	}
	return rows
}

func within(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %g, want %g within %g", name, got, want, tolerance)
	}
}

// Quantiles from draws are 4000 draws' own: within five standard errors.
func TestPriorOfGroups(t *testing.T) {
	rows := priorOf(t, "poisson", "corrected", func(s any) {
		p := &s.(*PoissonSettings).Prior
		p.Group, p.GroupShape, p.GroupRate = inverseGamma, 3, 2
	})
	u := rows["u[b]"] // t with 6 degrees of freedom, scale^2 = 2/3
	scale := math.Sqrt(2. / 3)
	within(t, "sd of u", u.SD, 1, 1e-9)
	within(t, ".975 quantile of u", u.Q975, scale*dist.StudentQuantile(dist.NormalQuantiles[6], 6), .25)
	within(t, ".75 quantile of u", u.Q75, scale*dist.StudentQuantile(dist.NormalQuantiles[4], 6), .08)
	within(t, "mean of u", u.Mean, 0, 0)
	within(t, "sd of sigma2_u", rows["sigma2_u"].SD, 1, 1e-9)
	within(t, "sd of beta", rows["beta[intercept]"].SD, 100, 1e-9)

	rows = priorOf(t, "poisson", "corrected", func(any) {})
	v := rows["sigma2_u"] // of a half-Cauchy with scale 10: the median is 10^2
	within(t, "median of sigma2_u", v.Median, 100, 1e-9)
	within(t, ".25 quantile of sigma2_u", v.Q25, 100*math.Pow(math.Tan(math.Pi/8), 2), 1e-9)
	if u := rows["u[a]"]; u.SD == u.SD || u.Mean == u.Mean || !(u.Q975 > 50) {
		t.Errorf("effects of a half-Cauchy have no moments and wide tails: %+v", u)
	}

	rows = priorOf(t, "anova", "corrected", func(s any) {
		p := &s.(*anova.Settings).Prior
		p.MuVariance, p.Tau2Shape, p.Tau2Rate = 4, 3, 10
	})
	within(t, "sd of mu", rows["mu"].SD, 2, 1e-9)
	within(t, "sd of zeta", rows["zeta[a]"].SD, 3, 1e-9)
	within(t, ".975 quantile of zeta", rows["zeta[a]"].Q975, 5.9, .6)
	within(t, "mean of tau2", rows["tau2"].Mean, 5, 1e-9)

	flat := priorOf(t, "anova", "corrected", func(any) {})
	if r := flat["zeta[a]"]; r.Median == r.Median || r.SD == r.SD {
		t.Errorf("zeta under a flat prior is described: %+v", r)
	}
}

func TestPriorOfDLM(t *testing.T) {
	for _, mode := range []string{"grid", "compact", "filtered"} {
		rows := priorOf(t, "dlm", "corrected", func(s any) {
			v := s.(*dlm.Settings)
			v.Mode, v.Prior.Sigma2Shape, v.Prior.Sigma2Rate = mode, 4, 3
		})
		within(t, mode+": sd of phi", rows["phi"].SD, 1/math.Sqrt(3), .002)
		within(t, mode+": .975 quantile of phi", rows["phi"].Q975, .95, .002)
		within(t, mode+": mean of sigma2", rows["sigma2"].Mean, 1, 1e-9)
		within(t, mode+": sd of sigma2", rows["sigma2"].SD, math.Sqrt(.5), 1e-9)
	}
	rows := priorOf(t, "dlm", "corrected", func(s any) {
		v := s.(*dlm.Settings)
		v.Mode, v.Prior.PhiMean, v.Prior.PhiVariance, v.Prior.Theta0Variance = "compact", .9, .01, 9
	})
	within(t, "sd of theta", rows["theta"].SD, 3, 1e-9)
	// phi is normal below 1: the median has half of P(Z < 1) below it.
	median := .9 + .1*math.Sqrt2*math.Erfinv(normal.CDF(1)-1)
	within(t, "median of a truncated phi", rows["phi"].Median, median, .008)
	if !(rows["phi"].Q975 < 1) {
		t.Errorf("phi beyond 1: %+v", rows["phi"])
	}
}
