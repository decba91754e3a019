package compressed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// account is what a sketch sums up of its errors of prediction, by its own predictions before each shard.
type account struct{ n, weight, loss, lossN, misfit, best, model, null float64 }

// take takes a shard of n rows, of which e are the errors, v the variances of the line over sigma2 and about the distances from the mean
// response; lossy is what the sketch was before.
func (a *account) take(n, forget float64, discount []float64, lossy bool, e, v, about []float64) {
	old := a.n / (a.n + n)
	d := forget * math.Pow(old, discount[0])
	if a.n == 0 {
		d = forget
	}
	a.loss, a.lossN, a.misfit = d*a.loss, d*a.lossN, d*a.misfit
	a.model, a.null = forget*a.model, forget*a.null
	for i := range e {
		a.loss += e[i] * e[i] / (1 + v[i])
		a.misfit += e[i] * e[i]
		a.model += e[i] * e[i]
		a.null += about[i] * about[i]
		a.lossN++
	}
	gain := 1.
	if a.lossN > 0 && a.misfit > 0 {
		now := a.misfit / a.lossN
		if a.best > 0 {
			now = min(now, a.best/forget)
			gain = min(now/a.best, 1)
		}
		a.best = now
	}
	d = forget
	if lossy {
		d *= gain * math.Pow(old, discount[1])
	}
	a.weight = d*a.weight + n
	a.n += n
}

// The errors of prediction of a shard are those of the state before it, of rows that have a response: of these sums are the variance
// of a lossy sketch, the weight of the past and the flag. So they are whether the rows were scored before or not, in passes and at once.
func TestAccountOfErrors(t *testing.T) {
	const p = 12
	discount := []float64{2, .7}
	for _, c := range []struct {
		rows   int
		serial bool
	}{{60, false}, {60, true}, {97, true}, {230, false}, {230, true}} {
		m := newTest(t, "", "{rank: 5, discount: [2, .7]}", modeltest.Columns(p)).(*Sketch)
		r := rand.New(rand.NewPCG(62, 1))
		d, want := modeltest.Stepper{Model: m}, account{}
		for k := range 7 {
			sh := modeltest.RegressionShard(r, c.rows, p, false)
			for i := range sh.Y {
				sh.Y[i] += 5
			}
			sh.Y[3], sh.Y[chunk+1] = math.NaN(), math.NaN()
			out := make([]cdf.Prediction, c.rows)
			if err := m.Predict(sh, out); err != nil {
				t.Fatal(err)
			}
			if c.serial {
				sh.Serial = uint64(1 + k)
				if _, err := m.Score(sh, nil); err != nil {
					t.Fatal(err)
				}
			}
			var e, v, about []float64
			for i, y := range sh.Y {
				if o := out[i]; !math.IsNaN(y) && k > 0 {
					e, about = append(e, y-o.Mean), append(about, y-m.ybar)
					v = append(v, o.EpredSD*o.EpredSD/(o.SD*o.SD-o.EpredSD*o.EpredSD))
				}
			}
			forget := []float64{1, .9}[k%2]
			lossy := m.lossy
			want.take(float64(c.rows-2), forget, discount, lossy, e, v, about)
			d.Must(t, sh, forget)
			got := account{m.n, m.weight, m.loss, m.lossN, m.misfit, m.best, m.sums.model, m.sums.null}
			for i, pair := range [][2]float64{
				{got.n, want.n}, {got.weight, want.weight}, {got.loss, want.loss}, {got.lossN, want.lossN}, {got.misfit, want.misfit},
				{got.best, want.best}, {got.model, want.model}, {got.null, want.null},
			} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-9*pair[1]) {
					t.Errorf("%+v, shard %d: number %d of the account is %v, want %v", c, k, i, pair[0], pair[1])
				}
			}
			if shape := 1 + want.lossN/2; lossy && (modeltest.Relative(m.shape, shape) > 1e-9 || modeltest.Relative(m.rate/(m.shape-1), (1+want.loss/2)/shape) > 1e-9) {
				t.Errorf("%+v, shard %d: sigma2 has shape %v and mean %v, want %v and %v", c, k, m.shape, m.rate/(m.shape-1), shape, (1+want.loss/2)/shape)
			}
		}
	}
}

