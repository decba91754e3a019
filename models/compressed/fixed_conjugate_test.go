package compressed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/compressed/projection"
)

// A fixed projection is conjugate regression on the projected columns, rows weighed by forget: by dense normal equations, what is
// published of coefficients and of their differences, predictions, draws and flags.
func TestFixedEqualsConjugateRegression(t *testing.T) {
	const p, k, rows, shards, v, lambda = 7, 3, 12, 6, .4, .8
	for _, forget := range []float64{1, lambda} {
		m := newTest(t, "", fmt.Sprintf(fixedOf, k, v), modeltest.Columns(p)).(*Fixed)
		r := rand.New(rand.NewPCG(70, 1))
		d := modeltest.Stepper{Model: m}
		gram, py, yy, n := make([]float64, k*k), make([]float64, k), 0., 0.
		project := func(x []float64) []float64 {
			q := make([]float64, k)
			for i := range q {
				q[i] = lin.Dot(lin.Row(m.phi, p, i), x)
			}
			return q
		}
		for range shards {
			sh := modeltest.RegressionShard(r, rows, p, false)
			d.Must(t, sh, forget)
			lin.Scale(forget, gram)
			lin.Scale(forget, py)
			yy, n = forget*yy, forget*n+rows
			for i, y := range sh.Y {
				q := project(lin.Row(sh.X, p, i))
				for a := range q {
					lin.Axpy(q[a], q, lin.Row(gram, k, a))
				}
				lin.Axpy(y, q, py)
				yy += y * y
			}
		}
		for a := range k {
			gram[a*k+a] += 1 / v
		}
		cov := dense(k, gram)
		mu := make([]float64, k)
		for a := range k {
			mu[a] = lin.Dot(lin.Row(cov, k, a), py)
		}
		shape, rate := 1+n/2, 1+(yy-lin.Dot(py, mu))/2
		spread := func(q []float64) (v float64) {
			for a := range q {
				v += q[a] * lin.Dot(lin.Row(cov, k, a), q)
			}
			return v
		}
		// Of a t law with 2 shape degrees of freedom.
		sd := func(v float64) float64 { return math.Sqrt(v * rate / (shape - 1)) }
		functionals := append(modeltest.Coefficients(p)[:p], cdf.Functional{Name: "d", Const: .3, Param: []int{1, 4}, Weight: []float64{2, -3}})
		prior := make([]float64, len(functionals))
		m.PriorSD(functionals, prior)
		for i, row := range modeltest.Summarize(t, m, functionals) {
			x, f := make([]float64, p), functionals[i]
			for c, j := range f.Param {
				x[j] = f.Weight[c]
			}
			q := project(x)
			if math.Abs(row.Mean-f.Const-lin.Dot(q, mu)) > 1e-9 || modeltest.Relative(row.SD, sd(spread(q))) > 1e-9 {
				t.Errorf("forget %v: number %d is %v (%v), want %v (%v)", forget, i, row.Mean, row.SD, f.Const+lin.Dot(q, mu), sd(spread(q)))
			}
			if !math.IsInf(prior[i], 1) && !math.IsNaN(prior[i]) {
				t.Errorf("sigma2 has no prior mean, and %d a prior sd of %v", i, prior[i])
			}
		}
		sh := modeltest.RegressionShard(r, 1, p, false)
		out := make([]cdf.Prediction, 1)
		if err := m.Predict(sh, out); err != nil {
			t.Fatal(err)
		}
		q := project(sh.X)
		if o := out[0]; modeltest.Relative(o.SD, sd(1+spread(q))) > 1e-9 || modeltest.Relative(o.EpredSD, sd(spread(q))) > 1e-9 || math.Abs(o.Mean-lin.Dot(q, mu)) > 1e-9 {
			t.Errorf("forget %v: predicted %v (%v, line %v), want %v (%v, %v)", forget, o.Mean, o.SD, o.EpredSD, lin.Dot(q, mu), sd(1+spread(q)), sd(spread(q)))
		}
		if got := m.LogEvidence(); math.IsNaN(got) != (forget < 1) {
			t.Errorf("forget %v: evidence %v", forget, got)
		}
		// 20,000 draws: means within 4.5 of their sds, variances within 4.5 sds of theirs, one in some 15,000 fails either.
		const draws = 20_000
		kept := &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, (p+1)*draws)}
		m.draw(&cdf.Step{Draws: kept, RNG: r})
		for j := range p {
			x := make([]float64, p)
			x[j] = 1
			want, unit := lin.Dot(project(x), mu), sd(spread(project(x)))
			mean, square := 0., 0.
			for _, g := range kept.Row(j) {
				mean += (g - want) / unit / draws
				square += (g - want) * (g - want) / (unit * unit) / draws
			}
			if math.Abs(mean) > 4.5/math.Sqrt(draws) || math.Abs(square-1) > 4.5*math.Sqrt(2.2/draws) {
				t.Errorf("forget %v: draws of gamma %d are %.3f sds off, with %.3f of the variance", forget, j, mean, square)
			}
		}
	}
}

