package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

var (
	_ cdf.PriorSensitive = (*Model)(nil)
	_ cdf.PriorShared    = (*Model)(nil)
)

// The second derivative of the log evidence by the power of the prior of sigma2 is the
// posterior variance of that prior's log density. The closed form of many rows is close.
// The derivative of the mean of a coefficient by the power of the others' prior is its
// covariance with that prior's log density.
func TestPriorSensitivity(t *testing.T) {
	const p, h = 4, .01
	f := []cdf.Functional{
		{Param: []int{1}, Weight: []float64{1}}, {Const: 3, Param: []int{p}, Weight: []float64{-2}},
		{Const: 1, Param: []int{0}, Weight: []float64{-3}},
	}
	for _, c := range []struct {
		rows      int
		noise     float64
		tolerance float64
	}{{3, 1, 1e-3}, {10, 1, 1e-3}, {10, .03, 1e-3}, {49, .3, 1e-3}, {60, .3, .02}, {1000, .3, .002}, {1000, 1, .01}} {
		var all *cdf.Shard
		learn := func(power float64) *Model {
			s := Defaults()
			s.Prior.Sigma2Shape *= power
			s.Prior.Sigma2Rate *= power
			m, err := New(s, cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(17, uint64(c.rows)))
			sh := modeltest.RegressionShard(r, c.rows, p, true)
			for i := range sh.Y {
				sh.Y[i] = sh.X[i*p+1] - sh.X[i*p+2] + c.noise*r.NormFloat64()
			}
			d := modeltest.Stepper{Model: m}
			d.Must(t, sh, 1)
			all = sh
			return m
		}
		log := func(power float64) float64 {
			m := learn(power)
			a, b := m.prior.Sigma2Shape, m.prior.Sigma2Rate
			return m.LogEvidence() + dist.LogGamma(a) - a*math.Log(b)
		}
		got := make([]float64, len(f))
		m := learn(1)
		m.PriorSensitivity(f, got)
		means := func(power float64) (mean, sd []float64) {
			o := newOracle(p, m.prior, true)
			o.add(all)
			for j := range o.precise {
				o.precise[j] *= power
			}
			_, mean, sd = o.at(math.Log(m.s2))
			return mean, sd
		}
		up, _ := means(1 + h)
		down, _ := means(1 - h)
		_, sd := means(1)
		for i, j := range map[int]int{0: 1, 2: 0} {
			if want := math.Abs(up[j]-down[j]) / (2 * h) / sd[j]; math.Abs(got[i]-want) > 1e-3*want+1e-9 {
				t.Errorf("%d rows with noise %g: sensitivity %g of beta_%d, want %g", c.rows, c.noise, got[i], j, want)
			}
		}
		want := math.Sqrt(log(1+h)+log(1-h)-2*log(1)) / h
		if !(modeltest.Relative(got[1], want) < c.tolerance) {
			t.Errorf("%d rows with noise %g: sensitivities %g, want that of sigma2 %g", c.rows, c.noise, got, want)
		}
	}
	got := []float64{math.NaN(), math.NaN(), math.NaN()}
	if newTest(t, p).PriorSensitivity(f, got); slices.ContainsFunc(got, func(v float64) bool { return !math.IsNaN(v) }) {
		t.Errorf("before the first row: %g, want NaN", got)
	}
}

