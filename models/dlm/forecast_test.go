package dlm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

// ahead returns the predictions of a model after the responses, one a step.
func ahead(t testing.TB, m cdf.Model, horizon int) []cdf.Prediction {
	t.Helper()
	y := make([]float64, horizon)
	for i := range y {
		y[i] = math.NaN()
	}
	out := make([]cdf.Prediction, horizon)
	if err := m.(cdf.Predictor).Predict(rowsShard(y), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// someSteps returns observations, some of them missing, followed by steps
// without any.
func someSteps(n, missing int) (y []float64, steps []Step) {
	r := newRand(91)
	level := 0.0
	for i := range n {
		level = .8*level + .7*r.NormFloat64()
		y, steps = append(y, level+.5*r.NormFloat64()), append(steps, Step{})
		if i%7 == 3 {
			y[i] = math.NaN()
			continue
		}
		steps[i].Add(y[i])
	}
	return y, append(steps, make([]Step, missing)...)
}

// A sampled mode predicts from its parameters' means: with these given, the
// law h steps ahead is that of the dense Gaussian calculation.
func TestForecastOfAWindow(t *testing.T) {
	const n, horizon = 30, 25
	y, steps := someSteps(n, horizon)
	for _, mode := range []string{"compact", "filtered", "paper"} {
		s := Defaults()
		s.Prior.Theta0Variance = fewVariance
		m := replication{prior: s, mode: mode, window: 50}.model(t)
		d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: 20, Chains: 1, Data: make([]float64, 4*20)}}
		d.Must(t, rowsShard(y[:12]), 1)
		d.Must(t, rowsShard(y[12:]), 1)
		for _, psi := range []vec3{{.8, math.Log(.5), math.Log(.25)}, {-.6, math.Log(2), math.Log(.1)}} {
			hat := [3]float64{psi[0], math.Exp(psi[1]), math.Exp(psi[2])}
			switch m := m.(type) {
			case *Compact:
				m.hat, m.prior.Theta0Variance = hat, fewVariance/hat[2]
			case *Filtered:
				m.hat, m.prior.Theta0Variance = hat, fewVariance/hat[2]
			}
			mean, cov, _ := conditional(t, steps, psi)
			for i, p := range ahead(t, m, horizon) {
				at := n + 1 + i
				level := math.Sqrt(cov[at*(n+horizon+1)+at])
				sd := math.Hypot(level, math.Sqrt(hat[2]))
				for what, v := range map[string][2]float64{
					"mean": {p.Mean, mean[at]}, "sd": {p.SD, sd}, "epred_sd": {p.EpredSD, level},
					"q2.5": {p.Q025, mean[at] - 1.959963984540054*sd}, "q97.5": {p.Q975, mean[at] + 1.959963984540054*sd},
					"epred_q2.5": {p.EpredQ025, mean[at] - 1.959963984540054*level}, "epred_q97.5": {p.EpredQ975, mean[at] + 1.959963984540054*level},
				} {
					if math.Abs(v[0]-v[1]) > 1e-9 {
						t.Errorf("%s, %d ahead: %s is %v, want %v", mode, i+1, what, v[0], v[1])
					}
				}
			}
		}
	}
}