// The joint evidence of rows is the density of one multivariate t law: with V = I + v PP' and a mean of 0, of 2a degrees of freedom, scaled
// by V b/a.
func TestFixedEvidenceOfRows(t *testing.T) {
	const p, k, n, v, a, b = 5, 2, 9, .7, 1.5, 2.5
	m := newTest(t, "", fmt.Sprintf("{projection: fixed, dimension: %d, prior: {beta_variance: %v, sigma2_shape: %v, sigma2_rate: %v}}", k, v, a, b), modeltest.Columns(p)).(*Fixed)
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(71, 2)), n, p, false)
	feed(t, m, sh, 4)
	cov := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for c := range k {
				cov[i*n+j] += v * lin.Dot(lin.Row(m.phi, p, c), lin.Row(sh.X, p, i)) * lin.Dot(lin.Row(m.phi, p, c), lin.Row(sh.X, p, j))
			}
		}
		cov[i*n+i]++
	}
	square := lin.Dot(sh.Y, solveDense(n, append([]float64(nil), cov...), append([]float64(nil), sh.Y...)))
	det := 0. // by elimination
	for i := range n {
		det += math.Log(cov[i*n+i])
		for r := i + 1; r < n; r++ {
			lin.Axpy(-cov[r*n+i]/cov[i*n+i], append([]float64(nil), lin.Row(cov, n, i)...), lin.Row(cov, n, r))
		}
	}
	gamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	want := gamma(a+n/2.) - gamma(a) - n/2.*math.Log(2*math.Pi*b) - det/2 - (a+n/2.)*math.Log1p(square/(2*b))
	if got := m.LogEvidence(); math.Abs(got-want) > 1e-9 {
		t.Errorf("evidence %v, want %v", got, want)
	}
}

// The unit of a projection is no matter where its prior variance is estimated, with rows and without.
func TestUnitOfAProjection(t *testing.T) {
	const p, k = 6, 3
	fixed := func(unit float64) *Fixed {
		s := Defaults()
		s.Projection, s.Dimension = "fixed", k
		r := rand.New(rand.NewPCG(72, 1))
		phi := &projection.Matrix{M: k}
		for range p {
			column := make([]float64, k)
			for i := range column {
				column[i] = unit * r.NormFloat64()
			}
			phi.Columns = append(phi.Columns, column)
		}
		m, err := newFixed(s, phi, cdf.Dims{Columns: modeltest.Columns(p)}, newFixedScratch())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a, b := fixed(1), fixed(1e4)
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(72, 2)), 40, p, false)
	for rows := range 2 {
		if rows == 1 {
			feed(t, a, sh, 20)
			feed(t, b, sh, 20)
		}
		one, other := make([]cdf.Prediction, sh.Rows), make([]cdf.Prediction, sh.Rows)
		if err := a.Predict(sh, one); err != nil {
			t.Fatal(err)
		}
		if err := b.Predict(sh, other); err != nil {
			t.Fatal(err)
		}
		// Before the first row x'gamma varies as the noise does, on the average over rows of unit columns.
		mean := 0.
		for i := range one {
			ratio := one[i].EpredQ975 / (one[i].Q975)
			mean += ratio * ratio / (1 - ratio*ratio) / float64(sh.Rows)
			if math.Abs(one[i].Mean-other[i].Mean) > 1e-3*(one[i].Q975-one[i].Q025) || modeltest.Relative(other[i].Q975-other[i].Q025, one[i].Q975-one[i].Q025) > 1e-3 {
				t.Errorf("%d rows: row %d is predicted %v (%v), in the other unit %v (%v)", 40*rows, i, one[i].Mean, one[i].Q975, other[i].Mean, other[i].Q975)
			}
		}
		if rows == 0 && !(mean > .6 && mean < 1.6) {
			t.Errorf("before the first row the line has %.2f of the variance of the noise", mean)
		}
	}
}
