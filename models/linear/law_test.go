package linear

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/internal/dist"
)

func TestRefusesOtherBytes(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		m := modeltest.Model(t, Kind(), variant, nil, cdf.Dims{Columns: modeltest.Columns(3), Intercept: true})
		d := modeltest.Stepper{Model: m}
		d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(42, 1)), 9, 3, true), 1)
		head := len(modeltest.State(t, m)) % 8
		modeltest.RefusesBytes(t, m, map[string]func([]byte) []byte{
			"eight less": func(b []byte) []byte { return b[:len(b)-8] }, "format": modeltest.FirstByte, "NaN": modeltest.LastNaN,
			"negative rows": modeltest.Negative(head), "negative s2": modeltest.Negative(head + 8),
		})
	}
}

// Before the first row, and after shards without responses, the summary is
// the prior's.
func TestPrior(t *testing.T) {
	s := Settings{Prior: Prior{BetaVariance: 4, InterceptVariance: 25, Sigma2Shape: 3, Sigma2Rate: 8}}
	for _, c := range []struct {
		variant string
		first   float64 // prior sd of the first coefficient
	}{{"corrected", 5}, {"paper", 5}, {"", 2}} {
		variant := c.variant
		m := modeltest.Model(t, Kind(), variant, modeltest.Set(s), cdf.Dims{Columns: modeltest.Columns(2), Intercept: c.first == 5})
		f := append(modeltest.Coefficients(2), cdf.Functional{Name: "w", Const: 7, Param: []int{0, 1}, Weight: []float64{1, -3}})
		sd := make([]float64, 4)
		m.(cdf.Summarizer).PriorSD(f, sd)
		want := []float64{c.first, 2, 4, math.Sqrt(c.first*c.first + 9*4)}
		d := modeltest.Stepper{Model: m}
		for range 2 {
			for i, r := range modeltest.Summarize(t, m, f) {
				if modeltest.Relative(sd[i], want[i]) > 1e-14 || modeltest.Relative(r.SD, want[i]) > 1e-14 {
					t.Errorf("%s: sd of %d is %v in the summary, %v as prior, want %v", variant, i, r.SD, sd[i], want[i])
				}
			}
			rows := modeltest.Summarize(t, m, f)
			if rows[3].Mean != 7 || modeltest.Relative(rows[3].Q975, 7+dist.NormalQuantiles[6]*want[3]) > 1e-14 || rows[2].Mean != 4 {
				t.Errorf("%s: %+v", variant, rows[2:])
			}
			d.Must(t, &cdf.Shard{Rows: 1, Cols: 2, X: []float64{1, 2}, Y: []float64{math.NaN()}}, 1)
		}
	}
	m := newTest(t, 2)
	sd := make([]float64, 1)
	m.PriorSD([]cdf.Functional{{Param: []int{2}, Weight: []float64{1}}}, sd)
	if !math.IsNaN(sd[0]) {
		t.Errorf("IG(1, 1) has prior sd %v", sd[0])
	}
	if m.LogEvidence() != 0 {
		t.Errorf("evidence of nothing is %v", m.LogEvidence())
	}
}

// An affine functional is summarised as the law it is: against the same
// functional of many draws. 4.5 standard errors over 32 comparisons: a false
// alarm in 5,000 seeds.
func TestDrawsAgreeWithTheSummary(t *testing.T) {
	const S, p = 40_000, 3
	f := append(modeltest.Coefficients(p),
		cdf.Functional{Name: "w", Const: 2, Param: []int{0, 2}, Weight: []float64{1.5, -2}},
		cdf.Functional{Name: "scaled", Param: []int{p}, Weight: []float64{9}})
	for _, variant := range []string{"corrected", "paper"} {
		for _, rows := range []int{0, 8, 300} {
			m := modeltest.Model(t, Kind(), variant, strictyaml.Decode("prior: {sigma2_shape: 6}"), cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
			d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: S, Chains: 1, Data: make([]float64, S*(p+1))}}
			d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(43, 1)), rows, p, true), 1)
			for i, r := range modeltest.Summarize(t, m, f) {
				mean, square, below := 0.0, 0.0, [3]float64{}
				for k := range S {
					v := f[i].Const
					for j, q := range f[i].Param {
						v += f[i].Weight[j] * d.Draws.Row(q)[k]
					}
					mean += v / S
					square += (v - r.Mean) * (v - r.Mean) / S
					for j, q := range []float64{r.Q025, r.Median, r.Q75} {
						if v <= q {
							below[j] += 1. / S
						}
					}
				}
				at := fmt.Sprintf("%s, %d rows, functional %d", variant, rows, i)
				if z := (mean - r.Mean) / r.SD * math.Sqrt(S); !(math.Abs(z) < 4.5) {
					t.Errorf("%s: mean of the draws %v, of the summary %v (%.1f se)", at, mean, r.Mean, z)
				}
				if ratio := math.Sqrt(square) / r.SD; !(math.Abs(ratio-1) < .04) {
					t.Errorf("%s: sd of the draws over the summary's: %v", at, ratio)
				}
				for j, want := range []float64{.025, .5, .75} {
					if z := (below[j] - want) / math.Sqrt(want*(1-want)/S); !(math.Abs(z) < 4.5) {
						t.Errorf("%s: share below the %v quantile is %v", at, want, below[j])
					}
				}
			}
		}
	}
}