// On the grid the law h steps ahead is a mixture over the nodes of t laws,
// whose centre and spread at each node are those of the dense Gaussian
// calculation with that node's parameters.
func TestForecastOfTheGrid(t *testing.T) {
	const n, horizon = 30, 20
	y, steps := someSteps(n, horizon)
	s := Defaults()
	s.Prior.Theta0Variance = fewVariance
	m := replication{prior: s}.model(t).(*Model)
	w := m.family.take()
	defer m.family.scratch.Put(w)
	for _, v := range y { // as Absorb does, but for moving the grid, which interpolates
		if m.grid.step(1, v, w.product); !math.IsNaN(v) {
			m.n++
		}
	}
	m.grid.flush(w.product, w.log)
	if !w.weigh(&m.grid, &m.family.settings.Prior, m.n) {
		t.Fatal("no weights")
	}
	type law struct{ p, rate, mean, v float64 } // v in units of sigma2
	var laws [horizon][]law
	for k, p := range w.weight {
		if p < 1e-13 {
			continue
		}
		mean, cov, _ := conditional(t, steps, vec3{m.grid.phi[k/nodes], m.grid.l[k%nodes], 0})
		for h := range horizon {
			at := n + 1 + h
			laws[h] = append(laws[h], law{p, w.rate[k], mean[at], cov[at*(n+horizon+1)+at]})
		}
	}
	a := w.shape
	for h, got := range ahead(t, m, horizon) {
		for noise, g := range [][4]float64{{got.Mean, got.EpredSD, got.EpredQ025, got.EpredQ975}, {got.Mean, got.SD, got.Q025, got.Q975}} {
			mean, v, low, high := 0.0, 0.0, 0.0, 0.0
			for _, l := range laws[h] {
				mean += l.p * l.mean
			}
			for _, l := range laws[h] {
				spread := (l.v + float64(noise)) * l.rate
				v += l.p * (spread/(a-1) + (l.mean-mean)*(l.mean-mean))
				low += l.p * dist.StudentCDF((g[2]-l.mean)/math.Sqrt(spread/a), 2*a)
				high += l.p * dist.StudentCDF((g[3]-l.mean)/math.Sqrt(spread/a), 2*a)
			}
			if math.Abs(g[0]-mean) > 1e-9 || modeltest.Relative(g[1], math.Sqrt(v)) > 1e-8 || math.Abs(low-.025) > 1e-6 || math.Abs(high-.975) > 1e-6 {
				t.Errorf("%d ahead, noise %d: mean %v sd %v, want %v and %v; below the quantiles are %v and %v",
					h+1, noise, g[0], g[1], mean, math.Sqrt(v), low, high)
			}
		}
	}
}

// Forecast is Predict of rows without a response a step apart, in every mode,
// with a time column and without, and leaves the filter alone.
func TestForecastIsPredict(t *testing.T) {
	const horizon = 12
	for _, mode := range []string{"grid", "compact", "filtered", "paper"} {
		for _, time := range []string{"", "s"} {
			t.Run(mode+"/"+time, func(t *testing.T) {
				variant, setting := "corrected", mode
				if mode == "paper" {
					variant, setting = "paper", "grid"
				}
				f := cdf.NewFilter(spec(t, variant, setting, time), "k")
				if _, err := f.Forecast(1); !errors.Is(err, cdf.ErrSchema) {
					t.Errorf("before the first shard: %v", err)
				}
				now := int64(0)
				for _, b := range seriesBatches(time != "")(3, 25) {
					if _, err := f.Update(b); err != nil {
						t.Fatal(err)
					}
					now = b.Columns[0].Int[b.Rows-1]
				}
				before, err := f.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				b := &cdf.Batch{Rows: horizon, Columns: []cdf.Column{{Name: "s", Type: cdf.Integer}, {Name: "y"}}}
				for i := range horizon {
					at := now + int64(i) + 1
					b.Columns[0].Int, b.Columns[0].Number = append(b.Columns[0].Int, at), append(b.Columns[0].Number, float64(at))
					b.Columns[1].Number = append(b.Columns[1].Number, math.NaN())
				}
				found, err := f.Predict(b)
				if err != nil {
					t.Fatal(err)
				}
				want := fmt.Sprint(found)
				got, err := f.Forecast(horizon)
				if err != nil || fmt.Sprint(got) != want {
					t.Errorf("forecast\n%v (%v), predicted\n%s", got, err, want)
				}
				if last := got[horizon-1]; !(last.SD > got[0].SD*.9 && last.Q025 < last.EpredQ025 && last.EpredQ975 < last.Q975 && math.Abs(last.Mean-100) < 20) {
					t.Errorf("%+v", last)
				}
				if after, err := f.AppendBinary(nil); err != nil || string(after) != string(before) {
					t.Errorf("the state is another one (%v)", err)
				}
				for _, h := range []int{0, -1, 1_000_001} {
					if _, err := f.Forecast(h); !errors.Is(err, cdf.ErrShard) {
						t.Errorf("horizon %d: %v", h, err)
					}
				}
			})
		}
	}
}