// The derivative of the mean of log sigma2 by the power of the prior of beta, in its sds, of a coefficient that the prior draws far.
func TestPriorOfBetaMovesSigma2(t *testing.T) {
	const p, h = 4, .02
	for _, c := range []struct {
		rows  int
		slope float64
		bound float64 // a line where the law is bent
	}{{200, 20, .4}, {400, 20, .1}, {300, 8, .1}, {45, 2, .1}} {
		learn := func(power float64) (*Model, *work) {
			s := Defaults()
			s.Prior.BetaVariance /= power
			m, err := New(s, cdf.Dims{Columns: modeltest.Columns(p)})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(18, uint64(c.rows)))
			sh := modeltest.RegressionShard(r, c.rows, p, false)
			for i := range sh.Y {
				sh.X[i*p] = 0
				if i%40 == 0 {
					sh.X[i*p] = 1
				}
				sh.Y[i] = c.slope*sh.X[i*p] + sh.X[i*p+1] + r.NormFloat64()
			}
			d := modeltest.Stepper{Model: m}
			d.Must(t, sh, 1)
			return m, m.work()
		}
		log := func(power float64) (mean, sd float64) {
			m, w := learn(power)
			m.fillNodes(&w.nodes)
			n := &w.nodes
			square := 0.0
			for i, l := range n.l {
				mean += n.weight(i) / n.total * l
				square += n.weight(i) / n.total * l * l
			}
			return mean, math.Sqrt(square - mean*mean)
		}
		up, _ := log(1 + h)
		down, _ := log(1 - h)
		_, sd := log(1)
		m, w := learn(1)
		got, want := m.pulled(), math.Abs(up-down)/(2*h)/sd
		if !(math.Abs(got-want) < c.bound*want) {
			t.Errorf("%d rows, slope %g: %g, want %g", c.rows, c.slope, got, want)
		}
		all := []float64{0}
		m.PriorSensitivity([]cdf.Functional{{Param: []int{p}, Weight: []float64{1}}}, all)
		if want := max(got, m.sensitivity(w)); all[0] != want {
			t.Errorf("%d rows, slope %g: sensitivity %g, want %g", c.rows, c.slope, all[0], want)
		}
	}
}

// The derivative of log variances given sigma2 by the log of the prior's, by the form, the series of few rows and that of many: of
// columns by themselves, of two that are nearly equal, and of their sum.
func TestPriorShare(t *testing.T) {
	const h = .01
	for _, c := range []struct{ p, rows int }{{4, 3}, {4, 10}, {4, 49}, {4, 1000}, {70, 300}, {40, 1000}} {
		m := newTest(t, c.p)
		r := rand.New(rand.NewPCG(19, uint64(c.rows)))
		sh := modeltest.RegressionShard(r, c.rows, c.p, false)
		for i := range sh.Y {
			x := sh.X[i*c.p:]
			x[1] = x[0] + .05*x[1]
			sh.Y[i] = x[2] + r.NormFloat64()
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		f := []cdf.Functional{
			{Param: []int{0}, Weight: []float64{1}}, {Param: []int{2}, Weight: []float64{-3}}, {Param: []int{0, 1}, Weight: []float64{2, 2}},
			{Param: []int{c.p}, Weight: []float64{1}},
		}
		got := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		m.PriorShare(f, got)
		s2 := m.s2
		if m.inSeries() {
			s2 = m.post.s0
		}
		variances := func(power float64) (v [3]float64) {
			o := newOracle(c.p, m.prior, m.intercept)
			o.add(sh)
			for j := range o.precise {
				o.precise[j] *= power
			}
			_, _, sd := o.at(math.Log(s2))
			v[0], v[1] = sd[0]*sd[0], sd[2]*sd[2]
			q := mat.NewSymDense(c.p, nil)
			for i := range c.p {
				for j := i; j < c.p; j++ {
					q.SetSym(i, j, o.xx.At(i, j)/s2)
				}
				q.SetSym(i, i, q.At(i, i)+o.precise[i])
			}
			var chol mat.Cholesky
			chol.Factorize(q)
			both, x := mat.NewVecDense(c.p, nil), mat.NewVecDense(c.p, nil)
			both.SetVec(0, 1)
			both.SetVec(1, 1)
			if err := chol.SolveVecTo(x, both); err != nil {
				t.Fatal(err)
			}
			v[2] = mat.Dot(both, x)
			return v
		}
		up, down := variances(1+h), variances(1-h)
		for i := range up {
			want := math.Log(down[i]/up[i]) / math.Log((1+h)/(1-h))
			if !(math.Abs(got[i]-want) < .002) {
				t.Errorf("%d columns, %d rows: the prior has %.4f of the variance of functional %d, want %.4f", c.p, c.rows, got[i], i, want)
			}
		}
		if !math.IsNaN(got[3]) {
			t.Errorf("%d columns: of sigma2 %g, want NaN", c.p, got[3])
		}
	}
}
