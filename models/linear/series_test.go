package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// laws is all that is published of a posterior, each number with its unit.
type laws struct {
	name        []string
	value, unit []float64
}

func (l *laws) add(name string, value, unit float64) {
	l.name, l.value, l.unit = append(l.name, name), append(l.value, value), append(l.unit, unit)
}

// laws asks for everything, of rows that come next.
func (m *Model) laws(t *testing.T, sh *cdf.Shard) *laws {
	t.Helper()
	return m.lawsOf(t, sh, func(*cdf.Functional) {})
}

// lawsOf is laws, where functionals are asked for as the model has them.
func (m *Model) lawsOf(t *testing.T, sh *cdf.Shard, as func(f *cdf.Functional)) *laws {
	t.Helper()
	l := new(laws)
	list := append(modeltest.Coefficients(m.P),
		cdf.Functional{Name: "contrast", Param: []int{0, 3, m.P - 1}, Weight: []float64{1, -2, 0.5}, Const: 0.25},
		cdf.Functional{Name: "twice", Param: []int{2}, Weight: []float64{-2}, Const: 1},
		cdf.Functional{Name: "sum", Param: []int{m.P - 2, m.P - 1}, Weight: []float64{1, 1}})
	for i := range list {
		as(&list[i])
	}
	rows := modeltest.Summarize(t, m, list)
	side, mcse, sensitivity := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list))
	if err := m.Positive(list, side, mcse); err != nil {
		t.Fatal(err)
	}
	m.PriorSensitivity(list, sensitivity)
	for i, r := range rows {
		for k, v := range r.Numbers() {
			if k < 9 {
				l.add(fmt.Sprintf("%s: number %d", r.Variable, k), *v, r.SD)
			}
		}
		l.add(r.Variable+": positive", side[i], 1)
		l.add(r.Variable+": sensitivity", sensitivity[i], 1+sensitivity[i])
	}
	beta := append(list[:m.P:m.P], list[m.P+1:]...)
	covariance := make([]float64, lin.PackedLen(len(beta)))
	if err := m.Covariance(beta, covariance); err != nil {
		t.Fatal(err)
	}
	for i, at := 0, 0; i < len(beta); i++ {
		for j := range i + 1 {
			unit := math.Sqrt(covariance[lin.PackedLen(i+1)-1] * covariance[lin.PackedLen(j+1)-1])
			l.add(fmt.Sprintf("covariance %d, %d", i, j), covariance[at], unit)
			at++
		}
	}
	score, err := m.Score(sh, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.add("log density", score.LogDensity, float64(sh.Rows))
	l.add("rmse", score.RMSE, 1)
	l.add("coverage", score.Coverage95, 1)
	out := make([]cdf.Prediction, sh.Rows)
	sh.Inner = true
	if err := m.Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	sh.Inner = false
	for i := range out {
		o := &out[i]
		for k, v := range append(o.Inner[:], o.Mean, o.Q025, o.Q975, o.SD, o.EpredSD) {
			l.add(fmt.Sprintf("prediction %d: number %d", i, k), v, o.SD)
		}
		l.add("density", o.LogDensity, 1)
		l.add("pit", o.PIT, 1)
	}
	if err := m.Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	quantiles := make([]float64, 3)
	if err := m.PredictQuantiles(sh, []float64{.001, .3, .9}, quantiles); err != nil {
		t.Fatal(err)
	}
	for _, v := range append(quantiles, out[0].EpredQ025, out[0].EpredQ975) {
		l.add("quantile", v, out[len(out)-1].SD)
	}
	l.add("the plug-in", m.s2, m.s2)
	l.add("the shape", m.post.shape, 1)
	l.add("evidence", m.LogEvidence(), 1+math.Abs(m.LogEvidence()))
	return l
}

// compareForm compares the posterior with that by the form, all that is published of it, in the units of each number, and the third
// derivative that quantiles of sigma2 need.
func (m *Model) compareForm(t *testing.T, name string, next *cdf.Shard) {
	t.Helper()
	got, expansion := m.laws(t, next), m.post.near
	w := m.work()
	defer m.scratch.Put(w)
	m.post.known = false
	if !m.form(w) || !m.fixedPoint(w) {
		t.Fatal("no form")
	}
	if left, right, _ := m.modes(&w.nodes); left != right {
		t.Errorf("%s: maxima at %v and %v", name, left, right)
	}
	want := m.laws(t, next)
	for i, what := range got.name {
		off := math.Abs(got.value[i]-want.value[i]) / want.unit[i]
		if !(off <= 1e-10) && !(math.IsNaN(got.value[i]) && math.IsNaN(want.value[i])) {
			t.Errorf("%s: %s is %v, by the form %v: %.1e", name, what, got.value[i], want.value[i], off)
		}
	}
	sd := math.Sqrt(2 / (m.n - float64(m.P)))
	s := []float64{m.s2 * math.Exp(-2*sd), m.s2, m.s2 * math.Exp(2*sd)}
	var f, g [3][3]float64
	expansion.derivatives(s, f[0][:], f[1][:], f[2][:])
	m.post.derivatives(s, g[0][:], g[1][:], g[2][:])
	for _, v := range s {
		rss, effective := expansion.ridge(v)
		r, e := m.post.ridge(v)
		if !(math.Abs(rss-r) < 1e-10*(m.prior.Sigma2Rate+r) && math.Abs(effective-e) < 1e-7) {
			t.Errorf("%s: at %v the residuals and effective coefficients are %v and %v, by the form %v and %v", name, v, rss, effective, r, e)
		}
	}
	for i := range f {
		for k, v := range g[i] {
			if !(math.Abs(f[i][k]-v) < 1e-9*m.n) {
				t.Errorf("%s: derivative %d at %v is %v, by the form %v", name, i+1, s[k], f[i][k], v)
			}
		}
	}
}

