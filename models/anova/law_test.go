package anova

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Moments are undefined exactly where the tails say so.
func TestUndefinedMoments(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		for _, c := range []struct {
			a, v       float64
			k          int
			tauM, tauS bool
			mu         bool
		}{
			{.5, 0, 1, false, false, false}, {.5, 0, 2, false, false, false}, {.5, 0, 3, true, false, true},
			{.5, 0, 4, true, false, true}, {.5, 0, 5, true, true, true},
			{.5, 1, 1, false, false, true}, {.5, 1, 2, true, false, true}, {.5, 1, 4, true, true, true},
			{3, 0, 1, true, true, true}, {1, 0, 1, false, false, false}, {1, 0, 2, true, false, true},
		} {
			m := newVariant(t, variant, Prior{MuVariance: c.v, Tau2Shape: c.a, Tau2Rate: .5, Sigma2Shape: 1, Sigma2Rate: 1})
			d := modeltest.Stepper{Model: m, Draws: drawsFor(200, c.k)}
			sh := rowsOf(nil)
			for i := range 3 * c.k {
				sh.Group[0], sh.Y = append(sh.Group[0], int32(i%c.k)), append(sh.Y, float64(i))
			}
			sh.Rows = len(sh.Y)
			d.Must(t, sh, 1)
			rows := modeltest.Summarize(t, m, functionals(m))
			has := func(v float64) bool { return !math.IsNaN(v) }
			if has(rows[muRow].Mean) != c.mu || has(rows[muRow].SD) != c.mu ||
				has(rows[tau2Row].Mean) != c.tauM || has(rows[tau2Row].SD) != c.tauS || !has(rows[zetaRow].SD) {
				t.Errorf("%s %+v: mu %v (%v), tau2 %v (%v)", variant, c, rows[muRow].Mean, rows[muRow].SD, rows[tau2Row].Mean, rows[tau2Row].SD)
			}
			out := make([]cdf.Prediction, 1)
			if err := m.(cdf.Predictor).Predict(rowsOf([]int32{-1}, 2), out); err != nil {
				t.Fatal(err)
			}
			if got := has(out[0].SD); got != (c.mu && c.tauM) || has(out[0].LogDensity) != got || has(out[0].EpredSD) != got {
				t.Errorf("%s %+v: an unseen group is %+v", variant, c, out[0])
			}
		}
	}
}

// Before the first row everything is the prior; mu is named only where it has
// one.
func TestPrior(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		p := Prior{MuVariance: 4, Tau2Shape: 3, Tau2Rate: 8, Sigma2Shape: 4, Sigma2Rate: 6}
		m := newVariant(t, variant, p)
		d := modeltest.Stepper{Model: m, Draws: drawsFor(40_000, 0)}
		for range 2 {
			rows := modeltest.Summarize(t, m, functionals(m))
			sd := make([]float64, 3)
			m.(cdf.Summarizer).PriorSD(functionals(m), sd)
			for i, want := range [][2]float64{{0, 2}, {4, 4}, {2, math.Sqrt2}} {
				if r := rows[i]; r.Mean != want[0] || modeltest.Relative(r.SD, want[1]) > 1e-14 || modeltest.Relative(sd[i], want[1]) > 1e-14 || r.Open {
					t.Errorf("%s: variable %d: %+v, prior sd %v, want %v", variant, i, r, sd[i], want)
				}
			}
			d.Must(t, rowsOf([]int32{-1}, math.NaN()), 1)
		}
		for i, r := range modeltest.Summarize(t, m, functionals(m)) {
			below := 0.0
			for _, v := range d.Draws.Row(i) {
				if v <= r.Q25 {
					below += 1. / 40_000
				}
			}
			if math.Abs(below-.25) > 4.5*math.Sqrt(.25*.75/40_000) { // a false alarm in 20,000
				t.Errorf("%s: %v of the draws of variable %d are below its first quartile", variant, below, i)
			}
		}
		out := make([]cdf.Prediction, 1)
		if err := m.(cdf.Predictor).Predict(rowsOf([]int32{-1}, 1), out); err != nil || modeltest.Relative(out[0].SD, math.Sqrt(4+4+2)) > 1e-14 {
			t.Errorf("%s: %+v, %v", variant, out, err)
		}
		p.MuVariance = 0
		m = newVariant(t, variant, p)
		if q := m.Params(); q[0].Len != 0 || len(modeltest.Summarize(t, m, functionals(m))) != 2 {
			t.Errorf("%s: a flat prior has parameters %v", variant, q)
		}
		if err := m.(cdf.Summarizer).Summarize(modeltest.Coefficients(2), make([]cdf.Row, 3)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%s: a third parameter of two gives %v", variant, err)
		}
		sd := make([]float64, 1)
		if m.(cdf.Summarizer).PriorSD([]cdf.Functional{{Param: []int{0}, Weight: []float64{-3}}}, sd); modeltest.Relative(sd[0], 12) > 1e-14 {
			t.Errorf("%s: prior sd of -3 tau2 is %v", variant, sd[0])
		}
	}
	m := newTest(t, Prior{MuVariance: 4, Tau2Shape: 3, Tau2Rate: 8, Sigma2Shape: 4, Sigma2Rate: 6})
	m.absorb(&cdf.Step{Shard: rowsOf([]int32{0}, 1), Forget: 1})
	sd := make([]float64, 1)
	if m.PriorSD([]cdf.Functional{{Param: []int{zetaRow}, Weight: []float64{1}}}, sd); modeltest.Relative(sd[0], math.Sqrt(4+4)) > 1e-14 {
		t.Errorf("prior sd of zeta is %v", sd[0])
	}
}

