package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

var (
	_ cdf.Model       = (*Model)(nil)
	_ cdf.Summarizer  = (*Model)(nil)
	_ cdf.Predictor   = (*Model)(nil)
	_ cdf.Evidence    = (*Model)(nil)
	_ cdf.Covariancer = (*Model)(nil)
	_ cdf.Covariancer = (*Paper)(nil)
	_ cdf.Model       = (*Paper)(nil)
	_ cdf.Summarizer  = (*Paper)(nil)
	_ cdf.Predictor   = (*Paper)(nil)
)

func newTest(t testing.TB, p int) *Model {
	t.Helper()
	m, err := New(Defaults(), cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A1: at a frozen s2 the posterior does not depend on how rows were cut into
// shards or ordered within them, and equals the batch formula.
func TestIsInvariantToSharding(t *testing.T) {
	const rows, c = 5000, 1.7
	for _, of := range []struct{ p, order int }{{6, 1}, {6, 2}, {40, 1}} { // 1,000 rows of 40 columns go in by their Gram matrix
		r, p := rand.New(rand.NewPCG(31, uint64(of.order))), of.p
		all := modeltest.RegressionShard(r, rows, p, true)
		o := newOracle(p, Defaults().Prior, true)
		o.add(all)
		_, mean, sd := o.at(math.Log(c))
		for name, size := range map[string]func() int{
			"1 x 5000": func() int { return rows }, "5 x 1000": func() int { return 1000 }, "500 x 10": func() int { return 10 }, "random": func() int { return r.IntN(40) }, "single rows": func() int { return r.IntN(2) },
		} {
			m := newTest(t, p)
			d := modeltest.Stepper{Model: m}
			for at := 0; at < rows; {
				n := min(size(), rows-at)
				sh := modeltest.Cut(all, at, at+n)
				if of.order == 2 {
					reversed := &cdf.Shard{Rows: n, Cols: p}
					for i := n - 1; i >= 0; i-- {
						reversed.Y = append(reversed.Y, sh.Y[i])
						reversed.X = append(reversed.X, lin.Row(sh.X, p, i)...)
					}
					sh = reversed
				}
				d.Must(t, sh, 1)
				at += n
			}
			m.s2 = c
			m.settle(m.work())
			for j := range p {
				if modeltest.Relative(m.post.beta[j], mean[j]) > 1e-9 || modeltest.Relative(math.Sqrt(closedScale(m, j, j)), sd[j]) > 1e-9 {
					t.Errorf("%d columns, %s: coefficient %d is %v (%v), want %v (%v)", p, name, j, m.post.beta[j], math.Sqrt(closedScale(m, j, j)), mean[j], sd[j])
				}
			}
			if m.n != rows {
				t.Errorf("%d columns, %s: N is %v", p, name, m.n)
			}
		}
	}
}

// A2: rows without a response do not matter; a column of zeros keeps its
// prior; N is discounted geometrically.
func TestSpecialRowsAndColumns(t *testing.T) {
	const p, T, lambda = 4, 30, 0.9
	r := rand.New(rand.NewPCG(32, 1))
	full, thin, zero := newTest(t, p), newTest(t, p), newTest(t, p)
	a, b, c := modeltest.Stepper{Model: full}, modeltest.Stepper{Model: thin}, modeltest.Stepper{Model: zero}
	for range T {
		sh := modeltest.RegressionShard(r, 7, p, true)
		with := &cdf.Shard{Rows: 9, Cols: p, Y: slices.Concat(sh.Y[:3], []float64{math.NaN()}, sh.Y[3:], []float64{math.NaN()}),
			X: slices.Concat(sh.X[:3*p], []float64{1, 9, 9, 9}, sh.X[3*p:], []float64{1, 1e9, 2, 3})}
		a.Must(t, sh, lambda)
		b.Must(t, with, lambda)
		for i := range sh.Rows {
			sh.X[i*p+2] = 0
		}
		c.Must(t, sh, lambda)
		row := modeltest.Summarize(t, zero, modeltest.Coefficients(p))[2]
		if row.Mean != 0 || zero.early() && math.Abs(row.SD-1) > 1e-14 {
			t.Fatalf("shard %d: the zero column has mean %v, sd %v", c.T, row.Mean, row.SD)
		}
		if zero.post.beta[2] != 0 || closedScale(zero, 2, 2) != 1 {
			t.Fatalf("shard %d: the zero column has mean %v, scale^2 %v", c.T, zero.post.beta[2], closedScale(zero, 2, 2))
		}
	}
	modeltest.SameState(t, full, thin)
	if want := 7 * (1 - math.Pow(lambda, T)) / (1 - lambda); modeltest.Relative(full.n, want) > 1e-12 {
		t.Errorf("N is %v, want %v", full.n, want)
	}
}

// Evidence and marginals against an independent method: few rows, many, more
// coefficients than rows, a prior that the data contradict so that there are
// two modes, prior shapes near 0 and forty columns.
func TestAgainstTheOracle(t *testing.T) {
	for _, c := range []struct {
		name         string
		p, rows      int
		offset       float64
		shape, rate  float64
		beta, center float64 // prior variances
	}{
		{"one row", 4, 1, 0, 1, 1, 1, 100},
		{"fewer rows than columns", 12, 6, 0, 1, 1, 1, 100},
		{"early", 4, 45, 0, 1, 1, 1, 100},
		{"closed", 4, 70, 0, 1, 1, 1, 100},
		{"many", 4, 3000, 0, 1, 1, 1, 100},
		{"vague", 3, 9, 0, .01, .01, 1, 1},
		{"two modes, early", 2, 40, 14.6, 1, 1, 1, 1},
		{"two modes", 2, 60, 18.8, 1, 1, 1, 1},
		{"two modes, far apart", 2, 400, 56.6, 1, 1, 1, 1},
		{"two narrow modes", 2, 2000, 139.95, 1, 1, 1, 1},
		{"forty columns", 40, 200, 0, 1, 1, 1, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Settings{Prior: Prior{c.beta, c.center, c.shape, c.rate}}
			m, err := New(s, cdf.Dims{Columns: modeltest.Columns(c.p), Intercept: true})
			if err != nil {
				t.Fatal(err)
			}
			sh := modeltest.RegressionShard(rand.New(rand.NewPCG(33, uint64(c.p))), c.rows, c.p, true)
			for i := range sh.Y {
				sh.Y[i] += c.offset
			}
			d := modeltest.Stepper{Model: m}
			d.Must(t, modeltest.Cut(sh, 0, c.rows/3), 1)
			d.Must(t, modeltest.Cut(sh, c.rows/3, c.rows), 1)
			o := newOracle(c.p, s.Prior, true)
			o.add(sh)
			o.solve(2001)
			// The oracle subtracts sums of squares: 1e-8 of 1,000 nats.
			if miss := math.Abs(m.LogEvidence() - o.evidence); !(miss < 1e-8*max(1, -o.evidence/1e3)) {
				t.Errorf("evidence %v, want %v", m.LogEvidence(), o.evidence)
			}
			if !m.early() {
				return
			}
			rows := modeltest.Summarize(t, m, modeltest.Coefficients(c.p))
			cum, at := 0.0, 0
			for j, r := range rows[:c.p] {
				x := o.beta(j)
				mean, sd := x.Moments()
				got := []float64{r.Mean, r.SD, r.Q025, r.Q25, r.Median, r.Q95}
				want := []float64{mean, sd, x.Quantile(.025, dist.NormalQuantiles[0]), x.Quantile(.25, dist.NormalQuantiles[2]), x.Quantile(.5, 0), x.Quantile(.95, dist.NormalQuantiles[5])}
				for i := range got {
					if !(math.Abs(got[i]-want[i]) < 1e-7*sd) {
						t.Errorf("coefficient %d: %v, want %v", j, got, want)
						break
					}
				}
			}
			// sigma2: the share of the oracle's weights below each quantile.
			for _, q := range []struct{ p, at float64 }{{.025, rows[c.p].Q025}, {.5, rows[c.p].Median}, {.975, rows[c.p].Q975}} {
				for ; at < len(o.l) && o.l[at] <= math.Log(q.at); at++ {
					cum += o.w[at]
				}
				if !(math.Abs(cum-q.p) < 2*slices.Max(o.w)) {
					t.Errorf("sigma2: mass below %v is %v, want %v", q.at, cum, q.p)
				}
			}
			if r := rows[c.p]; !math.IsNaN(r.SD) && m.post.shape > 4 {
				mean, square := 0.0, 0.0
				for k, l := range o.l {
					mean += o.w[k] * math.Exp(l)
					square += o.w[k] * math.Exp(2*l)
				}
				if modeltest.Relative(r.Mean, mean) > 1e-7 || modeltest.Relative(r.SD, math.Sqrt(square-mean*mean)) > 1e-6 {
					t.Errorf("sigma2: %v (%v), want %v (%v)", r.Mean, r.SD, mean, math.Sqrt(square-mean*mean))
				}
				// A new row has the noise beside the line.
				row := make([]cdf.Prediction, 1)
				if err := m.Predict(modeltest.Cut(sh, 0, 1), row); err != nil || modeltest.Relative(row[0].SD*row[0].SD, row[0].EpredSD*row[0].EpredSD+mean) > 1e-7 {
					t.Errorf("a row %+v, sigma2 %v, %v", row[0], mean, err)
				}
			}
		})
	}
}

// What the columns cannot explain, because a direction underflowed, stays in
// the residual sum of squares.
func TestKeepsTheSumOfSquares(t *testing.T) {
	for _, tiny := range []float64{1, 1e-20, 1e-143, 1e-156, 0} {
		sh := modeltest.RegressionShard(rand.New(rand.NewPCG(35, 1)), 80, 3, true)
		want := 0.0
		for i, y := range sh.Y {
			sh.X[i*3+1] *= tiny
			want += y * y
		}
		m := newTest(t, 3)
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		got := m.post.rho2 + m.post.b2
		if modeltest.Relative(got, want) > 1e-13 {
			t.Errorf("column of size %v: %v, want %v", tiny, got, want)
		}
	}
}

// A row whose features are all zero says nothing of beta: sigma2 is inverse
// gamma exactly, with moments that barely exist.
func TestEarlySigma2(t *testing.T) {
	for _, shape := range []float64{.3, .6, 1.1, 1.6, 4} {
		s := Defaults()
		s.Prior.Sigma2Shape = shape
		m, err := New(s, cdf.Dims{Columns: modeltest.Columns(2)})
		if err != nil {
			t.Fatal(err)
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, &cdf.Shard{Rows: 1, Cols: 2, X: []float64{0, 0}, Y: []float64{2}}, 1)
		f := []cdf.Functional{{Param: []int{2}, Weight: []float64{1}}, {Const: 1, Param: []int{2}, Weight: []float64{-2}}}
		got, want := modeltest.Summarize(t, m, f), make([]cdf.Row, 2)
		var law dist.Standard
		for i := range want {
			describe.Begin(&want[i], "")
			describe.InvGamma(&want[i], &law, shape+.5, 3, f[i].Const, f[i].Weight[0])
			for _, v := range [][2]float64{{got[i].Mean, want[i].Mean}, {got[i].SD, want[i].SD}, {got[i].Q025, want[i].Q025},
				{got[i].Q25, want[i].Q25}, {got[i].Median, want[i].Median}, {got[i].Q975, want[i].Q975}} {
				if (!math.IsNaN(v[0]) || !math.IsNaN(v[1])) && !(modeltest.Relative(v[0], v[1]) < 1e-9) {
					t.Errorf("shape %v: %+v, want %+v", shape, got[i], want[i])
					break
				}
			}
			if modeltest.Relative(got[i].Q95, want[i].Q95) > 1e-9 {
				t.Errorf("shape %v: Q95 %v, want %v", shape, got[i].Q95, want[i].Q95)
			}
		}
	}
}

// A shard without rows shows the discount alone: .25 of every sum is left, and
// of the factor, whose square is sums, .5.
func TestForgets(t *testing.T) {
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(36, 1)), 40, 3, true)
	a := newTest(t, 3)
	b, err := NewPaper(Defaults(), cdf.Dims{Columns: modeltest.Columns(3), Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	after := func(rows int, lambda float64) [2][]float64 {
		for _, m := range []cdf.Model{a, b} {
			d := modeltest.Stepper{Model: m}
			d.Must(t, modeltest.Cut(sh, 0, rows), lambda)
		}
		return [2][]float64{slices.Clone(a.r), slices.Concat([]float64{a.n, b.n, b.ssr}, b.xx, b.xy)}
	}
	full, left := after(40, 1), after(0, .25)
	for k, scale := range []float64{.5, .25} {
		for i, v := range full[k] {
			if left[k][i] != scale*v {
				t.Errorf("statistic %d of %d: %v of %v is left", i, k, left[k][i], v)
			}
		}
	}
}
