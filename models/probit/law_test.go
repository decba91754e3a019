package probit

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/internal/modeltest"
)

// While the window holds every row the model is plain batch Gibbs sampling:
// what the window could hold beyond that makes no difference to the bit.
func TestWithoutEvictionIsGibbsSampling(t *testing.T) {
	const p = 5
	r := rand.New(rand.NewPCG(51, 1))
	beta := normals01(r, p, 1)
	var runs [2]*modeltest.Stepper
	for i, rows := range []int{200, 1_000_000} {
		runs[i] = driver(newTest(t, "corrected", windowOf(rows), dims(p, 50, true)))
	}
	for shard := range 11 {
		sh := newShard(r, 20, beta, 1, true)
		for _, d := range runs {
			d.Must(t, sh, 1)
		}
		same := bytes.Equal(modeltest.State(t, runs[0].Model), modeltest.State(t, runs[1].Model))
		if same != (shard < 10) {
			t.Errorf("after %d rows of 200: equal is %v", 20*(shard+1), same)
		}
	}
}

// Every chain goes on from its own last draw, and every shard has its own
// random stream.
func TestChainsGoOn(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 1))
	s := windowOf(20)
	s.Chains = 3
	m := newTest(t, "corrected", s, dims(2, 12, true))
	d := driver(m)
	before := make([]float64, len(d.Draws.Data))
	for shard := range 4 { // two without a row: draws of the prior
		d.Must(t, newShard(r, 10*(shard/2), []float64{0, 1}, 1, true), 1)
		if slices.Equal(before, d.Draws.Data) {
			t.Errorf("shard %d has the draws of the one before", shard+1)
		}
		copy(before, d.Draws.Data)
	}
	w := m.work()
	defer m.scratch.Put(w)
	if burn, _ := m.start(w); burn != 0 {
		t.Errorf("%d draws would be dropped", burn)
	}
	for chain := range 3 {
		for j := range 2 {
			if got, want := w.beta[3*j+chain], d.Draws.Row(j)[4*chain+3]; got != want {
				t.Errorf("chain %d goes on from beta_%d = %v, its last draw is %v", chain, j, got, want)
			}
		}
	}
}

// gridRun compares what is published with a quadrature of the same posterior.
func gridRun(t *testing.T, m *Model, g *grid, bias, spread float64) {
	t.Helper()
	for j, r := range modeltest.Summarize(t, m, betas(2)) {
		miss, ratio := (r.Mean-g.mean[j])/g.sd[j], r.SD/g.sd[j]
		t.Logf("beta_%d: mean misses by %.3f sd, sd ratio %.3f", j, miss, ratio)
		if !(math.Abs(miss) <= bias) || !(math.Abs(ratio-1) <= spread) {
			t.Errorf("beta_%d: mean %v sd %v, want %v and %v", j, r.Mean, r.SD, g.mean[j], g.sd[j])
		}
	}
}

// 8,000 draws of some 3,000 effective ones: a mean is good to .02 sd, and by
// Rao and Blackwell's theorem an sd to less than 1 %.
func TestAgainstQuadrature(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	sh := newShard(r, 60, []float64{-.4, 1.1}, 1, true)
	for _, c := range []struct {
		window       int
		bias, spread float64
	}{
		{500, .06, .03}, // exact
		{20, .15, .06},  // two thirds of the rows are frozen
	} {
		m := newTest(t, "corrected", windowOf(c.window), dims(2, 8000, true))
		d := driver(m)
		for from := 0; from < 60; from += 10 {
			d.Must(t, modeltest.Cut(sh, from, from+10), 1)
		}
		g := newGrid(m, sh, powers(60, one), 4)
		gridRun(t, m, g, c.bias, c.spread)
		if c.window < 60 {
			continue
		}
		rows := newShard(r, 8, []float64{0, 0}, 1.5, true)
		rows.Y[3] = math.NaN()
		out := make([]cdf.Prediction, 8)
		if err := m.Predict(rows, out); err != nil {
			t.Fatal(err)
		}
		for i, o := range out {
			eta := func(at [2]float64) float64 { return rows.X[2*i]*at[0] + rows.X[2*i+1]*at[1] }
			mean := g.mix(func(at [2]float64) float64 { return normal.CDF(eta(at)) })
			square := g.mix(func(at [2]float64) float64 { v := normal.CDF(eta(at)) - mean; return v * v })
			below := g.mix(func(at [2]float64) float64 {
				if normal.CDF(eta(at)) <= o.EpredQ025 {
					return 1
				}
				return 0
			})
			if !(math.Abs(o.Mean-mean) < .01) || !(math.Abs(o.EpredSD/math.Sqrt(square)-1) < .08) || !(math.Abs(below-.025) < .012) {
				t.Errorf("row %d: %+v, want mean %v epred sd %v; %v is below its 2.5 %% quantile", i, o, mean, math.Sqrt(square), below)
			}
			if o.SD != math.Sqrt(o.Mean*(1-o.Mean)) {
				t.Errorf("row %d: sd %v of a response with mean %v", i, o.SD, o.Mean)
			}
		}
	}
}