// The Rao-Blackwell moments are those of the draws, and the closed form of
// sigma2 is the law of its draws: 5 standard errors with an effective sample
// of a quarter of the draws, 12 comparisons.
func TestDrawsAgreeWithTheSummary(t *testing.T) {
	const S = 40_000
	d := newStepper(t, Prior{Tau2Shape: 3, Tau2Rate: 4, Sigma2Shape: 2, Sigma2Rate: 2}, 5, S, 4)
	r := rand.New(rand.NewPCG(63, 1))
	d.Must(t, groupedRows(r, 30, 4), 1)
	d.Must(t, groupedRows(r, 30, 4), 1)
	f := functionals(d.m)
	f[muRow].Const, f[muRow].Weight[0] = 7, -2 // leaves the units of the model
	for i, row := range modeltest.Summarize(t, d.m, f) {
		x := slices.Clone(d.Draws.Row(i))
		for k := range x {
			x[k] = f[i].Const + f[i].Weight[0]*x[k]
		}
		mean, variance := meanAndVariance(x)
		se := row.SD / math.Sqrt(S/4)
		if math.Abs(mean-row.Mean) > 5*se || math.Abs(math.Sqrt(variance)/row.SD-1) > .05 {
			t.Errorf("variable %d: draws have %v (%v), the summary %v (%v)", i, mean, math.Sqrt(variance), row.Mean, row.SD)
		}
	}
}

