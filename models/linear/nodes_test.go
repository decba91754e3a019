package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/internal/modeltest"
)

// dense is the law of log sigma2 by a rule that the model does not use: nodes
// twelve times as close, the distribution function by three-point Gauss rules.
type dense struct {
	m      *Model
	l, w   []float64
	cum    []float64
	top, h float64
	mix    []float64 // scratch: means and sds
}

func newDense(m *Model) *dense {
	n := new(nodes)
	left, right, top := m.modes(n)
	m.placeEven(n, left, right, top, 1)
	d := &dense{m: m, top: n.top, h: n.h / 12}
	from, to := n.l[0], n.l[len(n.l)-1]
	cells := int(math.Round((to - from) / d.h))
	total := 0.0
	for i := range cells + 1 {
		l := from + float64(i)*d.h
		v := math.Exp(m.logJoint(l) - d.top)
		d.l, d.w, d.cum = append(d.l, l), append(d.w, v), append(d.cum, 0)
		total += v
		if i > 0 {
			d.cum[i] = d.cum[i-1] + d.gauss(d.l[i-1], l)
		}
	}
	lin.Scale(1/total, d.w)
	d.mix = make([]float64, 2*len(d.l))
	return d
}

func (d *dense) gauss(a, b float64) float64 {
	mid, half := 0.5*(a+b), 0.5*(b-a)
	f := func(l float64) float64 { return math.Exp(d.m.logJoint(l) - d.top) }
	u := half * math.Sqrt(.6)
	return half / 9 * (5*f(mid-u) + 5*f(mid+u) + 8*f(mid))
}

// sigma2 returns a quantile of sigma2.
func (d *dense) sigma2(p float64) float64 {
	target := p * d.cum[len(d.cum)-1]
	i := 0
	for d.cum[i+1] < target {
		i++
	}
	a, b := d.l[i], d.l[i+1]
	for range 60 {
		if x := 0.5 * (a + b); d.cum[i]+d.gauss(d.l[i], x) < target {
			a = x
		} else {
			b = x
		}
	}
	return math.Exp(a)
}

// law returns distribution function and density of c'(V D beta), with noise of
// that plus an error.
func (d *dense) law(c []float64, noise bool) (at func(float64) (p, density float64)) {
	q := &d.m.post
	mean, sd := d.mix[:len(d.l)], d.mix[len(d.l):]
	p := len(c)
	l, g, given, u := make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p)
	for k, log := range d.l {
		s := math.Exp(log)
		q.pivots(s, l, g, given)
		mean[k], sd[k] = lin.Dot(c, given), 0
		for j := p - 1; j >= 0; j-- {
			if u[j] = c[j]; j < p-1 {
				u[j] -= l[j] * u[j+1]
			}
			sd[k] += u[j] * u[j] * g[j]
		}
		if noise {
			sd[k] += s
		}
		sd[k] = math.Sqrt(sd[k])
	}
	return func(y float64) (p, density float64) {
		for k, w := range d.w {
			if w > 0 {
				z := (y - mean[k]) / sd[k]
				p += w * normal.CDF(z)
				density += w / sd[k] * math.Exp(-0.5*z*z) / math.Sqrt(2*math.Pi)
			}
		}
		return p, density
	}
}

// few visits models of few rows: priors with and without moments, one row and
// many, rows that contradict the prior so that there are two modes.
func few(t *testing.T, visit func(name string, m *Model, sh *cdf.Shard)) {
	for _, shape := range []float64{.3, 1, 4, 30} {
		for _, rows := range []int{1, 2, 6, 20, 40} {
			for _, offset := range []float64{0, 14.6} {
				s := Defaults()
				s.Prior.Sigma2Shape, s.Prior.InterceptVariance = shape, 1
				m, err := New(s, cdf.Dims{Columns: modeltest.Columns(3), Intercept: true})
				if err != nil {
					t.Fatal(err)
				}
				sh := modeltest.RegressionShard(rand.New(rand.NewPCG(47, uint64(rows))), rows, 3, true)
				for i := range sh.Y {
					sh.Y[i] += offset
				}
				d := modeltest.Stepper{Model: m}
				d.Must(t, sh, 1)
				visit(fmt.Sprintf("shape %v, %d rows, offset %v", shape, rows, offset), m, sh)
			}
		}
	}
}