// Shards without a usable row discount, until nothing is left: what comes then finds a new model. On the way nothing overflows.
func TestForgottenStateIsNew(t *testing.T) {
	const p, forget = 6, .4
	nothing := &cdf.Shard{Rows: 1, Cols: p, X: make([]float64, p), Y: []float64{math.NaN()}}
	for name, settings := range untold {
		r := rand.New(rand.NewPCG(63, 1))
		m, other := newTest(t, "", settings, modeltest.Columns(p)), newTest(t, "", settings, modeltest.Columns(p))
		d := modeltest.Stepper{Model: m}
		for range 3 {
			d.Must(t, modeltest.RegressionShard(r, 60, p, false), 1)
		}
		_, _, _, weight := spreadOf(m)
		for k := range 900 {
			d.Must(t, nothing, forget)
			if _, _, _, now := spreadOf(m); k == 0 && name != "lossy sketch" && modeltest.Relative(now, forget*weight) > 1e-12 {
				t.Errorf("%s: %v of %v rows are left after a shard without one", name, now, weight)
			}
			out := make([]cdf.Prediction, 1)
			if err := m.(cdf.Predictor).Predict(nothing, out); err != nil || math.IsInf(out[0].SD, 0) {
				t.Fatalf("%s: a prediction after %d shards without a row has sd %v (%v)", name, k+1, out[0].SD, err)
			}
		}
		sh := modeltest.RegressionShard(r, 90, p, false)
		d.Must(t, sh, forget)
		feed(t, other, sh, 0)
		want := modeltest.Summarize(t, other, modeltest.Coefficients(p))
		for j, row := range modeltest.Summarize(t, m, modeltest.Coefficients(p)) {
			if math.Abs(row.Mean-want[j].Mean) > 1e-9*want[j].SD || modeltest.Relative(row.SD, want[j].SD) > 1e-9 {
				t.Errorf("%s: number %d is %v (%v), of a new model %v (%v)", name, j, row.Mean, row.SD, want[j].Mean, want[j].SD)
			}
		}
	}
}

// Quantiles of a row at the end of a shard are those of its prediction, in every form.
func TestQuantilesAreThoseOfPredictions(t *testing.T) {
	const p = 6
	for _, form := range forms {
		m := newTest(t, form.variant, form.settings, modeltest.Columns(p))
		r := rand.New(rand.NewPCG(64, 1))
		feed(t, m, modeltest.RegressionShard(r, 45, p, false), 15)
		sh := modeltest.RegressionShard(r, 4, p, false)
		out, got := make([]cdf.Prediction, 4), make([]float64, 3)
		if err := m.(cdf.Predictor).Predict(sh, out); err != nil {
			t.Fatal(err)
		}
		if err := m.(cdf.Quantiler).PredictQuantiles(sh, []float64{.025, .5, .975}, got); err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{out[3].Q025, out[3].Mean, out[3].Q975} {
			if math.Abs(got[i]-want) > 1e-6*out[3].SD {
				t.Errorf("%s: quantile %d is %v, of the prediction %v", form.name, i, got[i], want)
			}
		}
	}
}

// The number of coefficients that data determine is p less the trace of the inverse precision over kappa, of rows and of M'M
// with a diagonal, by a dense inverse.
func TestEffectiveCoefficients(t *testing.T) {
	const p, rows = 60, 9
	for _, kappa := range []float64{.02, 1, 40} {
		r := rand.New(rand.NewPCG(65, 1))
		m := newTestSketch(t, p, 5)
		w := m.work()
		all := w.takesWhole(5)
		a, c := make([]float64, rows*p), make([]float64, p)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		for j := range c {
			c[j] = r.Float64()
		}
		clear(all.xx)
		lin.AddGram(rows, p, a, a, all.xx)
		lin.Mirror(p, all.xx)
		precision := slices.Clone(all.xx)
		for j := range p {
			precision[j*p+j] += c[j] + 1/kappa
		}
		want := float64(p)
		for j, inverse := 0, dense(p, precision); j < p; j++ {
			want -= inverse[j*p+j] / kappa
		}
		copy(m.c, c)
		if !all.mode(m, kappa, true) || !w.stored.factor(5, p, a[:5*p], c, kappa) {
			t.Fatal("not positive definite")
		}
		if got := all.effective(p, kappa); modeltest.Relative(got, want) > 1e-9 {
			t.Errorf("kappa %v: %v of M'M are effective, want %v", kappa, got, want)
		}
		if !w.solution.factor(rows, p, a, c, kappa) {
			t.Fatal("not positive definite")
		}
		if got := w.solution.expand(p, kappa); modeltest.Relative(got, want) > 1e-9 {
			t.Errorf("kappa %v: %v of the rows are effective, want %v", kappa, got, want)
		}
	}
}

// Directions of little curvature count too: with columns that differ by a fiftieth, or beside a response far from 0, the posterior is
// that of conjugate regression.
func TestSmallDirectionsAndFarResponses(t *testing.T) {
	const p, n = 7, 80
	for _, c := range []struct{ apart, level float64 }{{1, 1e7}, {.02, 0}} {
		r := rand.New(rand.NewPCG(66, 1))
		sh := modeltest.RegressionShard(r, n, p, false)
		for i := range n {
			x := lin.Row(sh.X, p, i)
			sh.Y[i] += c.level + 3*x[6]
			x[6] = x[5] + c.apart*x[6]
		}
		for name, settings := range map[string]string{"sketch": "rank: 20", "exact": "statistics: exact"} {
			m := newTest(t, "", settings, modeltest.Columns(p))
			feed(t, m, sh, 16)
			kappa, _, _, _ := spreadOf(m)
			best := newConjugate(sh, math.Log(kappa))
			for j, row := range modeltest.Summarize(t, m, modeltest.Coefficients(p))[:p] {
				if math.Abs(row.Mean-best.mean[j]) > 1e-4*best.sd[j] || modeltest.Relative(row.SD, best.sd[j]) > 1e-4 {
					t.Errorf("%s, %+v: gamma %d is %v (%v), want %v (%v)", name, c, j, row.Mean, row.SD, best.mean[j], best.sd[j])
				}
			}
		}
	}
}