// TestFirstShard is what users see first, at default settings: against quadrature,
// on the average of 30 seeds, from the prior, where all of few rows are of one class
// now and then, and with 1 % of events. A mean misses by about .08 sd from Monte Carlo
// alone: the limit of .08 for the average is five of its errors.
func TestFirstShard(t *testing.T) {
	const seeds = 30
	for _, regime := range []string{"prior", "rare"} {
		for _, rows := range []int{12, 100, 500} {
			var miss, ratio [2]float64
			for seed := range seeds {
				r := rand.New(rand.NewPCG(uint64(seed), 77))
				m := newTest(t, "corrected", Defaults(), dims(2, 512, true))
				beta := []float64{math.Sqrt(10) * r.NormFloat64(), r.NormFloat64()}
				if regime == "rare" {
					beta = []float64{-2.6, .5}
				}
				sh := newShard(r, rows, beta, 1, true)
				d := driver(m)
				d.Seed = uint64(seed)
				d.Must(t, sh, 1)
				g := findGrid(m, sh)
				for j, row := range modeltest.Summarize(t, m, betas(2)) {
					miss[j] += (row.Mean - g.mean[j]) / g.sd[j] / seeds
					ratio[j] += row.SD / g.sd[j] / seeds
				}
			}
			t.Logf("%s, %d rows: means miss by %.3f sd, sd ratios %.3f", regime, rows, miss, ratio)
			for j := range 2 {
				if !(math.Abs(miss[j]) < .08) || !(math.Abs(ratio[j]-1) < .05) {
					t.Errorf("%s, %d rows: beta_%d: its mean misses by %.3f sd, its sd by a factor of %.3f", regime, rows, j, miss[j], ratio[j])
				}
			}
		}
	}
}

// A row of age k counts lambda^k: against a quadrature of the likelihood with
// these powers. Rows are frozen by draws that knew them and what came before,
// not what came after: hence wider limits than above.
func TestForgetsByPowersOfTheLikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	const lambda, per = .8, 10
	sh := newShard(r, 120, []float64{.3, -.9}, 1, true)
	m := newTest(t, "corrected", Defaults(), dims(2, 8000, true))
	d := driver(m)
	for from := 0; from < 120; from += per {
		d.Must(t, modeltest.Cut(sh, from, from+per), lambda)
	}
	if m.rows() != per {
		t.Errorf("%d rows count fully, want those of the last shard", m.rows())
	}
	g := newGrid(m, sh, powers(120, func(i int) float64 { return math.Pow(lambda, float64(11-i/per)) }), 4)
	gridRun(t, m, g, .2, .08)

	// A shard without a row ages what there is.
	d.Must(t, &cdf.Shard{Cols: 2}, lambda)
	g = newGrid(m, sh, powers(120, func(i int) float64 { return math.Pow(lambda, float64(12-i/per)) }), 4)
	gridRun(t, m, g, .2, .08)
}