// What is published of few rows is within 1e-9 sds of the dense rule.
func TestFewRowsAgainstQuadrature(t *testing.T) {
	worst := 0.0
	few(t, func(name string, m *Model, _ *cdf.Shard) {
		d := newDense(m)
		rows := modeltest.Summarize(t, m, modeltest.Coefficients(3))
		after := m.LogEvidence()
		m.post.known = false
		if alone := m.LogEvidence(); after != alone {
			t.Errorf("%s: evidence %v after a summary, %v without", name, after, alone)
		}
		for j, r := range rows[:3] {
			at := d.law(lin.Row(m.post.m, 3, j), false)
			for p, v := range map[float64]float64{.025: r.Q025, .05: r.Q05, .25: r.Q25, .5: r.Median, .75: r.Q75, .95: r.Q95, .975: r.Q975} {
				below, density := at(v)
				off := math.Abs(below-p) / density / r.SD
				worst = max(worst, off)
				if !(off < 1e-10) {
					t.Errorf("%s, coefficient %d: the %v quantile is off by %.2g sd", name, j, p, off)
				}
			}
		}
		r := rows[3]
		sd := min(r.SD, r.Q975-r.Q025)
		if math.IsNaN(sd) {
			sd = r.Q975 - r.Q025
		}
		for p, v := range map[float64]float64{.025: r.Q025, .05: r.Q05, .25: r.Q25, .5: r.Median, .75: r.Q75, .95: r.Q95, .975: r.Q975} {
			if off := math.Abs(v-d.sigma2(p)) / sd; !(off < 2e-10) {
				t.Errorf("%s, sigma2: the %v quantile is off by %.2g sd", name, p, off)
			}
		}
		if shape := m.post.shape; shape > 4 {
			mean, square := 0.0, 0.0
			for k, l := range d.l {
				mean += d.w[k] * math.Exp(l)
			}
			for k, l := range d.l {
				square += d.w[k] * (math.Exp(l) - mean) * (math.Exp(l) - mean)
			}
			if modeltest.Relative(r.Mean, mean) > 1e-9 || modeltest.Relative(r.SD, math.Sqrt(square)) > 1e-9 {
				t.Errorf("%s: sigma2 %v (%v), want %v (%v)", name, r.Mean, r.SD, mean, math.Sqrt(square))
			}
		}
	})
	t.Logf("worst quantile of a coefficient: off by %.2g sd", worst)
}

// What rows score under a posterior of few, and far from it.
func TestFewRowsScore(t *testing.T) {
	few(t, func(name string, m *Model, sh *cdf.Shard) {
		d, c, out := newDense(m), make([]float64, 3), make([]cdf.Prediction, 1)
		row := modeltest.Cut(sh, 0, 1)
		for _, y := range []float64{sh.Y[0], sh.Y[0] + 9, -80} {
			row.Y = []float64{y}
			if err := m.Predict(row, out); err != nil {
				t.Fatal(err)
			}
			s, err := m.Score(row, nil)
			m.rowAt(row.X, c)
			p, density := d.law(c, true)(y)
			if density < 1e-12 { // of what lies deeper than the nodes
				continue
			}
			if err != nil || !(math.Abs(s.LogDensity-math.Log(density)) < 1e-9) || !(math.Abs(out[0].LogDensity-math.Log(density)) < 1e-9) {
				t.Errorf("%s, y %v: log density %v and %v, want %v, %v", name, y, s.LogDensity, out[0].LogDensity, math.Log(density), err)
			}
			if !(math.Abs(out[0].PIT-p) < 1e-10) {
				t.Errorf("%s, y %v: transform %v, want %v", name, y, out[0].PIT, p)
			}
		}
	})
}