// Published predictions against the law they are said to have.
func TestPredicts(t *testing.T) {
	m := newTest(t, Prior{Tau2Shape: 3, Tau2Rate: 4, Sigma2Shape: 2, Sigma2Rate: 2})
	d := modeltest.Stepper{Model: m, Draws: drawsFor(500, 4)}
	r := rand.New(rand.NewPCG(64, 1))
	d.Must(t, groupedRows(r, 60, 4), 1)
	rows := modeltest.Summarize(t, m, functionals(m))
	sh := rowsOf([]int32{2, -1, 4, 0, 1}, 55, 52, 58, math.NaN(), 90)
	out := make([]cdf.Prediction, sh.Rows)
	if err := m.Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	scale := math.Sqrt(m.vari[2] + m.s2)
	if p := out[0]; p.Mean != rows[zetaRow+2].Mean || modeltest.Relative(p.SD, scale*math.Sqrt(m.shape/(m.shape-1))) > 1e-14 ||
		modeltest.Relative(p.PIT, dist.StudentCDF((55-p.Mean)/scale, 2*m.shape)) > 1e-12 || modeltest.Relative(p.EpredSD, rows[zetaRow+2].SD) > 1e-14 ||
		modeltest.Relative(p.Q975-p.Mean, scale*dist.StudentQuantile(dist.NormalQuantiles[6], 2*m.shape)) > 1e-12 {
		t.Errorf("known group: %+v", p)
	}
	mu, tau2, sigma2 := rows[muRow], rows[tau2Row], rows[sigma2Row]
	for _, p := range out[1:3] {
		if p.Mean != mu.Mean || modeltest.Relative(p.SD*p.SD, mu.SD*mu.SD+tau2.Mean+sigma2.Mean) > 1e-12 ||
			modeltest.Relative(p.EpredSD*p.EpredSD, mu.SD*mu.SD+tau2.Mean) > 1e-12 || modeltest.Relative(p.Q025, p.Mean-1.959963984540054*p.SD) > 1e-12 {
			t.Errorf("unseen group: %+v", p)
		}
	}
	if z := (52 - mu.Mean) / out[1].SD; modeltest.Relative(out[1].PIT, normal.CDF(z)) > 1e-12 ||
		modeltest.Relative(out[1].LogDensity, -z*z/2-math.Log(out[1].SD*math.Sqrt(2*math.Pi))) > 1e-12 {
		t.Errorf("unseen group: %+v", out[1])
	}
	if !math.IsNaN(out[3].LogDensity) || !math.IsNaN(out[3].PIT) {
		t.Errorf("no response: %+v", out[3])
	}
	score, err := m.Score(sh, nil)
	if err != nil || score.Rows != 4 || score.PredictedRows != 1 || score.Coverage95 != .75 {
		t.Fatalf("%+v, %v", score, err)
	}
	logs, squares := 0.0, 0.0
	for i, p := range out {
		if i != 3 {
			logs += p.LogDensity / 4
			squares += (sh.Y[i] - p.Mean) * (sh.Y[i] - p.Mean) / 4
		}
	}
	if modeltest.Relative(score.LogDensity, logs) > 1e-12 || modeltest.Relative(score.RMSE, math.Sqrt(squares)) > 1e-12 {
		t.Errorf("score %+v, predictions say %v and %v", score, logs, math.Sqrt(squares))
	}
	// With two groups and a flat mu an unseen group has no law: not scored.
	two := newTest(t, weak)
	d = modeltest.Stepper{Model: two, Draws: drawsFor(50, 2)}
	d.Must(t, rowsOf([]int32{0, 1, 0}, 1, 2, 3), 1)
	if score, err := two.Score(rowsOf([]int32{0, 2}, 1, 2), nil); err != nil || score.Rows != 1 {
		t.Errorf("%+v, %v", score, err)
	}
	if score, err := two.Score(rowsOf([]int32{2}, 2), nil); err != nil || score.Rows != 0 || !math.IsNaN(score.LogDensity) {
		t.Errorf("%+v, %v", score, err)
	}
}

// Means and sds depend on the rows alone.
func TestMomentsHaveNoMonteCarloError(t *testing.T) {
	sh := groupedRows(rand.New(rand.NewPCG(69, 1)), 25, 4)
	var first []cdf.Row
	for seed := range uint64(2) {
		m := newTest(t, Prior{Tau2Shape: 3, Tau2Rate: 4, Sigma2Shape: 2, Sigma2Rate: 2})
		s := &cdf.Step{Shard: sh, Forget: 1, Draws: drawsFor(400, 4), RNG: rand.New(rand.NewPCG(seed, 70))}
		m.Blocks()[0].Absorb(s)
		if err := m.Blocks()[0].Sample(s); err != nil {
			t.Fatal(err)
		}
		rows := modeltest.Summarize(t, m, functionals(m))
		for i, r := range rows {
			if r.MCSEMean != 0 || first != nil && (r.Mean != first[i].Mean || r.SD != first[i].SD) {
				t.Errorf("%+v with another seed than %+v", r, first[i])
			}
		}
		first = rows
	}
}

