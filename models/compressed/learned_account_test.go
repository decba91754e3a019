package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// What packed and lean statistics sum up of a stream, from their own predictions before each shard: errors, responses, rows, and of a shard of
// several passes that forget acts once. sigma2 is what a dense solution leaves.
func TestAccountOfLearned(t *testing.T) {
	const p, k = 6, 3
	for _, settings := range []string{"{statistics: packed, dimension: 3, discount: [0, 0]}", "{statistics: lean, dimension: 3, discount: [0, 0]}"} {
		m := newTest(t, "", settings, modeltest.Columns(p)).(*Learned)
		r := rand.New(rand.NewPCG(76, 1))
		d := modeltest.Stepper{Model: m}
		var model, null, ybar, responses, weight float64
		for s := range 6 {
			n, forget := 40, []float64{1, .7}[s%2]
			sh := modeltest.RegressionShard(r, n, p, false)
			if s == 5 { // three passes
				n = 250
				sh = modeltest.RegressionShard(r, n, p, false)
			}
			for i := range sh.Y {
				sh.Y[i] += 2
			}
			out := make([]cdf.Prediction, n)
			if err := m.Predict(sh, out); err != nil {
				t.Fatal(err)
			}
			model, null, responses, weight = forget*model, forget*null, forget*responses+float64(n), forget*weight+float64(n)
			sum := 0.
			for i, y := range sh.Y {
				if s > 0 {
					model += (y - out[i].Mean) * (y - out[i].Mean)
					null += (y - ybar) * (y - ybar)
				}
				sum += y - ybar
			}
			ybar += sum / responses
			d.Must(t, sh, forget)
			if modeltest.Relative(m.weight, weight) > 1e-12 || modeltest.Relative(m.responses, responses) > 1e-12 {
				t.Errorf("%s, shard %d: %v rows and %v responses, want %v and %v", settings, s, m.weight, m.responses, weight, responses)
			}
			if s < 5 && (math.Abs(m.ybar-ybar) > 1e-9 || s > 0 && (modeltest.Relative(m.sums.model, model) > 1e-9 || modeltest.Relative(m.sums.null, null) > 1e-9)) {
				t.Errorf("%s, shard %d: mean %v, squares %v and %v, want %v, %v and %v", settings, s, m.ybar, m.sums.model, m.sums.null, ybar, model, null)
			}
		}
		w := make([]float64, k*k)
		for a, at := 0, 0; a < k; a++ {
			for b := range a + 1 {
				w[a*k+b], w[b*k+a] = m.c11[at], m.c11[at]
				at++
			}
			w[a*k+a]++
		}
		beta := solveDense(k, w, append([]float64(nil), m.c12...))
		want := (1 + (m.yy-lin.Dot(m.c12, beta))/2) / (m.weight / 2)
		if got := modeltest.Summarize(t, m, modeltest.Coefficients(p))[p].Mean; modeltest.Relative(got, want) > 1e-9 {
			t.Errorf("%s: sigma2 is %v, want %v", settings, got, want)
		}
	}
}

// The first pass by definition: beta at the projection's prior mean, and of each column its product with what the others
// leave at that beta. Then the deviations of the projection, which kappa is drawn by, are squares.
func TestFirstPassOfManyColumns(t *testing.T) {
	const p, k, n = 5, 2, 30
	m := newTest(t, "", "{statistics: lean, dimension: 2}", modeltest.Columns(p)).(*Learned)
	w := m.work()
	m.scratch.New = func() any { return w }
	m.scratch.Put(w)
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(77, 1)), n, p, false)
	a, b := make([]float64, k*k), make([]float64, k)
	for i, y := range sh.Y {
		q := make([]float64, k)
		for j, x := range lin.Row(sh.X, p, i) {
			lin.Axpy(x, lin.Row(w.phi0, k, j), q)
		}
		for c := range k {
			lin.Axpy(q[c], q, lin.Row(a, k, c))
		}
		lin.Axpy(y, q, b)
	}
	for c := range k {
		a[c*k+c]++
	}
	beta := solveDense(k, a, b)
	feed(t, m, sh, 0)
	for j := range p {
		square, product := 0., 0.
		for i, y := range sh.Y {
			x := lin.Row(sh.X, p, i)
			for l := range p {
				if l != j {
					y -= x[l] * lin.Dot(lin.Row(w.phi0, k, l), beta)
				}
			}
			square += x[j] * x[j]
			product += x[j] * y
		}
		if modeltest.Relative(m.c21[j], square) > 1e-9 || math.Abs(m.c22[j]-product) > 1e-9*square {
			t.Errorf("column %d has %v and %v, want %v and %v", j, m.c21[j], m.c22[j], square, product)
		}
	}
	for c := range k {
		want := 0.
		for j := range p {
			e := w.draw[j*k+c] - w.phi0[j*k+c]
			want += e * e
		}
		if modeltest.Relative(w.deviation[c], want) > 1e-12 {
			t.Errorf("dimension %d deviates by %v, want %v", c, w.deviation[c], want)
		}
	}
}

// A line is predicted as the combination of coefficients that it is, and a row as the line with noise, with a normal density.
func TestPredictionsOfLearned(t *testing.T) {
	const p = 6
	for _, settings := range []string{"{statistics: packed, dimension: 3}", "{statistics: lean, dimension: 3}"} {
		m := newTest(t, "", settings, modeltest.Columns(p)).(*Learned)
		r := rand.New(rand.NewPCG(78, 1))
		feed(t, m, modeltest.RegressionShard(r, 50, p, false), 25)
		sh, out := modeltest.RegressionShard(r, 1, p, false), make([]cdf.Prediction, 1)
		if err := m.Predict(sh, out); err != nil {
			t.Fatal(err)
		}
		line := modeltest.Summarize(t, m, []cdf.Functional{{Name: "x", Param: []int{0, 1, 2, 3, 4, 5}, Weight: sh.X}})[0]
		o, v := out[0], line.SD*line.SD+m.sigma2
		density := -math.Log(2*math.Pi*v)/2 - (sh.Y[0]-line.Mean)*(sh.Y[0]-line.Mean)/(2*v)
		if math.Abs(o.Mean-line.Mean) > 1e-9 || modeltest.Relative(o.EpredSD, line.SD) > 1e-9 || modeltest.Relative(o.SD, math.Sqrt(v)) > 1e-9 || math.Abs(o.LogDensity-density) > 1e-9 {
			t.Errorf("%s: %v (%v, line %v) with density %v, want %v (%v, %v) with %v", settings, o.Mean, o.SD, o.EpredSD, o.LogDensity, line.Mean, math.Sqrt(v), line.SD, density)
		}
	}
}