// Published moments are those of the draws, but for Monte Carlo error; so is
// the covariance, and its diagonal is the square of the sd.
func TestDrawsAgreeWithTheSummary(t *testing.T) {
	const p = 4
	r := rand.New(rand.NewPCG(54, 1))
	for _, rows := range []int{0, 90} {
		m := newTest(t, "corrected", windowOf(50), dims(p, 4000, true))
		d := driver(m)
		beta := []float64{.5, -1, 0, .7}
		d.Must(t, newShard(r, rows/3, beta, 1, true), 1)
		d.Must(t, newShard(r, rows-rows/3, beta, 1, true), 1)
		f := append(betas(p), cdf.Functional{Name: "w", Const: 7, Param: []int{0, 2, 0}, Weight: []float64{1.5, -2, .5}})
		got := modeltest.Summarize(t, m, f)
		cov := make([]float64, len(f)*(len(f)+1)/2)
		if err := m.Covariance(f, cov); err != nil {
			t.Fatal(err)
		}
		series := make([][]float64, len(f))
		for i, fn := range f {
			series[i] = make([]float64, m.s)
			for k, j := range fn.Param {
				for s, v := range d.Draws.Row(j) {
					series[i][s] += fn.Weight[k] * v
				}
			}
			mean, square := lin.Center(series[i])
			if z := (mean + fn.Const - got[i].Mean) / got[i].SD * math.Sqrt(800); !(math.Abs(z) < 4.5) {
				t.Errorf("%d rows, functional %d: mean %v of the draws, %v published", rows, i, mean+fn.Const, got[i].Mean)
			}
			if ratio := math.Sqrt(square/float64(m.s)) / got[i].SD; !(math.Abs(ratio-1) < .08) {
				t.Errorf("%d rows, functional %d: sd of the draws / published is %v", rows, i, ratio)
			}
			if rows == 0 && got[i].MCSEMean != 0 || rows > 0 && !(got[i].MCSEMean > 0 && got[i].MCSEMean < .05*got[i].SD) || !got[i].Open {
				t.Errorf("%d rows, functional %d: %+v", rows, i, got[i])
			}
		}
		at := 0
		for i := range f {
			for j := range i + 1 {
				want := 0.0
				for s, v := range series[i] {
					want += v * series[j][s] / float64(m.s)
				}
				if scale := got[i].SD * got[j].SD; !(math.Abs(cov[at]-want) < .12*scale) || i == j && !(modeltest.Relative(cov[at], scale) < 1e-12) {
					t.Errorf("%d rows: covariance %d, %d is %v, of the draws %v", rows, i, j, cov[at], want)
				}
				at++
			}
		}
	}
}

// Every part of a large shard is sampled: 1,000 rows through a window of 50
// stay close to what all of them say at once.
func TestCutsLargeShards(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 1))
	sh := newShard(r, 1000, []float64{.3, -.9}, 1, true)
	m := newTest(t, "corrected", windowOf(50), dims(2, 500, true))
	d := driver(m)
	for i := 0; i < 1000; i += 7 { // rows without a response take no place
		sh.Y[i] = math.NaN()
	}
	d.Must(t, sh, 1)
	if m.rows() != 50 {
		t.Errorf("%d rows in a window of 50", m.rows())
	}
	kept := &cdf.Shard{Cols: 2}
	for i, y := range sh.Y {
		if !math.IsNaN(y) {
			kept.X, kept.Y = append(kept.X, sh.X[2*i], sh.X[2*i+1]), append(kept.Y, y)
			kept.Rows++
		}
	}
	gridRun(t, m, newGrid(m, kept, powers(kept.Rows, one), 2), .25, .08)
}

// The predictive probability of a response stays a number where it is too
// small for one.
func TestMass(t *testing.T) {
	for _, m := range []float64{0, -3, 5, -37, -60, -1e6, -1e12} {
		for y := range 2 {
			sign := 2*float64(y) - 1
			q, log := mass([]float64{sign * m, sign * m, sign * (m - 1)}, float64(y))
			want := normal.LogCDF(m) + math.Log((2+math.Exp(normal.LogCDF(m-1)-normal.LogCDF(m)))/3)
			if !(math.Abs(log-want) < 1e-12*math.Abs(want)+2e-14) || !(q >= 0 && q <= 1) {
				t.Errorf("m %v: q %v, log %v, want %v", m, q, log, want)
			}
		}
	}
	for _, c := range [][4]float64{{.3, 0, .5, .15}, {.3, 1, .5, .85}, {.3, 1, 0, .7}, {.3, 0, 1, .3}, {1, 1, .25, .25}} {
		if got := transform(c[0], c[1], c[2]); math.Abs(got-c[3]) > 1e-15 {
			t.Errorf("transform(%v) is %v", c[:3], got)
		}
	}
}

func TestBernoulliQuantile(t *testing.T) {
	for _, c := range [][3]float64{{.5, .025, 0}, {.5, .975, 1}, {.01, .975, 0}, {.03, .975, 1}, {.97, .025, 0}, {.98, .025, 1}} {
		if got := bernoulliQuantile(c[0], c[1]); got != c[2] {
			t.Errorf("the %v quantile with P(y = 1) = %v is %v", c[1], c[0], got)
		}
	}
}

