package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/simulate"
)

// The nodes of a variance against an inverse gamma law, whose moments and
// quantiles are known, from a centre that is off and with very many levels'
// worth of information.
func TestVarianceLaw(t *testing.T) {
	for _, c := range []struct{ shape, rate, centre float64 }{{4, 2, 0}, {4, 2, 0.5}, {30, 8, -1.3}, {50_000, 20_000, -0.91}, {2.5, 0.1, -3}} {
		var v variance
		if !v.place(c.centre, func(l float64) (float64, bool) { return -c.shape*l - c.rate*math.Exp(-l), true }) {
			t.Fatal("no law")
		}
		mean, sd := v.moments(c.shape)
		wantMean := c.rate / (c.shape - 1)
		if wantSD := wantMean / math.Sqrt(c.shape-2); math.Abs(mean/wantMean-1) > 1e-3 || math.Abs(sd/wantSD-1) > 0.03 {
			t.Errorf("IG(%g, %g): mean %g and sd %g, want %g and %g", c.shape, c.rate, mean, sd, wantMean, wantSD)
		}
		for _, p := range []float64{.025, .25, .5, .75, .975} {
			want := c.rate / mathext.GammaIncRegInv(c.shape, 1-p)
			if got := math.Exp(v.quantile(p)); math.Abs(got/want-1) > 2e-3*math.Sqrt(4/c.shape) {
				t.Errorf("IG(%g, %g): quantile %g is %g, want %g", c.shape, c.rate, p, got, want)
			}
		}
	}
}