// The posterior by a series against that by the form.
func TestSeries(t *testing.T) {
	taken := 0
	for _, p := range []int{seriesColumns, 101, 150} {
		for _, how := range []string{"", "a large column", "next to no noise", "an offset", "constant columns", "nearly equal columns"} {
			m := newTest(t, p)
			d := modeltest.Stepper{Model: m}
			r := rand.New(rand.NewPCG(72, uint64(p)))
			for _, rows := range []int{2 * p, p, p, 2 * p, 2 * p, p + p/2} {
				d.Must(t, hardShard(r, rows, p, how), 0.999)
				m.forgot = false // so that there is evidence to compare
				if m.inSeries() {
					taken++
					m.compareForm(t, fmt.Sprintf("p=%d %s n=%v", p, how, m.n), hardShard(r, 7, p, how))
				}
			}
		}
	}
	if taken < 20 {
		t.Errorf("%d posteriors were series", taken)
	}
}

// The same as near to where a series is refused as a grid of priors, coefficients and offsets comes.
func TestSeriesAtItsBounds(t *testing.T) {
	const p = 110
	taken := 0
	for _, variance := range []float64{100, 1, 0.3} {
		for _, size := range []float64{0, 0.3, 3, 30} {
			for _, offset := range []float64{0, 1} {
				set := Defaults()
				set.Prior.BetaVariance = variance
				m, err := New(set, cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
				if err != nil {
					t.Fatal(err)
				}
				d := modeltest.Stepper{Model: m}
				r := rand.New(rand.NewPCG(75, 1))
				shard := func(rows int) *cdf.Shard {
					sh := modeltest.RegressionShard(r, rows, p, true)
					for i := range rows {
						x := lin.Row(sh.X, p, i)
						sh.Y[i] = r.NormFloat64() + size*(x[1]-x[2]+0.5*x[3])
						for j := 4; j < p; j++ {
							x[j] += offset * x[0]
						}
					}
					return sh
				}
				for tried := false; m.n < 9.5*p && !tried; {
					d.Must(t, shard(p/5), 1)
					if m.inSeries() {
						tried = true
						taken++
						m.compareForm(t, fmt.Sprintf("variance %v, size %v, offset %v, n=%v", variance, size, offset, m.n), shard(3))
					}
				}
			}
		}
	}
	if taken < 12 {
		t.Errorf("%d posteriors were series", taken)
	}
}

// inSeries returns a model of p columns whose posterior is a series.
func inSeries(t *testing.T, p int) (*Model, *rand.Rand) {
	t.Helper()
	m := newTest(t, p)
	d := modeltest.Stepper{Model: m}
	r := rand.New(rand.NewPCG(72, uint64(p)))
	d.Must(t, hardShard(r, 9*p, p, ""), 1)
	if !m.inSeries() {
		t.Fatal("not a series")
	}
	return m, r
}

// What the data tell least of is found before the work of a series: no more than the largest eigenvalue of K, and most of it.
func TestWeakest(t *testing.T) {
	const p = 40
	for _, how := range []string{"", "nearly equal columns", "constant columns", "a large column"} {
		m := newTest(t, p)
		d := modeltest.Stepper{Model: m}
		d.Must(t, hardShard(rand.New(rand.NewPCG(76, 1)), 5*p, p, how), 1)
		o, largest := newSVDWay(t, m), 0.0
		for _, d2 := range o.d2 {
			largest = max(largest, m.s2/(m.s2+d2))
		}
		w := m.work()
		if got := m.weakest(w, m.s2); !(got <= largest*(1+1e-9) && got > 0.5*largest) && !math.IsNaN(got) {
			t.Errorf("%s: %v, the largest is %v", how, got, largest)
		}
		m.scratch.Put(w)
	}
}

// A column that nearly follows from others, or rows that are too few, need the form, and the form's bits are what they are without a try.
func TestSeriesIsRefused(t *testing.T) {
	const p = 70
	for _, how := range []string{"nearly equal columns", "constant columns", "an offset"} {
		m := newTest(t, p)
		d := modeltest.Stepper{Model: m}
		r := rand.New(rand.NewPCG(73, 1))
		for _, rows := range []int{3, p, 8 * p} {
			d.Must(t, hardShard(r, rows, p, how), 1)
			if m.inSeries() {
				t.Errorf("%s: a series after %v rows", how, m.n)
			}
		}
		got := m.laws(t, hardShard(r, 3, p, how))
		w := m.work()
		if m.expandEarly(w) || !m.form(w) || !m.fixedPoint(w) {
			t.Fatal(how)
		}
		m.scratch.Put(w)
		m.post.known = false
		want := m.laws(t, hardShard(rand.New(rand.NewPCG(73, 2)), 3, p, how))
		for i := range p * 11 { // of the coefficients
			if got.value[i] != want.value[i] {
				t.Fatalf("%s: %s is %v, was %v", how, got.name[i], want.value[i], got.value[i])
			}
		}
	}
}

// The symmetric root that draws are made with, twice, is the covariance at the plug-in.
func TestSeriesRoot(t *testing.T) {
	const p = 80
	m, r := inSeries(t, p)
	w := m.work()
	defer m.scratch.Put(w)
	for _, factor := range []float64{0.9, 1, 1.15} {
		m.s2 = factor * m.post.s0
		z := make([]float64, p)
		for i := range z {
			z[i] = r.NormFloat64()
		}
		want := append([]float64(nil), z...)
		m.rootSeries(w, []float64{m.s2}, z)
		m.rootSeries(w, []float64{m.s2}, z)
		m.covarySeries(w, want)
		for i := range z {
			modeltest.Within(t, fmt.Sprintf("%v times: %d", factor, i), z[i], want[i], 1e-9)
		}
	}
}

// Draws have the means and sds that the summary has.
func TestSeriesDraws(t *testing.T) {
	const p, size = 80, 4000
	m, r := inSeries(t, p)
	draws := cdf.Draws{S: size, Data: make([]float64, (p+1)*size)}
	w := m.work()
	if err := m.draw(&cdf.Step{RNG: r, Draws: &draws}, w); err != nil {
		t.Fatal(err)
	}
	m.scratch.Put(w)
	for i, row := range modeltest.Summarize(t, m, modeltest.Coefficients(p)) {
		mean, square := 0.0, 0.0
		for _, v := range draws.Row(i) {
			mean += v / size
		}
		for _, v := range draws.Row(i) {
			square += (v - mean) * (v - mean) / size
		}
		modeltest.Within(t, row.Variable+": mean", mean, row.Mean, 4.5*row.SD/math.Sqrt(size))
		modeltest.Within(t, row.Variable+": sd", math.Sqrt(square), row.SD, 4.5*row.SD/math.Sqrt(2*size))
	}
}

// A model that goes on from its bytes publishes the same bits; a plug-in that does not follow from the factor is taken as it
// is, by the form where it is far.
func TestSeriesFollowsFromTheState(t *testing.T) {
	const p = 75
	m, r := inSeries(t, p)
	sh := hardShard(r, 5, p, "")
	again := newTest(t, p)
	if err := again.UnmarshalBinary(modeltest.State(t, m)); err != nil {
		t.Fatal(err)
	}
	if got, want := modeltest.Published(t, again, sh), modeltest.Published(t, m, sh); got != want {
		t.Errorf("from the state:\n%s\nwithout:\n%s", got, want)
	}
	if !again.inSeries() {
		t.Fatal("not a series")
	}
	edge := math.Cbrt(nearest / m.post.trace[2])
	s0 := m.post.s0
	for _, c := range []struct {
		factor float64
		series bool
	}{{1 + 0.9*edge, true}, {1 - 0.9*edge, true}, {1 + 1.2*edge, false}, {3, false}, {1e3, false}} {
		m.s2 = c.factor * s0
		m.post.ready = false
		_ = modeltest.Summarize(t, m, modeltest.Coefficients(p))
		if m.inSeries() != c.series {
			t.Errorf("%v times: a series is %v", c.factor, m.inSeries())
		}
		o := newSVDWay(t, m)
		unit := make([]float64, p)
		for j := range p {
			unit[j] = 1
			mean, variance := o.at(unit, m.s2)
			modeltest.Within(t, fmt.Sprintf("%v times: mean %d", c.factor, j), m.post.beta[j], mean, 1e-10*math.Sqrt(variance))
			modeltest.Within(t, fmt.Sprintf("%v times: scale %d", c.factor, j), closedScale(m, j, j), variance, 2e-10*variance)
			unit[j] = 0
		}
	}
}

func TestSeriesAllocates(t *testing.T) {
	w := newWork(t, 900, 100)
	w.Step.Forget = 0.9
	w.Run(t)
	w.Step.Shard = modeltest.RegressionShard(rand.New(rand.NewPCG(74, 1)), 90, 100, true)
	w.AllocatesNothing(t, 2, 20)
	if !w.Model.(*Model).inSeries() {
		t.Fatal("not a series")
	}
}