// What the first shards of a key cost is in proportion to these.
func TestFewRowsTakeFewNodes(t *testing.T) {
	few(t, func(name string, m *Model, _ *cdf.Shard) {
		w := m.work()
		m.mixNodes(w)
		if left, right, _ := m.modes(&w.nodes); left == right && m.post.shape > 2 && len(w.nodes.l) > 130 {
			t.Errorf("%s: %d nodes", name, len(w.nodes.l))
		}
	})
}

// Rows are scored and functionals summarized several at a time while the rows are few, with
// the numbers that each has alone.
func TestFewRowsInBlocks(t *testing.T) {
	const p, rows = 20, 2*earlyRows + 7
	m, err := New(Defaults(), cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 9))
	(&modeltest.Work{Model: m, Step: cdf.Step{Shard: modeltest.RegressionShard(r, 60, p, true), Forget: 1}}).Update(t)
	sh := modeltest.RegressionShard(r, rows, p, true)
	sh.Y[earlyRows+1] = math.NaN()
	all, err := m.Score(sh, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, squares := 0.0, 0.0
	for i := range rows {
		one, err := m.Score(modeltest.Cut(sh, i, i+1), nil)
		if err != nil {
			t.Fatal(err)
		}
		if i != earlyRows+1 {
			sum += one.LogDensity
			squares += one.RMSE * one.RMSE
		}
	}
	sum /= rows - 1
	if want := math.Sqrt(squares / (rows - 1)); all.Rows != rows-1 || modeltest.Relative(all.LogDensity, sum) > 1e-12 || modeltest.Relative(all.RMSE, want) > 1e-12 {
		t.Errorf("log density %v and error %v of %d rows together, alone %v and %v", all.LogDensity, all.RMSE, all.Rows, sum, want)
	}
	f := modeltest.Coefficients(p) // the last is sigma2
	f[5].Const, f[17].Const = 3, -2
	f = append(f, f...)
	for i, row := range modeltest.Summarize(t, m, f) {
		if alone := modeltest.Summarize(t, m, f[i:i+1])[0]; fmt.Sprint(row) != fmt.Sprint(alone) {
			t.Errorf("functional %d is %+v among others, %+v alone", i, row, alone)
		}
	}
}

// A glance at rows finds as many wild ones as their scores, wherever they lie, and leaves out most others.
func TestGlance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 104))
	wild, seen, all := int64(0), int64(0), int64(0)
	for _, p := range []int{1, 3, 8} {
		for rows := 1; rows < 30; rows++ {
			m := newTest(t, p)
			d := modeltest.Stepper{Model: m}
			d.Must(t, modeltest.RegressionShard(r, rows, p, true), 1)
			sh := modeltest.RegressionShard(r, 40, p, true)
			for i := range sh.Y {
				sh.Y[i] += float64(i%5) * 4 * r.NormFloat64()
			}
			want, err := m.Score(sh, nil)
			if err != nil {
				t.Fatal(err)
			}
			sh.Glance = true
			got, err := m.Score(sh, nil)
			if err != nil || got.Wild != want.Wild {
				t.Fatalf("%d rows of %d columns: %d wild, want %d: %v", rows, p, got.Wild, want.Wild, err)
			}
			wild, seen, all = wild+int64(want.Wild), seen+got.Rows, all+want.Rows
		}
	}
	if t.Logf("%d wild of %d rows, of which %d were looked at", wild, all, seen); wild < 100 || 2*seen > all {
		t.Errorf("%d wild of %d rows, of which %d were looked at", wild, all, seen)
	}
}

// The modes that are found once are those of the present posterior.
func TestModesAreOfOnePosterior(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 104))
	m := newTest(t, 3)
	d := modeltest.Stepper{Model: m}
	for range 5 {
		d.Must(t, modeltest.RegressionShard(r, 4, 3, true), 1)
		m.LogEvidence()
		w := m.work()
		if err := m.prepare(w); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			a, b, c := m.peaks(&w.far)
			if x, y, z := m.modes(&w.nodes); a != x || b != y || c != z {
				t.Errorf("modes %v, %v of height %v, want %v, %v, %v", a, b, c, x, y, z)
			}
		}
		m.scratch.Put(w)
	}
}
