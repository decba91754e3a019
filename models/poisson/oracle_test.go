package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/simulate"
)

// crossed returns a model of two factors, the first with a slope, and a shard
// with offsets.
func crossed(t testing.TB, s Settings, rows int) (*Model, *cdf.Shard) {
	t.Helper()
	m, err := New(s, cdf.Dims{
		Columns: []string{"intercept", "x"}, Intercept: true,
		Groups: []cdf.Group{{Column: "store", Slopes: []string{"x"}}, {Column: "day"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, crossedShard(rand.New(rand.NewPCG(8, 9)), rows)
}

func crossedShard(r *rand.Rand, rows int) *cdf.Shard {
	sh := &cdf.Shard{Cols: 2, Group: make([][]int32, 2), Slopes: make([][]float64, 1)}
	for i := range rows {
		x, g, h := r.NormFloat64(), int32(i%7), int32(i%5)
		eta := 1 + 0.3*x + 0.4*math.Sin(float64(g)) + 0.2*x*math.Cos(float64(g)) + 0.3*math.Sin(float64(2*h))
		offset := 0.5 * r.NormFloat64()
		sh.X, sh.Y = append(sh.X, 1, x), append(sh.Y, simulate.Count(r, math.Exp(offset+eta)))
		sh.Offset = append(sh.Offset, offset)
		sh.Group[0], sh.Group[1] = append(sh.Group[0], g), append(sh.Group[1], h)
		sh.Slopes[0] = append(sh.Slopes[0], x)
	}
	sh.Rows = rows
	return sh
}

// denseRow returns the row's entries for the parameters in the order of
// Params, laid out by hand for the model of crossed.
func denseRow(sh *cdf.Shard, i, stores, days int) *mat.VecDense {
	v := mat.NewVecDense(2+2*stores+days, nil)
	v.SetVec(0, 1)
	v.SetVec(1, sh.X[2*i+1])
	v.SetVec(2+int(sh.Group[0][i]), 1)
	v.SetVec(2+stores+int(sh.Group[0][i]), sh.Slopes[0][i])
	v.SetVec(2+2*stores+int(sh.Group[1][i]), 1)
	return v
}

// prior returns D for the model of crossed.
func densePrior(m *Model, stores, days int) *mat.SymDense {
	d := mat.NewSymDense(2+2*stores+days, nil)
	for j := range d.SymmetricDim() {
		switch {
		case j < 2:
			d.SetSym(j, j, 1/m.settings.Prior.BetaVariance)
		case j < 2+stores:
			d.SetSym(j, j, m.m[0])
		case j < 2+2*stores:
			d.SetSym(j, j, m.m[1])
		default:
			d.SetSym(j, j, m.m[2])
		}
	}
	return d
}

// After one shard q is the stationary point of the variational bound: by dense
// matrices, its covariance is the inverse of D + sum w c c', its mean has the
// gradient 0, and every precision solves its equation.
func TestFitIsStationary(t *testing.T) {
	for _, group := range []string{halfCauchy, inverseGamma} {
		s := plain()
		s.Prior.Group = group
		m, sh := crossed(t, s, 140)
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		const stores, days = 7, 5
		mean, variance := qRows(t, m)
		mu := mat.NewVecDense(len(mean), mean)
		prior := densePrior(m, stores, days)
		h, grad := mat.NewSymDense(len(mean), nil), mat.NewVecDense(len(mean), nil)
		var sigma mat.Dense
		// The weights need Sigma, which needs the weights: start from those of
		// the mean alone and iterate.
		v := make([]float64, sh.Rows)
		for range 200 {
			h.CopySym(prior)
			grad.MulVec(prior, mu)
			grad.ScaleVec(-1, grad)
			for i := range sh.Rows {
				c := denseRow(sh, i, stores, days)
				w := math.Exp(sh.Offset[i] + mat.Dot(c, mu) + v[i]/2)
				h.SymRankOne(h, w, c)
				grad.AddScaledVec(grad, sh.Y[i]-w, c)
			}
			if err := sigma.Inverse(h); err != nil {
				t.Fatal(err)
			}
			for i := range sh.Rows {
				c := denseRow(sh, i, stores, days)
				v[i] = mat.Inner(c, &sigma, c)
			}
		}
		for j := range mean {
			if g := grad.AtVec(j) * math.Sqrt(sigma.At(j, j)); math.Abs(g) > 1e-4 {
				t.Errorf("%s: gradient %d is %g of its sd", group, j, g)
			}
			if r := variance[j]/sigma.At(j, j) - 1; math.Abs(r) > 1e-4 {
				t.Errorf("%s: variance %d is off by %g", group, j, r)
			}
		}
		for term, span := range [][2]int{{2, 2 + stores}, {2 + stores, 2 + 2*stores}, {2 + 2*stores, 2 + 2*stores + days}} {
			k, squares := float64(span[1]-span[0]), 0.0
			for j := span[0]; j < span[1]; j++ {
				squares += mean[j]*mean[j] + sigma.At(j, j)
			}
			p, want := s.Prior, 0.0
			if group == halfCauchy {
				b := 1 / (m.m[term] + 1/(p.GroupScale*p.GroupScale))
				want = (k + 1) / (2*b + squares)
			} else {
				want = (p.GroupShape + k/2) / (p.GroupRate + squares/2)
			}
			if r := m.m[term]/want - 1; math.Abs(r) > 1e-4 {
				t.Errorf("%s: precision %d is %g, its equation says %g", group, term, m.m[term], want)
			}
		}
	}
}

// The arrow form gives the numbers of the dense matrices: means, variances,
// and the log density of a variance up to a constant.
func TestArrowIsDense(t *testing.T) {
	m, sh := crossed(t, plain(), 60)
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	d.Must(t, crossedShard(rand.New(rand.NewPCG(2, 2)), 60), 1)
	const stores, days = 7, 5
	n := 2 + 2*stores + days
	lam, h := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	day := func(j int) int { return 2 + 2*stores + j - 2 } // core entry to parameter
	at := func(j int) int {
		if j < 2 {
			return j
		}
		return day(j)
	}
	st := &m.stats
	for i := range st.c {
		h.SetVec(at(i), st.h[i])
		for j := range i + 1 {
			lam.SetSym(at(i), at(j), st.lam[i*st.c+j])
		}
	}
	for g := range stores {
		b, a, rh := st.record(g)
		for j := range 2 {
			u := 2 + j*stores + g
			h.SetVec(u, rh[j])
			for i := range st.c {
				lam.SetSym(u, at(i), b[j*st.c+i])
			}
			for l := range 2 {
				lam.SetSym(u, 2+l*stores+g, a[j*2+l])
			}
		}
	}
	var logs []float64
	for _, precision := range []float64{0.5, 3, 40} {
		m.m[1] = precision
		p := densePrior(m, stores, days)
		p.AddSym(p, lam)
		var chol mat.Cholesky
		if !chol.Factorize(p) {
			t.Fatal("not positive definite")
		}
		var mu mat.VecDense
		var sigma mat.SymDense
		if chol.SolveVecTo(&mu, h) != nil || chol.InverseTo(&sigma) != nil {
			t.Fatal("no solution")
		}
		mean, variance := qRows(t, m)
		for j := range n {
			if math.Abs(mean[j]-mu.AtVec(j)) > 1e-9 || math.Abs(variance[j]/sigma.At(j, j)-1) > 1e-9 {
				t.Errorf("parameter %d has mean %g and variance %g, dense %g and %g", j, mean[j], variance[j], mu.AtVec(j), sigma.At(j, j))
			}
		}
		w := m.work()
		var g gauss
		g.conditional(&m.shape, st, m.m, w)
		m.scratch.Put(w)
		dense := 0.5*mat.Dot(h, &mu) - 0.5*chol.LogDet() + 0.5*stores*math.Log(precision)
		logs = append(logs, g.log-dense)
	}
	for _, v := range logs {
		if math.Abs(v-logs[0]) > 1e-9 {
			t.Errorf("log densities differ from the dense ones by %v, want a constant", logs)
		}
	}
}

// The law of a count against sums and a fine trapezoid rule over the log rate.
func TestMass(t *testing.T) {
	for _, c := range []struct{ mean, sd float64 }{{-3, 1.5}, {0.5, 0.1}, {2, 1}, {3.5, 0.3}, {5, 2}, {9, 0.01}, {-8, 3}} {
		x := dist.NormalMixture{}
		x.Size(2)
		x.W[0], x.Mean[0], x.SD[0] = 0.3, c.mean-0.5*c.sd, c.sd
		x.W[1], x.Mean[1], x.SD[1] = 0.7, c.mean+0.2*c.sd, 1.5*c.sd
		p, tolerance := mass{x: &x}, 2e-4
		if c.sd > 1 { // nine nodes are few for so wide a law
			tolerance = 4e-3
		}
		exact := func(y float64) float64 {
			sum := 0.0
			for k := range x.W {
				const n = 20_000
				lo, step := x.Mean[k]-9*x.SD[k], 18*x.SD[k]/n
				for i := range n + 1 {
					eta := lo + float64(i)*step
					z := (eta - x.Mean[k]) / x.SD[k]
					sum += x.W[k] * math.Exp(y*eta-math.Exp(eta)-dist.LogGamma(y+1)-0.5*z*z) * step / (x.SD[k] * math.Sqrt(2*math.Pi))
				}
			}
			return sum
		}
		for _, y := range []float64{0, 1, 5, 30, math.Floor(math.Exp(c.mean))} {
			want := exact(y)
			if want < 1e-30 {
				continue
			}
			if got := math.Exp(p.logMass(y)); math.Abs(got/want-1) > tolerance {
				t.Errorf("mean %g sd %g: P(Y=%g) = %g, want %g", c.mean, c.sd, y, got, want)
			}
		}
		sum, y := 0.0, 0.0
		for ; y < 3000 && sum < 0.999; y++ {
			sum += math.Exp(p.logMass(y))
			if got := p.cdf(y); math.Abs(got-sum) > max(1e-3, tolerance) {
				t.Fatalf("mean %g sd %g: P(Y<=%g) = %g, the masses sum to %g", c.mean, c.sd, y, got, sum)
			}
		}
		for _, q := range []float64{.025, .5, .975} {
			at := p.quantile(q, 0)
			if p.cdf(at) < q || at > 0 && p.cdf(at-1) >= q+tolerance {
				t.Errorf("mean %g sd %g: quantile %g is %g, with %g at it and %g below", c.mean, c.sd, q, at, p.cdf(at), p.cdf(at-1))
			}
		}
	}
}
