package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/internal/modeltest"
)

// What is published of a functional is what its draws have: the probability of being above 0, two sds off, and a mean and an sd, of
// coefficients and of differences of them, of columns in units of their own. 20,000 draws, 4.5 sds of each figure. Packed and
// lean publish normal laws at the mode of sigma2, which few rows hardly tell from its draws: of these only the mean is judged, and of the law
// that it is the normal one.
func TestPublishedIsThatOfDraws(t *testing.T) {
	const p, draws = 5, 20_000
	for _, form := range forms {
		r := rand.New(rand.NewPCG(73, 1))
		m := newTest(t, form.variant, form.settings, modeltest.Columns(p))
		sh := modeltest.RegressionShard(r, 9, p, false)
		for i := range sh.X {
			sh.X[i] *= []float64{.2, 1, 3, 1, 7}[i%p]
		}
		d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, (p+1)*draws)}}
		d.Must(t, sh, 1)
		functionals := []cdf.Functional{
			{Name: "a", Param: []int{0}, Weight: []float64{-2}}, {Name: "b", Param: []int{4}, Weight: []float64{1}}, {Name: "c", Param: []int{2, 3}, Weight: []float64{3, -1}},
			{Name: "d", Param: []int{1, 1}, Weight: []float64{2, -.5}},
		}
		_, learned := m.(*Learned)
		if learned {
			functionals = functionals[:3] // each column once
		}
		for i, row := range modeltest.Summarize(t, m, functionals) {
			functionals[i].Const = -2*row.SD - row.Mean
		}
		above, mcse := make([]float64, len(functionals)), make([]float64, len(functionals))
		if err := m.(cdf.Sided).Positive(functionals, above, mcse); err != nil {
			t.Fatal(err)
		}
		for i, row := range modeltest.Summarize(t, m, functionals) {
			f := functionals[i]
			count, mean, square := 0., 0., 0.
			for s := range draws {
				x := f.Const
				for c, j := range f.Param {
					x += f.Weight[c] * d.Draws.Row(j)[s]
				}
				if x > 0 {
					count++
				}
				x = (x - row.Mean) / row.SD
				mean += x / draws
				square += x * x / draws
			}
			// The kurtosis of a t law with some 11 degrees of freedom is 3.9.
			if math.Abs(mean) > 4.5*math.Sqrt(square/draws) || !learned && math.Abs(square-1) > 4.5*math.Sqrt(2.9/draws) {
				t.Errorf("%s: draws of %s are %.3f sds off, with %.3f of the variance", form.name, f.Name, mean, square)
			}
			if got, sd := count/draws, math.Sqrt(above[i]*(1-above[i])/draws); !learned && math.Abs(got-above[i]) > 4.5*sd {
				t.Errorf("%s: %s is above 0 in %.4f of the draws, published is %.4f", form.name, f.Name, got, above[i])
			}
			if learned && math.Abs(above[i]-.02275) > 1e-4 {
				t.Errorf("%s: %s is above 0 with %.4f, two sds of a normal law off", form.name, f.Name, above[i])
			}
		}
	}
}

// The sensitivity of sigma2 is the posterior sd of log p(log sigma2), by draws; that of a coefficient which is far off is by
// how many of its sds its prior draws it, with the inverse of a dense precision. The others, which are of one law, have none.
func TestSensitivities(t *testing.T) {
	const p, rows, far = 20, 60, 3
	r := rand.New(rand.NewPCG(74, 1))
	sh := modeltest.RegressionShard(r, rows, p, false)
	for i := range sh.Y {
		sh.Y[i] = r.NormFloat64() - 2*sh.X[i*p+far]
		for j := range p {
			sh.Y[i] += .1 * float64(j%3-1) * sh.X[i*p+j]
		}
	}
	for name, settings := range map[string]string{
		"sketch": "{rank: 30, prior: {sigma2_shape: 2, sigma2_rate: 9}}", "exact": "{statistics: exact, prior: {sigma2_shape: 2, sigma2_rate: 9}}",
	} {
		m := newTest(t, "", settings, modeltest.Columns(p))
		feed(t, m, sh, 20)
		kappa, shape, rate, _ := spreadOf(m)
		got := make([]float64, p+1)
		for j := range got {
			got[j] = math.NaN()
		}
		m.(cdf.PriorSensitive).PriorSensitivity(modeltest.Coefficients(p), got)
		mean, square := 0., 0.
		const draws = 400_000
		for range draws {
			s := rnd.InvGamma(r, shape, rate)
			log := -2*math.Log(s) - 9/s // of log s, but for a constant
			mean += log / draws
			square += log * log / draws
		}
		if want := math.Sqrt(square - mean*mean); modeltest.Relative(got[p], want) > .02 {
			t.Errorf("%s: the sensitivity of sigma2 is %v, want %v", name, got[p], want)
		}
		// Z'Z + I/kappa of standardised columns.
		best := newConjugate(sh, math.Log(kappa))
		precision := standardised(sh)
		for j := range p {
			precision[j*p+j] += 1 / kappa
		}
		a := dense(p, precision)[far*p+far]
		g := best.mean[far] * scaleOf(sh, far)
		if want := math.Abs(g) / kappa * math.Sqrt(a/(rate/shape)); modeltest.Relative(got[far], want) > 1e-6 {
			t.Errorf("%s: the sensitivity of what is far off is %v, want %v", name, got[far], want)
		}
		for j, v := range got[:p] {
			if j != far && !math.IsNaN(v) {
				t.Errorf("%s: coefficient %d has sensitivity %v", name, j, v)
			}
		}
	}
}

// scaleOf is the sd of a column.
func scaleOf(sh *cdf.Shard, j int) float64 {
	mean, square := 0., 0.
	for i := range sh.Rows {
		mean += sh.X[i*sh.Cols+j] / float64(sh.Rows)
	}
	for i := range sh.Rows {
		e := sh.X[i*sh.Cols+j] - mean
		square += e * e / float64(sh.Rows-1)
	}
	return math.Sqrt(square)
}

// standardised is Z'Z.
func standardised(sh *cdf.Shard) []float64 {
	p := sh.Cols
	out, mean := make([]float64, p*p), make([]float64, p)
	for i := range sh.Rows {
		lin.Axpy(1/float64(sh.Rows), lin.Row(sh.X, p, i), mean)
	}
	for i := range sh.Rows {
		z := append([]float64(nil), lin.Row(sh.X, p, i)...)
		for j := range z {
			z[j] = (z[j] - mean[j]) / scaleOf(sh, j)
		}
		for j := range z {
			lin.Axpy(z[j], z, lin.Row(out, p, j))
		}
	}
	return out
}

// The curvature of a sketch that has all is Z'Z's, whose diagonal is rows less 1, and nothing of it is lacking, in any units.
func TestCurvatureOfAllRows(t *testing.T) {
	const p, rows = 6, 60
	m := newTestSketch(t, p, 20)
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(75, 1)), rows, p, false)
	lin.Scale(30, sh.X)
	feed(t, m, sh, 20)
	for j := range p {
		if got := m.curvature(j); modeltest.Relative(got, rows-1) > 1e-9 {
			t.Errorf("column %d has curvature %v, want %d", j, got, rows-1)
		}
	}
	if got := m.told(); modeltest.Relative(got, 1) > 1e-9 {
		t.Errorf("a sketch that has all has %v of the curvature", got)
	}
}