// Series whose parameters come from the prior: 95 % intervals of the
// observation and of the level, h steps ahead, hold both in 95 of 100. The
// accepted share is .95 +- 3.3 binomial standard errors (one false alarm in
// 1,000 figures). The sampled modes take the parameters at their means, and
// the range says how far that is off.
func TestAcceptanceForecast(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		mode              string
		test, quick, full int
		short             float64 // what may be missing to .95
	}{{"grid", 40, 400, 2000, 0}, {"compact", 200, 2000, 2000, .03}, {"filtered", 200, 2000, 2000, .03}} {
		t.Run(c.mode, func(t *testing.T) {
			reps := accept.Reps(t, c.test, c.quick, c.full)
			horizons := []int{1, 5, 20}
			var inside [3][2]float64
			for rep := range reps {
				r := newRand(uint64(5000 + rep))
				spec := spec(t, "corrected", c.mode, "")
				settings := prior(3, 1, 3, 1)
				settings.Mode = c.mode
				spec.Columns.Scaling, spec.Settings = "none", settings
				spec.New = func(cdf.Dims) (cdf.Model, error) {
					return replication{prior: settings, mode: c.mode, window: 50}.model(t), nil
				}
				y, theta := fromPrior(r, settings.Prior, n+20)
				f := cdf.NewFilter(spec, "k")
				for from := 0; from < n; from += 25 {
					if _, err := f.Update(&cdf.Batch{Rows: 25, Columns: []cdf.Column{{Name: "y", Number: y[from : from+25]}}}); err != nil {
						t.Fatal(err)
					}
				}
				found, err := f.Forecast(20)
				if err != nil {
					t.Fatal(err)
				}
				for i, h := range horizons {
					p, at := found[h-1], n+h-1
					if p.Q025 <= y[at] && y[at] <= p.Q975 {
						inside[i][0] += 1 / float64(reps)
					}
					if p.EpredQ025 <= theta[at] && theta[at] <= p.EpredQ975 {
						inside[i][1] += 1 / float64(reps)
					}
				}
			}
			bound := 3.3 * math.Sqrt(.95*.05/float64(reps))
			for i, h := range horizons {
				for k, what := range []string{"an observation", "the level"} {
					accept.Range(t, "G7", fmt.Sprintf("%s: coverage of %s %d ahead", c.mode, what, h), inside[i][k],
						.95-bound-c.short, min(.95+bound, 1), fmt.Sprintf("seeds 5000-%d", 4999+reps))
				}
			}
		})
	}
}

// fromPrior returns a series whose parameters are drawn from the prior, and its
// levels.
func fromPrior(r *rand.Rand, p Prior, n int) (y, theta []float64) {
	phi := 2*r.Float64() - 1
	tau2, sigma2 := rnd.InvGamma(r, p.Tau2Shape, p.Tau2Rate), rnd.InvGamma(r, p.Sigma2Shape, p.Sigma2Rate)
	level := math.Sqrt(p.Theta0Variance*sigma2) * r.NormFloat64()
	for range n {
		level = phi*level + math.Sqrt(tau2)*r.NormFloat64()
		theta, y = append(theta, level), append(y, level+math.Sqrt(sigma2)*r.NormFloat64())
	}
	return y, theta
}

// A shard is scored by the statistics that its discount has weakened: as after a
// shard without rows that took the discount.
func TestForecastForgets(t *testing.T) {
	y, _ := someSteps(60, 0)
	m := newTest(t, Defaults())
	d := modeltest.Stepper{Model: m}
	d.Must(t, rowsShard(y[:40]), 1)
	weak := rowsShard(y[40:])
	weak.Forget = .7
	got, err := m.Score(weak, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Must(t, rowsShard(nil), .7)
	if want, err := m.Score(rowsShard(y[40:]), nil); err != nil || modeltest.Relative(got.LogDensity, want.LogDensity) > 1e-9 {
		t.Errorf("log density %v, want %v, %v", got.LogDensity, want.LogDensity, err)
	}
}
