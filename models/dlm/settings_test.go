package dlm

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/internal/dist"
)

func TestSettings(t *testing.T) {
	got := modeltest.Spec(t, Kind(), "", cdf.Roles{}, strictyaml.Decode("{mode: compact, prior: {phi_variance: 1}}")).Settings
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"mode":"compact","mean":"auto","prior":{"sigma2_shape":2,"sigma2_rate":0.2,"tau2_shape":2,"tau2_rate":0.2,"theta0_variance":10,"phi_mean":0,"phi_variance":1},"window":50}`
	if string(b) != want {
		t.Errorf("settings %s, want %s", b, want)
	}
	modeltest.Refuses(t, Kind(), "", map[string]string{
		"mode: exact":                    `mode "exact"`,
		"mean: 0":                        `mean "0"`,
		"{mode: compact, mean: unknown}": "takes the mean for known",
		"window: 1":                      "window must lie between 2 and 10000, got 1",
		"window: 10001":                  "window",
		"prior: {sigma2_shape: 0}":       "prior.sigma2_shape",
		"prior: {tau2_rate: .nan}":       "prior.tau2_rate",
		"prior: {theta0_variance: 0}":    "prior.theta0_variance",
		"prior: {phi_variance: -1}":      "prior.phi_variance",
		"prior: {phi_mean: .inf}":        "prior.phi_mean",
		"prior: {beta_variance: 1}":      "beta_variance",
	})
	for _, mode := range modes {
		if _, err := spec(t, mode[0], mode[1], "").New(cdf.Dims{Columns: []string{"x"}}); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: a feature gives %v", mode, err)
		}
	}
}

// Where the prior has no moments none are published before the first
// observation; quantiles always are.
func TestUndefinedMoments(t *testing.T) {
	s := prior(1, 1, 1.5, 1)
	for _, mode := range []string{"grid", "compact", "filtered"} {
		d := modeltest.Stepper{Model: replication{prior: s, mode: mode}.model(t), Draws: &cdf.Draws{S: 50, Chains: 1, Data: make([]float64, 200)}}
		d.Must(t, rowsShard([]float64{math.NaN()}), 1)
		rows := modeltest.Summarize(t, d.Model, functionals())
		if r := rows[sigma2Row]; !math.IsNaN(r.Mean) || !math.IsNaN(r.SD) {
			t.Errorf("%s: sigma2 of shape 1 has mean %v and sd %v", mode, r.Mean, r.SD)
		}
		if r := rows[tau2Row]; math.IsNaN(r.Mean) || !math.IsNaN(r.SD) {
			t.Errorf("%s: tau2 of shape 1.5 has mean %v and sd %v", mode, r.Mean, r.SD)
		}
		if r := rows[thetaRow]; !math.IsNaN(r.SD) {
			t.Errorf("%s: theta has sd %v", mode, r.SD)
		}
	}
}

// Draws follow the published quantiles, and jointly so: theta/sd given the node
// is free of sigma2, tau2/sigma2 is q. 20,000 draws; 4.5 standard errors of
// 7 shares of 4 variables and a correlation. A coarse grid, of few rows.
func TestDraws(t *testing.T) {
	y, _ := seriesL.make(modeltest.FirstSeed, 60)
	m := newTest(t, priorV)
	const n = 20_000
	d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: n, Chains: 1, Data: make([]float64, 4*n)}}
	d.Must(t, rowsShard(y), 1)
	for k, r := range modeltest.Summarize(t, m, functionals()) {
		for i, q := range []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975} {
			below := 0.0
			for _, v := range d.Draws.Row(k) {
				if v <= q {
					below++
				}
			}
			if z := (below/n - dist.Levels[i]) / math.Sqrt(dist.Levels[i]*(1-dist.Levels[i])/n); !(math.Abs(z) < 4.5) {
				t.Errorf("%s: share %.4f below the %g quantile, z = %.1f", r.Variable, below/n, dist.Levels[i], z)
			}
		}
	}
	// E log q over the draws against the weights of the nodes.
	w := m.family.take()
	w.weigh(&m.grid, &m.family.settings.Prior, m.n)
	var exact, square float64
	for k, p := range w.weight {
		exact += p * m.grid.l[k%nodes]
		square += p * m.grid.l[k%nodes] * m.grid.l[k%nodes]
	}
	var got float64
	for i, v := range d.Draws.Row(tau2Row) {
		got += math.Log(v/d.Draws.Row(sigma2Row)[i]) / n
	}
	if z := (got - exact) / math.Sqrt((square-exact*exact)/n); !(math.Abs(z) < 4.5) {
		t.Errorf("mean of log tau2/sigma2 %v, want %v, z = %.1f", got, exact, z)
	}
}

// The prior sd of phi: uniform, and normal restricted to (-1, 1).
func TestPriorSD(t *testing.T) {
	sd := make([]float64, 4)
	m := newTest(t, prior(4, 2, 2, 1))
	m.PriorSD(functionals(), sd)
	if math.Abs(sd[phiRow]-math.Sqrt(1./3)) > 1e-6 || !math.IsNaN(sd[tau2Row]) || modeltest.Relative(sd[sigma2Row], 2/(3*math.Sqrt2)) > 1e-12 {
		t.Errorf("prior sds %v", sd)
	}
	// Var = 1 - 2 phi(1)/(Phi(1)-Phi(-1)) of the standard normal on (-1, 1).
	want := math.Sqrt(1 - 2*math.Exp(-.5)/math.Sqrt(2*math.Pi)/math.Erf(1/math.Sqrt2))
	if got := (&Prior{PhiVariance: 1}).phiSD(); math.Abs(got-want) > 1e-6 {
		t.Errorf("sd of the restricted normal %v, want %v", got, want)
	}
	// Given the path the precisions of prior and path add, and are here so large
	// that a draw is its mean: 1 part of .9 and 3 of .5.
	p := Prior{PhiMean: .9, PhiVariance: 1e-12}
	if got := p.drawPhi(newRand(1), 3e12, 1.5e12, 2); math.Abs(got-.6) > 5e-6 {
		t.Errorf("phi is %v, want .6", got)
	}
}

// Rows of one step tell of a large tau2 as one of them does: moments of tau2 and of what varies with it are as those after one row, in
// their own step and after a discount. They were published by the number of rows, and were those of the grid's limits.
func TestMomentsOfRowsOfOneStep(t *testing.T) {
	for _, c := range []struct {
		times            []int64
		forget           float64
		mean, sd, spread bool // of tau2, and of the level
	}{
		{[]int64{1, 2, 3, 4, 5, 6, 7}, 1, true, true, true},
		{[]int64{3, 3, 3, 3, 3, 3, 3}, 1, false, false, false},
		{[]int64{3, 3, 3, 3, 3, 4, 4}, 1, true, false, true},
		{[]int64{1, 2, 2, 3, 3, 4, 4}, 1, true, true, true},
		{[]int64{1, 2, 2, 3, 3, 4, 4}, .5, true, false, true},
	} {
		for _, mean := range []string{"known", "unknown"} {
			s := prior(2, .2, .5, .2)
			s.Mean = mean
			m := newTest(t, s)
			sh := rowsShard([]float64{.1, .5, -.3, .7, .2, -.4, .3})
			sh.Time = c.times
			d := modeltest.Stepper{Model: m}
			d.Must(t, sh, 1)
			last := rowsShard([]float64{math.NaN()})
			last.Time = []int64{10}
			d.Must(t, last, c.forget)
			rows := modeltest.Summarize(t, m, functionals())
			if r := rows[tau2Row]; math.IsNaN(r.Mean) == c.mean || math.IsNaN(r.SD) == c.sd || math.IsNaN(rows[thetaRow].SD) == c.spread {
				t.Errorf("times %v, forget %v, mean %s: tau2 has mean %v and sd %v, the level an sd of %v", c.times, c.forget, mean, r.Mean, r.SD, rows[thetaRow].SD)
			}
		}
	}
}