// The density of s2 falls by a power that the prior and the number of levels
// fix: with it, moments come into being.
func TestVarianceMoments(t *testing.T) {
	for _, c := range []struct {
		group    string
		levels   int
		mean, sd bool
	}{
		{halfCauchy, 1, false, false},
		{halfCauchy, 2, true, false},
		{halfCauchy, 4, true, true},
		{inverseGamma, 1, true, false},
		{inverseGamma, 3, true, true},
	} {
		s := plain()
		s.Prior.Group = c.group
		m := newTest(t, s, []string{"intercept"}, "g")
		sh := &cdf.Shard{Rows: 40, Cols: 1, X: make([]float64, 40), Y: make([]float64, 40), Group: [][]int32{make([]int32, 40)}}
		for i := range 40 {
			sh.X[i], sh.Y[i], sh.Group[0][i] = 1, float64(i%5), int32(i%c.levels)
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		r := modeltest.Summarize(t, m, []cdf.Functional{effect(1 + c.levels)})[0]
		if (!math.IsNaN(r.Mean)) != c.mean || (!math.IsNaN(r.SD)) != c.sd {
			t.Errorf("%s, %d levels: mean %g and sd %g", c.group, c.levels, r.Mean, r.SD)
		}
	}
}

// With effects of the rows' own, per row mean and variance of the effect solve
// their equations, and the curvature is absorbed that follows from them.
func TestOverdispersionIsStationary(t *testing.T) {
	s := Defaults()
	r := rand.New(rand.NewPCG(3, 14))
	m := newTest(t, s, []string{"intercept"}, "g")
	sh := &cdf.Shard{Cols: 1, Group: make([][]int32, 1)}
	for i := range 200 {
		sh.X, sh.Y = append(sh.X, 1), append(sh.Y, simulate.Count(r, math.Exp(0.3+0.9*r.NormFloat64())))
		sh.Group[0] = append(sh.Group[0], int32(i%5))
	}
	sh.Rows = 200
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	mean, _ := qRows(t, m)
	w := m.work()
	defer m.scratch.Put(w)
	var g gauss
	if !g.conditional(&m.shape, &m.stats, m.m, w) {
		t.Fatal("no q")
	}
	s2e, lam := m.over.s2, 0.0
	for i, y := range sh.Y {
		m.placeAt(sh, i, &w.place, w)
		_, variance := g.at(&m.stats, &w.place, make([]float64, 1), &w.block)
		eta := mean[0] + mean[1+sh.Group[0][i]] + variance/2 - s2e/2
		e, v := 0.0, 0.0
		for range 2000 { // a plain damped iteration
			rate := math.Exp(eta + e + v/2)
			v = 1 / (rate + 1/s2e)
			e += 0.1 * v * (y - rate - e/s2e)
		}
		rate := math.Exp(eta + e + v/2)
		lam += rate / (1 + s2e*rate)
	}
	// The last fit is at an s2e within overTol of the estimate.
	if math.Abs(m.stats.lam[0]/lam-1) > 2*overTol {
		t.Errorf("the absorbed curvature is %g, want %g", m.stats.lam[0], lam)
	}
}

// The variance of the rows' own effects follows the rows that forgetting
// leaves.
func TestOverdispersionForgets(t *testing.T) {
	s := Defaults()
	m := newTest(t, s, []string{"intercept", "x1", "x2"}, "group")
	d := modeltest.Stepper{Model: m}
	for _, noise := range []float64{0.9, 0.3} {
		for _, sh := range overdispersed(5, noise, 0) {
			d.Must(t, sh, 0.8)
		}
	}
	if sd := math.Sqrt(m.over.s2); math.Abs(sd-0.3) > 0.06 {
		t.Errorf("sd of the rows' effects is %g, want .3", sd)
	}
}

// Twice the exposure predicts twice the rate.
func TestPredictsByExposure(t *testing.T) {
	m := runStream(t, plain(), scenario(t, "poisson", 6, 10))
	ask := &cdf.Shard{
		Rows: 2, Cols: 3, X: []float64{1, 0.2, 0.1, 1, 0.2, 0.1}, Y: []float64{math.NaN(), math.NaN()},
		Offset: []float64{0, math.Ln2}, Group: [][]int32{{4, 4}},
	}
	out := make([]cdf.Prediction, 2)
	if err := m.Predict(ask, out); err != nil {
		t.Fatal(err)
	}
	if r := out[1].Mean / out[0].Mean; math.Abs(r-2) > 1e-9 || math.Abs(out[1].EpredQ975/out[0].EpredQ975-2) > 1e-9 {
		t.Errorf("twice the exposure predicts %g times the count", r)
	}
	if v := out[0].SD*out[0].SD - out[0].EpredSD*out[0].EpredSD; math.Abs(v/out[0].Mean-1) > 1e-9 {
		t.Errorf("a count varies by %g beyond its rate, want its mean %g", v, out[0].Mean)
	}
}

// A row of a group that is not known is predicted, with its response or
// without.
func TestPredictsAnUnknownGroup(t *testing.T) {
	f := cdf.NewFilter(modeltest.Spec(t, Kind(), "", cdf.Roles{
		Scaling: "none", Intercept: true, Features: []cdf.Feature{{Name: "x"}},
		Groups: []cdf.Group{{Column: "store", Slopes: []string{"x"}}, {Column: "day"}}, Exposure: "e",
	}, nil), "k")
	for _, b := range counts(12, 30)(1, 5) {
		if _, err := f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	b := counts(12, 30)(2, 1)[0]
	for i := range b.Columns {
		if b.Columns[i].Name == "store" {
			b.Columns[i].Levels = []string{"?1", "?2", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
		}
	}
	known, unknown := 0.0, 0.0
	preds, err := f.Predict(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range preds {
		if !lin.Finite(p.Q975, p.LogDensity) {
			t.Errorf("row %d: %+v", i, p)
		}
		width := math.Log(p.EpredQ975 / p.EpredQ025)
		if b.Columns[3].Code[i] < 2 {
			unknown = max(unknown, width)
		} else {
			known = max(known, width)
		}
	}
	if !(unknown > 1.5*known) {
		t.Errorf("intervals of the rate are %g wide at unknown groups, %g at known ones", unknown, known)
	}
}

// The paper's recursion for a single coefficient, written out.
func TestPaperByHand(t *testing.T) {
	m, err := NewPaper(plain(), cdf.Dims{Columns: []string{"intercept"}, Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	shards := [][]float64{{2, 0, 5, 3}, {1, 1, 4}, {7, 2, 2, 2}}
	const d = 1e-4
	var mu, h1, h2, h3 float64
	run := modeltest.Stepper{Model: m}
	for s, y := range shards {
		sh := &cdf.Shard{Rows: len(y), Cols: 1, Y: y}
		n, sum := float64(len(y)), 0.0
		for _, v := range y {
			sh.X = append(sh.X, 1)
			sum += v
		}
		run.Must(t, sh, 1)
		base, variance := mu, 0.0
		if s == 0 {
			base = math.Log((sum + 0.5) / n)
		} else {
			variance = 1 / (h3 + d)
		}
		mu = base
		for range 50 {
			w := math.Exp(mu + variance/2)
			next := 1 / (h3 + n*w + d)
			mu, variance = base+next*(h1+sum-h2-n*w-d*mu), next
		}
		w := math.Exp(mu + variance/2)
		h1, h2, h3 = h1+sum, h2+n*w, h3+n*w
		row := modeltest.Summarize(t, m, []cdf.Functional{effect(0)})[0]
		if math.Abs(row.Mean-mu) > 1e-9 || math.Abs(row.SD*math.Sqrt(h3+d)-1) > 1e-9 {
			t.Errorf("shard %d: mean %g and sd %g, want %g and %g", s+1, row.Mean, row.SD, mu, 1/math.Sqrt(h3+d))
		}
	}
	run.Must(t, &cdf.Shard{Cols: 1}, .25)
	for i, s := range [][2]float64{{m.h1[0], h1}, {m.h2[0], h2}, {m.stats.lam[0], h3}, {m.n, 11}} {
		if modeltest.Relative(s[0], s[1]/4) > 1e-9 {
			t.Errorf("sum %d: a quarter of %g is %g", i, s[1], s[0])
		}
	}
}

// The paper's q(s2) over k levels is IG((k+1)/2, b), E[1/s2] = m.
func TestPaperVariance(t *testing.T) {
	const k = 8
	m, err := NewPaper(plain(), cdf.Dims{Columns: []string{"intercept"}, Intercept: true, Groups: []cdf.Group{{Column: "g"}}})
	if err != nil {
		t.Fatal(err)
	}
	sh := &cdf.Shard{Rows: 80, Cols: 1, X: make([]float64, 80), Y: make([]float64, 80), Group: [][]int32{make([]int32, 80)}}
	for i := range 80 {
		sh.X[i], sh.Y[i], sh.Group[0][i] = 1, float64(i%k), int32(i%k)
	}
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	const shape = (k + 1) / 2.
	want := shape / m.m[0] / mathext.GammaIncRegInv(shape, .5)
	if got := modeltest.Summarize(t, m, []cdf.Functional{effect(1 + k)})[0].Median; modeltest.Relative(got, want) > 2e-3 {
		t.Errorf("median %g, want %g", got, want)
	}
}

// Without groups the rate is lognormal: its quantiles tell its sd and the mean of
// a count, over which the row's own effect, 1 in the mean, is integrated.
func TestRateIsLognormal(t *testing.T) {
	s := Defaults()
	m := newTest(t, s, []string{"intercept"})
	sh := &cdf.Shard{Rows: 30, Cols: 1, X: make([]float64, 30), Y: make([]float64, 30)}
	for i := range 30 {
		sh.X[i], sh.Y[i] = 1, float64(i%7*(i%2))
	}
	d, out := modeltest.Stepper{Model: m}, make([]cdf.Prediction, 30)
	d.Must(t, sh, 1)
	if err := m.Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	low, high := math.Log(out[0].EpredQ025), math.Log(out[0].EpredQ975)
	sd := (high - low) / (2 * dist.NormalQuantiles[6])
	v := sd * sd
	mean := math.Exp((low + high + v) / 2)
	if b := modeltest.Summarize(t, m, []cdf.Functional{effect(0)})[0]; modeltest.Relative(mean, math.Exp(b.Mean+b.SD*b.SD/2)) > 1e-9 {
		t.Errorf("mean %g of a log rate %g (%g)", mean, b.Mean, b.SD)
	}
	if modeltest.Relative(out[0].Mean, mean) > 1e-9 || modeltest.Relative(out[0].EpredSD, mean*math.Sqrt(math.Expm1(v))) > 1e-9 {
		t.Errorf("%+v, want the mean %g of a log rate with variance %g", out[0], mean, v)
	}
}

// At a level that is not known, where the slope is 3, the effects have the
// variance s2 + 9 s2', the two at the middles of equal parts of their laws: half of
// them are above what the medians give.
func TestUnknownLevelOfSeveralTerms(t *testing.T) {
	m, sh := crossed(t, plain(), 140)
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	var s2 [2]float64
	for i := range s2 {
		s2[i] = modeltest.Summarize(t, m, []cdf.Functional{effect(2 + 2*7 + 5 + i)})[0].Median
	}
	w := m.work()
	ask := &cdf.Shard{Rows: 1, Cols: 2, X: []float64{1, 3}, Y: []float64{math.NaN()}, Group: [][]int32{{-1}, {2}}, Slopes: [][]float64{{3}}}
	m.placeAt(ask, 0, &w.place, w)
	w.place.open = false
	m.mixAt(&w.place, 0, w)
	_, sd := w.mix.Moments()
	known := sd * sd
	w.place.open = true
	m.mixAt(&w.place, 0, w)
	above := 0
	for _, sd := range w.mix.SD {
		if sd*sd > (known+s2[0]+9*s2[1])*(1+1e-6) {
			above++
		}
	}
	if above != unseenPoints/2 {
		t.Errorf("%d of %d variances are above that of the medians", above, unseenPoints)
	}
}
