package probit

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/probit"
)

// mills returns phi(x)/Phi(x), the textbook way.
func mills(x float64) float64 {
	return math.Exp(-.5*x*x) / math.Sqrt(2*math.Pi) / (.5 * math.Erfc(-x/math.Sqrt2))
}

// The mean field of one shard has the mode of the posterior for its mean
// (its fixed point is where the gradient vanishes) and weight 1 for every
// row. Here the mode of each shard's target is found by Newton's method, in
// dense matrices.
func TestSVBAgainstNewton(t *testing.T) {
	const p = 4
	beta := []float64{1, -.7, .4, 0}
	shards := newBatches(rand.New(rand.NewPCG(3, 1)), 3, 30, beta, 1)
	precision, linear := mat.NewDense(p, p, nil), mat.NewVecDense(p, nil)
	for j := range p {
		precision.Set(j, j, 1)
	}
	f := cdf.NewFilter(specOf(t, "svb", p, 1, 1, nil), "a/key")
	for n, b := range shards {
		x := mat.NewDense(b.Rows, p, nil) // signed
		for i, y := range b.Columns[p].Number {
			for j := range p {
				x.Set(i, j, (2*y-1)*b.Columns[j].Number[i])
			}
		}
		m, line, g, h, step := mat.NewVecDense(p, nil), mat.NewVecDense(b.Rows, nil), mat.NewVecDense(p, nil), mat.NewDense(p, p, nil), mat.NewVecDense(p, nil)
		for range 50 {
			line.MulVec(x, m)
			g.MulVec(precision, m)
			g.SubVec(linear, g)
			h.Copy(precision)
			for i := range b.Rows {
				u, row := mills(line.AtVec(i)), x.RowView(i)
				g.AddScaledVec(g, u, row)
				h.RankOne(h, u*(u+line.AtVec(i)), row, row)
			}
			if err := step.SolveVec(h, g); err != nil {
				t.Fatal(err)
			}
			m.AddVec(m, step)
		}
		var gram, v mat.Dense
		gram.Mul(x.T(), x)
		precision.Add(precision, &gram)
		linear.MulVec(precision, m)
		if err := v.Inverse(precision); err != nil {
			t.Fatal(err)
		}
		sum, err := f.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		for j, r := range sum.Rows {
			sd := math.Sqrt(v.At(j, j))
			if math.Abs(r.Mean-m.AtVec(j)) > 1e-5 || math.Abs(r.SD-sd) > 1e-12 || math.Abs(r.Q975-(r.Mean+1.959963984540054*sd)) > 1e-12 {
				t.Errorf("shard %d, %s: mean %v sd %v q97.5 %v, want %v, %v", n+1, r.Variable, r.Mean, r.SD, r.Q975, m.AtVec(j), sd)
			}
		}
	}
}

// Predictions against quadrature over x'beta, whose law is normal.
func TestSVBPredicts(t *testing.T) {
	spec := specOf(t, "svb", 2, 1, 1, func(v any) { v.(*svbSettings).Prior = probit.Prior{BetaVariance: 2, InterceptVariance: 2} })
	model, err := spec.New(cdf.Dims{Columns: []string{"x1", "x2"}})
	if err != nil {
		t.Fatal(err)
	}
	m := model.(*svb)
	step := cdf.Step{Shard: &cdf.Shard{Rows: 3, Cols: 2, X: []float64{1, 2, -1, .5, .3, -2}, Y: []float64{1, 0, 0}}, Forget: 1}
	for _, b := range m.Blocks() {
		b.Absorb(&step)
		if err := b.Sample(&step); err != nil {
			t.Fatal(err)
		}
	}
	sh := &cdf.Shard{Rows: 3, Cols: 2, X: []float64{0, 0, 1.5, -1, 4, 3}, Y: []float64{1, 0, math.NaN()}}
	out := make([]cdf.Prediction, 3)
	if err := m.Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	logs := 0.0
	for i, p := range out {
		mean, v := m.line(sh.X[2*i:2*i+2], make([]float64, 2))
		e, e2 := 0.0, 0.0
		for z := -9.0; z <= 9; z += .001 {
			w, q := .001*math.Exp(-.5*z*z)/math.Sqrt(2*math.Pi), .5*math.Erfc(-(mean+z*math.Sqrt(v))/math.Sqrt2)
			e, e2 = e+w*q, e2+w*q*q
		}
		if math.Abs(p.Mean-e) > 1e-10 || math.Abs(p.EpredSD-math.Sqrt(e2-e*e)) > 1e-8 || math.Abs(p.SD-math.Sqrt(e*(1-e))) > 1e-10 {
			t.Errorf("row %d: %+v, want probability %v with sd %v", i, p, e, math.Sqrt(e2-e*e))
		}
		if z := 1.959963984540054 * math.Sqrt(v); math.Abs(p.EpredQ975-.5*math.Erfc(-(mean+z)/math.Sqrt2)) > 1e-12 {
			t.Errorf("row %d: the probability's 97.5 %% quantile is %v", i, p.EpredQ975)
		}
		switch y := sh.Y[i]; {
		case math.IsNaN(y) && !math.IsNaN(p.LogDensity):
			t.Errorf("row %d has no response and the log density %v", i, p.LogDensity)
		case !math.IsNaN(y):
			logs += p.LogDensity / 2
			if want := math.Log(y*e + (1-y)*(1-e)); math.Abs(p.LogDensity-want) > 1e-9 {
				t.Errorf("row %d: log density %v, want %v", i, p.LogDensity, want)
			}
		}
	}
	s, err := m.Score(sh, rand.New(rand.NewPCG(1, 1)))
	if err != nil || math.Abs(s.LogDensity-logs) > 1e-12 || s.Rows != 2 || s.PredictedRows != 1 {
		t.Errorf("score %+v, error %v, want log density %v", s, err, logs)
	}
}
