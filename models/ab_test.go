package models

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/simulate"
)

// arms is the model of an A/B test: the response by arm, A the baseline.
func arms(t testing.TB, kindName, settings string) *cdf.Spec {
	t.Helper()
	k, ok := Lookup(kindName)
	if !ok {
		t.Fatal(kindName)
	}
	return modeltest.Spec(t, k, "corrected", cdf.Roles{Intercept: true, Features: []cdf.Feature{
		{Name: "arm", Levels: []string{"A", "B"}, Baseline: "A", Other: "level"}}}, strictyaml.Decode(settings))
}

// visits is a shard of an A/B test: rows of both arms in turn, and what of each
// arm drew.
func visits(rows int, draw func(arm int) float64) *cdf.Batch {
	b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "arm", Type: cdf.Text, Levels: []string{"A", "B"}}, {Name: "y"}}}
	for i := range rows {
		b.Columns[0].Code = append(b.Columns[0].Code, int32(i%2))
		b.Columns[1].Number = append(b.Columns[1].Number, draw(i%2))
	}
	return b
}

// betaBinomial returns P(pB > pA) for uniform priors and successes of n trials each,
// by the sum over integer shapes.
func betaBinomial(a, b, n int) float64 {
	lbeta := func(x, y float64) float64 {
		u, _ := math.Lgamma(x)
		v, _ := math.Lgamma(y)
		w, _ := math.Lgamma(x + y)
		return u + v - w
	}
	a1, b1, a2, b2 := float64(a+1), float64(n-a+1), float64(b+1), float64(n-b+1)
	p := 0.0
	for i := range int(a2) {
		x := float64(i)
		p += math.Exp(lbeta(a1+x, b1+b2) - math.Log(b2+x) - lbeta(1+x, b2) - lbeta(a1, b1))
	}
	return p
}

// gammaPoisson returns P(rB > rA) for flat priors of the logarithms and equal times: the
// rates are gamma laws with the counts as shapes.
func gammaPoisson(a, b int) float64 {
	// rB/(rA+rB) is Beta(b, a); above 1/2 with at least as many of a+b-1 tosses below b.
	p, n := 0.0, a+b-1
	for k := range b {
		x, _ := math.Lgamma(float64(n + 1))
		y, _ := math.Lgamma(float64(k + 1))
		z, _ := math.Lgamma(float64(n - k + 1))
		p += math.Exp(x - y - z - float64(n)*math.Ln2)
	}
	return p
}

// The probit model's prior, integrated on a grid: beta_0 ~ N(0, 10), beta_B ~ N(0, 1).
func probitGrid(a, b, n int) float64 {
	total, above := 0.0, 0.0
	log := func(x float64, y int) float64 {
		return float64(y)*normal.LogCDF(x) + float64(n-y)*normal.LogCDF(-x)
	}
	for i := range 1201 {
		x := -3 + .005*float64(i)
		for j := range 801 {
			d := -2 + .005*float64(j)
			w := math.Exp(log(x, a) + log(x+d, b) - x*x/20 - d*d/2 - log(normal.Quantile(float64(a)/float64(n)), a) - log(normal.Quantile(float64(b)/float64(n)), b))
			total += w
			switch {
			case j > 400:
				above += w
			case j == 400:
				above += w / 2
			}
		}
	}
	return above / total
}

// An A/B test of conversions: probit against its own posterior by quadrature, within 4
// MCSE, and against Beta-binomial, whose prior is another one. The window's rows are exact;
// of those that have left it the filter knows less: .015 are allowed for that, and
// .02 for the other prior.
func TestConversionsByArm(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		truth := [2]float64{.10, .10 + .015*float64(seed%3)}
		spec := asked(arms(t, "probit", ""), probability(t, "B", "beta[arm=B] > 0"))
		spec.Draws = 4000
		f := cdf.NewFilter(spec, "k")
		var won [2]int
		var p cdf.Row
		for range 20 {
			sum, err := f.Update(visits(200, func(arm int) float64 {
				if rng.Float64() < truth[arm] {
					won[arm]++
					return 1
				}
				return 0
			}))
			if err != nil {
				t.Fatal(err)
			}
			p = rowOf(t, sum, "B")
		}
		exact, beta := probitGrid(won[0], won[1], 2000), betaBinomial(won[0], won[1], 2000)
		t.Logf("P(B > A) %.4f ± %.4f, by quadrature %.4f, Beta-binomial %.4f", p.Mean, p.MCSEMean, exact, beta)
		if math.Abs(p.Mean-exact) > 4*p.MCSEMean+.015 || math.Abs(p.Mean-beta) > 4*p.MCSEMean+.035 {
			t.Errorf("%v: P(B > A) is %v ± %v, by quadrature %v, Beta-binomial %v", won, p.Mean, p.MCSEMean, exact, beta)
		}
	}
}

// An A/B test of counts: poisson, without effects of the rows' own, against
// gamma-Poisson; there is no Monte Carlo error, and .01 is allowed for priors and
// the normal law.
func TestCountsByArm(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 2))
		truth := [2]float64{2, 2 + .1*float64(seed%3)}
		spec := asked(arms(t, "poisson", "overdispersion: none"), probability(t, "B", "beta[arm=B] > 0"), quantityOf(t, "ratio", "exp(beta[arm=B])"))
		f := cdf.NewFilter(spec, "k")
		var seen [2]int
		var p, ratio cdf.Row
		for range 10 {
			sum, err := f.Update(visits(100, func(arm int) float64 {
				y := simulate.Count(rng, truth[arm])
				seen[arm] += int(y)
				return y
			}))
			if err != nil {
				t.Fatal(err)
			}
			p, ratio = rowOf(t, sum, "B"), rowOf(t, sum, "ratio")
		}
		want := gammaPoisson(seen[0], seen[1])
		t.Logf("P(B > A) %.4f, gamma-Poisson %.4f; ratio %.4f of %.4f", p.Mean, want, ratio.Mean, float64(seen[1])/float64(seen[0]))
		if p.MCSEMean != 0 || math.Abs(p.Mean-want) > .01 {
			t.Errorf("%v: P(B > A) is %v ± %v, want %v", seen, p.Mean, p.MCSEMean, want)
		}
		if r := float64(seen[1]) / float64(seen[0]); math.Abs(ratio.Mean-r) > .01 || !(ratio.Q025 < r && r < ratio.Q975) {
			t.Errorf("the ratio is %v (%v to %v), want %v", ratio.Mean, ratio.Q025, ratio.Q975, r)
		}
	}
}