// Each conditional law of the paper's rule has the mean that its formula
// gives, averaged over the draws of what it is conditional on. The error of a
// mean of 40,000 draws is .005 sd.
func TestPaperConditionals(t *testing.T) {
	const S, k = 40_000, 6
	p := Prior{MuVariance: 4, Tau2Shape: 3, Tau2Rate: 4, Sigma2Shape: 4, Sigma2Rate: 3}
	m := newPaper(Settings{Prior: p}, newScratch())
	s := &cdf.Step{Forget: 1, Draws: drawsFor(S, k), RNG: rand.New(rand.NewPCG(70, 1))}
	for shard := range uint64(2) { // the second begins at plug-ins that we know
		mu, tau2 := m.mu.mean, m.tau.mean
		s.Shard = groupedRows(rand.New(rand.NewPCG(70, 2+shard)), 15, k)
		for i := range s.Shard.Y {
			s.Shard.Y[i] -= 50
		}
		for _, b := range m.Blocks() {
			b.Absorb(s)
			if err := b.Sample(s); err != nil {
				t.Fatal(err)
			}
		}
		if shard == 0 {
			continue
		}
		rows, sigma2, squares := 0.0, 0.0, m.ss
		for _, v := range s.Draws.Row(sigma2Row) {
			sigma2 += v / S
		}
		for j, n := range m.n {
			rows += n
			mean := 0.0
			for i, z := range s.Draws.Row(zetaRow + j) {
				squares += n * (z - m.ybar[j]) * (z - m.ybar[j]) / S
				v := s.Draws.Row(sigma2Row)[max(i-1, 0)] // drawn before zeta
				mean += (tau2*n*m.ybar[j] + v*mu) / (n*tau2 + v) / S
			}
			if math.Abs(m.zeta[j]-mean) > .03*math.Sqrt(m.vari[j]) {
				t.Errorf("zeta %d is %v, want %v", j, m.zeta[j], mean)
			}
		}
		if want := (p.Sigma2Rate + squares/2) / (p.Sigma2Shape + rows/2 - 1); modeltest.Relative(sigma2, want) > .005 {
			t.Errorf("sigma2 is %v, want %v", sigma2, want)
		}
		total, between, mean := 0.0, 0.0, 0.0
		for _, z := range m.zeta {
			total += z
		}
		for i, v := range s.Draws.Row(muRow) {
			for _, z := range m.zeta {
				between += (z - v) * (z - v) / S
			}
			tau := s.Draws.Row(tau2Row)[max(i-1, 0)] // drawn before mu
			mean += total / tau / (k/tau + 1/p.MuVariance) / S
		}
		if want := (p.Tau2Rate + between/2) / (p.Tau2Shape + k/2. - 1); modeltest.Relative(m.tau.mean, want) > .02 {
			t.Errorf("tau2 is %v, want %v", m.tau.mean, want)
		}
		if math.Abs(m.mu.mean-mean) > .03*m.mu.sd {
			t.Errorf("mu is %v, want %v", m.mu.mean, mean)
		}
	}
}

// Levels far apart take one row of each group: sigma2 has the law
// IG(a + (n-k)/2, b + SS/2), SS the squares within the groups.
func TestSigma2CountsTheGroups(t *testing.T) {
	const k, each = 20, 4
	r, sh, ss := rand.New(rand.NewPCG(73, 1)), rowsOf(nil), 0.0
	for j := range k {
		mean, squares := 0.0, 0.0
		for range each {
			z := r.NormFloat64()
			sh.Group[0], sh.Y = append(sh.Group[0], int32(j)), append(sh.Y, 1e4*float64(j)+z)
			mean += z / each
			squares += z * z
		}
		ss += squares - each*mean*mean
	}
	sh.Rows = len(sh.Y)
	m := newTest(t, Prior{Tau2Shape: 1, Tau2Rate: 1, Sigma2Shape: 3, Sigma2Rate: 2})
	d := modeltest.Stepper{Model: m, Draws: drawsFor(200, k)}
	d.Must(t, sh, 1)
	for range 20 { // the plug-in settles
		d.Must(t, rowsOf(nil), 1)
	}
	sigma2 := modeltest.Summarize(t, m, []cdf.Functional{{Name: "sigma2", Param: []int{sigma2Row}, Weight: []float64{1}}})[0]
	shape, rate := 3+(k*each-k)/2., 2+ss/2
	if want := rate / (shape - 1); modeltest.Relative(sigma2.Mean, want) > .02 {
		t.Errorf("mean %v, want %v", sigma2.Mean, want)
	}
	if got := 2 + sigma2.Mean*sigma2.Mean/(sigma2.SD*sigma2.SD); modeltest.Relative(got, shape) > 1e-3 {
		t.Errorf("shape %v, want %v", got, shape)
	}
}