// Where the evidence has no maximum kappa ends at its limit, a higher one once curvature is given up.
func TestLeastKappa(t *testing.T) {
	const p = 12
	for rank, want := range map[int]float64{20: leastLogKappa, 5: leastLossyLogKappa} {
		s := Defaults()
		s.Rank, s.Prior.SignalShape = rank, 0
		s, err := s.Complete("")
		if err != nil {
			t.Fatal(err)
		}
		m, err := newSketch(s, cdf.Dims{Columns: modeltest.Columns(p)}, newSketchScratch())
		if err != nil {
			t.Fatal(err)
		}
		sh := modeltest.RegressionShard(rand.New(rand.NewPCG(67, 1)), 40, p, false)
		for i := range sh.Y {
			sh.Y[i] = 2
		}
		feed(t, m, sh, 0)
		if m.logKappa != want {
			t.Errorf("rank %d: log kappa %v of a constant response, want %v", rank, m.logKappa, want)
		}
	}
}

// Models share scratch space: what one has of itself there is not what another left.
func TestScalesAreThoseOfTheModel(t *testing.T) {
	const p = 5
	r := rand.New(rand.NewPCG(68, 1))
	a := newTest(t, "", "statistics: exact", modeltest.Columns(p)).(*Exact)
	w := a.work()
	a.scratch.New = func() any { return w }
	b, err := newExact(a.settings, cdf.Dims{Columns: modeltest.Columns(p)}, a.scratch)
	if err != nil {
		t.Fatal(err)
	}
	a.scratch.Put(w)
	sh := modeltest.RegressionShard(r, 50, p, false)
	feed(t, a, sh, 0)
	want := modeltest.Summarize(t, a, modeltest.Coefficients(p))
	for i := range sh.X {
		sh.X[i] *= 7
	}
	d := modeltest.Stepper{Model: b}
	d.Must(t, sh, 1)
	modeltest.Summarize(t, a, modeltest.Coefficients(p))
	b.Absorb(&cdf.Step{Shard: sh, T: 2, Forget: 1, RNG: r})
	for j, row := range modeltest.Summarize(t, a, modeltest.Coefficients(p)) {
		if row.Mean != want[j].Mean || row.SD != want[j].SD {
			t.Errorf("number %d is %v (%v), was %v (%v)", j, row.Mean, row.SD, want[j].Mean, want[j].SD)
		}
	}
}

// A coefficient far below the others is as far off as one above them.
func TestLargeCoefficientsOfEitherSign(t *testing.T) {
	for _, sign := range []float64{-1, 1} {
		g := make([]float64, 40)
		for j := range g {
			g[j] = .05 * float64(j%5-2)
		}
		g[7] = 2 * sign
		if !few(100, g, math.Log(.01), 1, func(int) float64 { return 100 }) {
			t.Errorf("no flag where a coefficient is %v and the others at most .1", g[7])
		}
	}
}

// A lossy sketch whose fit stays as it is forgets as fast as it is told to: of shards of 40 rows it has 40/(1 - forget) of them, less what
// chance makes of its errors, and its sds are those of exact statistics with a few hundredths. It had half of the rows, as it
// took what its best fit rose by for a gain.
func TestForgetsOnlyOnce(t *testing.T) {
	const p = 12
	for _, forget := range []float64{.95, .9, .7} {
		r := rand.New(rand.NewPCG(69, 1))
		sketch := newTest(t, "", "{rank: 5, discount: [3, 0]}", modeltest.Columns(p)).(*Sketch)
		exact := newTest(t, "", "statistics: exact", modeltest.Columns(p))
		a, b := modeltest.Stepper{Model: sketch}, modeltest.Stepper{Model: exact}
		for range 150 {
			sh := modeltest.RegressionShard(r, 40, p, false)
			a.Must(t, sh, forget)
			b.Must(t, sh, forget)
		}
		if full := 40 / (1 - forget); !sketch.lossy || !(sketch.weight > .8*full && sketch.weight < 1.001*full) {
			t.Errorf("forget %v: %.0f rows are left, want %.0f", forget, sketch.weight, full)
		}
		ratio := 0.
		other := modeltest.Summarize(t, exact, modeltest.Coefficients(p))
		for j, row := range modeltest.Summarize(t, sketch, modeltest.Coefficients(p))[:p] {
			ratio += row.SD / other[j].SD / p
		}
		t.Logf("forget %v: %.0f rows, sds %.3f times those of exact statistics", forget, sketch.weight, ratio)
		if !(ratio > .85 && ratio < 1.2) {
			t.Errorf("forget %v: sds are %.3f times those of exact statistics", forget, ratio)
		}
	}
}