// The covariance has the summary's variances on its diagonal and elsewhere
// what the variances of sums and differences imply.
func TestCovariance(t *testing.T) {
	const p = 3
	f := modeltest.Coefficients(p)[:p]
	f = append(f, cdf.Functional{Name: "w", Const: 5, Param: []int{0, 2}, Weight: []float64{1, -2}})
	for _, variant := range []string{"corrected", "paper"} {
		for _, rows := range []int{0, 12, 90} {
			m := modeltest.Model(t, Kind(), variant, nil, cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
			d := modeltest.Stepper{Model: m}
			d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(46, 1)), rows, p, true), 1)
			got := make([]float64, 10)
			if err := m.(cdf.Covariancer).Covariance(f, got); err != nil {
				t.Fatal(err)
			}
			variance := func(i, j int, sign float64) float64 {
				g := cdf.Functional{Param: slices.Concat(f[i].Param, f[j].Param), Weight: slices.Clone(f[i].Weight)}
				for _, w := range f[j].Weight {
					g.Weight = append(g.Weight, sign*w)
				}
				sd := modeltest.Summarize(t, m, []cdf.Functional{g})[0].SD
				return sd * sd
			}
			for i, at := 0, 0; i < len(f); i++ {
				for j := 0; j <= i; j++ {
					unit := modeltest.Summarize(t, m, f)[i].SD * modeltest.Summarize(t, m, f)[j].SD
					want := (variance(i, j, 1) - variance(i, j, -1)) / 4
					if !(math.Abs(got[at]-want) < 1e-11*unit) {
						t.Errorf("%s, %d rows: covariance %d, %d is %v, want %v", variant, rows, i, j, got[at], want)
					}
					at++
				}
			}
			if err := m.(cdf.Covariancer).Covariance(modeltest.Coefficients(p), make([]float64, 10)); !errors.Is(err, cdf.ErrSchema) {
				t.Errorf("%s: sigma2 gives %v", variant, err)
			}
		}
	}
}

// The closed form's draws carry the dependence of beta's spread on sigma2:
// (beta - mean)^2 / sigma2 does not depend on sigma2, so its square before
// the division correlates with it, by .13 here.
func TestDrawsAreJoint(t *testing.T) {
	const S, p = 40_000, 3
	m := newTest(t, p)
	d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: S, Chains: 1, Data: make([]float64, S*(p+1))}}
	d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(45, 1)), 60, p, true), 1)
	correlation := func(divide bool) float64 {
		var x, y, xx, yy, xy float64
		for k, s := range d.Draws.Row(p) {
			e := d.Draws.Row(1)[k] - m.post.beta[1]
			v := e * e
			if divide {
				v /= s
			}
			x, y, xx, yy, xy = x+v/S, y+s/S, xx+v*v/S, yy+s*s/S, xy+v*s/S
		}
		return (xy - x*y) / math.Sqrt((xx-x*x)*(yy-y*y))
	}
	if c := correlation(false); !(c > .09 && c < .18) {
		t.Errorf("correlation %v", c)
	}
	if c := correlation(true); !(math.Abs(c) < 4.5/math.Sqrt(S)) {
		t.Errorf("correlation %v after division", c)
	}
}

// Under a flat prior of 5 coefficients sigma2 has the law IG(a + (n-5)/2, .), whose
// shape its first two moments tell.
func TestSigma2CountsTheCoefficients(t *testing.T) {
	s := Defaults()
	s.Prior.BetaVariance, s.Prior.InterceptVariance = 1e8, 1e8
	m := modeltest.Model(t, Kind(), "", modeltest.Set(s), cdf.Dims{Columns: modeltest.Columns(5)})
	d := modeltest.Stepper{Model: m}
	d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(37, 1)), 80, 5, false), 1)
	r := modeltest.Summarize(t, m, modeltest.Coefficients(5)[5:6])[0]
	if got, want := 2+r.Mean*r.Mean/(r.SD*r.SD), s.Prior.Sigma2Shape+(80-5)/2.; modeltest.Relative(got, want) > 1e-3 {
		t.Errorf("%s: shape %v, want %v", r.Variable, got, want)
	}
}