// Scores are what they say: against the predictions of the same rows.
func TestScores(t *testing.T) {
	r := rand.New(rand.NewPCG(56, 1))
	beta := []float64{.2, 1, -1}
	m := newTest(t, "corrected", windowOf(100), dims(3, 200, true))
	d := driver(m)
	fresh := newShard(r, 500, beta, 1, true)
	for range 2 { // new, and after a shard without a row
		if s, err := m.Score(fresh, rand.New(rand.NewPCG(1, 1))); err != nil || s.Rows != 0 || !math.IsNaN(s.LogDensity) {
			t.Errorf("a model without rows scores %+v, %v", s, err)
		}
		d.Must(t, &cdf.Shard{Cols: 3}, 1)
	}
	d.Must(t, newShard(r, 300, beta, 1, true), 1)
	fresh.Y[7] = math.NaN()
	s, err := m.Score(fresh, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]cdf.Prediction, 500)
	if err := m.Predict(fresh, out); err != nil {
		t.Fatal(err)
	}
	logs, brier := 0.0, 0.0
	for i, y := range fresh.Y {
		if !math.IsNaN(y) {
			logs += math.Log(1-math.Abs(y-out[i].Mean)) / 499
			brier += (y - out[i].Mean) * (y - out[i].Mean) / 499
		}
	}
	if s.Rows != 499 || s.PredictedRows != 1 || !(modeltest.Relative(s.LogDensity, logs) < 1e-12) || !(modeltest.Relative(s.RMSE, math.Sqrt(brier)) < 1e-12) {
		t.Errorf("score %+v, want log density %v and rmse %v", s, logs, math.Sqrt(brier))
	}
	// 4.5 standard errors of 499 rows.
	if !(math.Abs(s.Coverage95-.95) < 4.5*math.Sqrt(.95*.05/499)) {
		t.Errorf("coverage %v", s.Coverage95)
	}
}

// Where the data say nothing, or the responses are all alike, the engine lists
// the variable as dominated by its prior.
func TestFlagsWhatThePriorDecides(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 1))
	spec := modeltest.Spec(t, Kind(), "", cdf.Roles{
		Scaling: "none", Intercept: true, Features: []cdf.Feature{{Name: "a"}, {Name: "b"}, {Name: "c"}},
	}, nil)
	f := cdf.NewFilter(spec, "k")
	a, b, c, y := normals01(r, 200, 1), make([]float64, 200), make([]float64, 200), make([]float64, 200)
	for i := range y {
		if i%40 == 0 {
			c[i] = 1 // a rare level whose responses are all 0
		} else if a[i]+r.NormFloat64() > 0 {
			y[i] = 1
		}
	}
	sum, err := f.Update(&cdf.Batch{Rows: 200, Columns: []cdf.Column{
		{Name: "a", Number: a}, {Name: "b", Number: b}, {Name: "c", Number: c}, {Name: "y", Type: cdf.Bool, Number: y},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(sum.PriorDominated); got != "[beta[b] beta[c]]" {
		t.Errorf("a column of zeros and five rows of one class: dominated by the prior: %s", got)
	}
	if sum.Draws != 512 {
		t.Errorf("%d draws, want 500 rounded up to 16 chains", sum.Draws)
	}
	if r := sum.Rows[2]; !(math.Abs(r.Mean) < .1) || !(math.Abs(r.SD-1) < .05) || !(r.RHat < 1.1) {
		t.Errorf("a column of zeros: %+v", r)
	}
	// A stream of one class: the intercept is bounded on one side only.
	f = cdf.NewFilter(spec, "k")
	if sum, err = f.Update(&cdf.Batch{Rows: 200, Columns: []cdf.Column{
		{Name: "a", Number: a}, {Name: "b", Number: b}, {Name: "c", Number: c}, {Name: "y", Number: make([]float64, 200)},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"beta[intercept]", "beta[b]", "beta[c]"} {
		if !slices.Contains(sum.PriorDominated, variable) {
			t.Errorf("all responses 0: dominated by the prior: %s, and not %s", sum.PriorDominated, variable)
		}
	}
}

// Parts hold every row once and at most the limit, the larger ones first.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		want     []int
	}{{0, 5, []int{0}}, {5, 5, []int{5}}, {6, 5, []int{3, 3}}, {11, 5, []int{4, 4, 3}}} {
		var got []int
		count := parts(c.n, c.limit)
		for i := range count {
			got = append(got, part(c.n, count, i+1)-part(c.n, count, i))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d rows by %d: %v, want %v", c.n, c.limit, got, c.want)
		}
	}
}
