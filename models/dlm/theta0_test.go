package dlm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/internal/dist"
)

// theta_0 ~ N(0, h sigma2) in every mode: with sigma2 integrated out it is h b/a
// times t with 2a degrees of freedom, squared. The grid knows it to its spacing.
func TestPriorOfTheta0(t *testing.T) {
	const a, b, h = 4., 3., 9.
	for _, c := range []struct {
		mode string
		miss float64
	}{{"grid", .002}, {"compact", 1e-9}, {"filtered", 1e-9}} {
		rows := modeltest.Prior(t, Kind(), strictyaml.Decode(
			fmt.Sprintf("{mode: %s, prior: {sigma2_shape: %g, sigma2_rate: %g, theta0_variance: %g}}", c.mode, a, b, h)))
		r := rows["theta"]
		modeltest.Within(t, c.mode+": mean", r.Mean, 0, 1e-9)
		modeltest.Within(t, c.mode+": sd", r.SD/math.Sqrt(h*b/(a-1)), 1, c.miss)
		want := math.Sqrt(h*b/a) * dist.StudentQuantile(dist.NormalQuantiles[6], 2*a)
		modeltest.Within(t, c.mode+": .975 quantile", r.Q975/want, 1, c.miss)
		modeltest.Within(t, c.mode+": .025 quantile", r.Q025/want, -1, c.miss)
	}
}

// The first row before any data. On the grid phi, tau2 and sigma2 are
// integrated out,
//
//	Var y_1 = (h E[phi^2] + 1) E[sigma2] + E[tau2]
//
// and the others hold them at their starting values.
func TestFirstRowFromTheta0(t *testing.T) {
	s := prior(4, 3, 5, 2)
	s.Prior.Theta0Variance = 9
	for _, mode := range []string{"grid", "compact", "filtered", "paper"} {
		phi2, tau2, sigma2, miss := 1./3, 2./4, 3./3, .002
		if mode != "grid" {
			phi2, tau2, sigma2, miss = .25, 2./6, 3./5, 1e-12
		}
		level := 9*phi2*sigma2 + tau2
		p := ahead(t, replication{prior: s, mode: mode}.model(t), 1)[0]
		modeltest.Within(t, mode+": variance of the level", p.EpredSD*p.EpredSD/level, 1, miss)
		modeltest.Within(t, mode+": variance of an observation", p.SD*p.SD/(level+sigma2), 1, miss)
	}
}

// While no step has left the window, batch rules have the posterior of the grid:
// of few steps, so that much of it is theta_0, and with a variance of theta_0
// in units far from the response. 40,000 draws, 4.5 standard errors by the
// effective number of draws of 2 means of 2 modes: a false alarm in 40,000 seeds.
func TestTheta0IsOneLaw(t *testing.T) {
	s := prior(5, .2, 5, 2)
	s.Prior.Theta0Variance, s.Window = 30, 50
	y := []float64{1.5, .2, 1, -.4}
	exact := modeltest.Stepper{Model: newTest(t, s)}
	exact.Must(t, rowsShard(y), 1)
	want := modeltest.Summarize(t, exact.Model, functionals())
	for _, mode := range []string{"compact", "filtered"} {
		const draws = 40_000
		d := modeltest.Stepper{
			Model: replication{prior: s, mode: mode}.model(t),
			Draws: &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, 4*draws)},
		}
		d.Must(t, rowsShard(y), 1)
		var diag mcmc.Diagnostics
		for _, k := range []int{phiRow, sigma2Row} {
			r := modeltest.Summarize(t, d.Model, functionals())[k]
			ess := diag.ESSBulk(slices.Clone(d.Draws.Row(k)), 1)
			z := (r.Mean - want[k].Mean) / want[k].SD * math.Sqrt(ess)
			t.Logf("%s: %s %.4f, on the grid %.4f, z = %.1f", mode, params[k].Name, r.Mean, want[k].Mean, z)
			if !(math.Abs(z) < 4.5) {
				t.Errorf("%s: mean of %s %.4f, on the grid %.4f, z = %.1f", mode, params[k].Name, r.Mean, want[k].Mean, z)
			}
		}
	}
}

// The boundary that mode compact leaves behind moves with psi as the filter
// from theta_0 ~ N(0, h sigma2) does, and the quadratic's score is that of the
// likelihood from there: central differences.
func TestCompactLeavesTheta0(t *testing.T) {
	s := Defaults()
	s.Prior.Theta0Variance, s.Window = 7, 3
	m, err := NewCompact(s, cdf.Dims{})
	if err != nil {
		t.Fatal(err)
	}
	m.steps, m.center = slices.Clone(fewSteps), fewPsi
	m.leave()
	at := func(psi vec3) (log, mean, v float64) {
		sigma2 := math.Exp(psi[2])
		return windowLikelihood(fewSteps[:len(fewSteps)-3], 0, 7*sigma2, psi[0], math.Exp(psi[1]), sigma2)
	}
	_, mean, v := at(fewPsi)
	worst := max(math.Abs(m.m0-mean), math.Abs(m.v0-v))
	dlog, dm, dv := differences(at, fewPsi)
	for k := range 3 {
		score := m.h[k]
		for j := range 3 {
			score -= m.info[k][j] * fewPsi[j]
		}
		worst = max(worst, math.Abs(m.edge.dm[k]-dm[k]), math.Abs(m.edge.dv[k]-dv[k]), math.Abs(score-dlog[k]))
	}
	if !m.left || worst > 1e-6 {
		t.Errorf("the boundary misses its differences by %v", worst)
	}
}
