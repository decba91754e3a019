package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

var _ cdf.PriorSensitive = (*Model)(nil)

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
		got, want := m.pulled(w), math.Abs(up-down)/(2*h)/sd
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
