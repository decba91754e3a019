package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// A count of a level that is not known has a mean and an sd once there are levels enough to bound their variances,
// with several terms as with one, and none before. So has the exponential of the intercept, which shares its
// error with all levels.
func TestMomentsOfUnseenLevels(t *testing.T) {
	for _, c := range []struct {
		slopes []string
		levels int
		exist  bool
	}{{nil, 4, false}, {nil, 8, false}, {nil, 60, true}, {[]string{"x"}, 4, false}, {[]string{"x"}, 60, true}} {
		m, err := New(plain(), cdf.Dims{Columns: []string{"intercept", "x"}, Intercept: true, Groups: []cdf.Group{{Column: "g", Slopes: c.slopes}}})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(modeltest.FirstSeed, 7))
		n := 20 * c.levels
		sh := &cdf.Shard{Rows: n, Cols: 2, Group: [][]int32{make([]int32, n)}}
		if c.slopes != nil {
			sh.Slopes = [][]float64{make([]float64, n)}
		}
		u := make([]float64, 2*c.levels)
		for i := range u {
			u[i] = .4 * r.NormFloat64()
		}
		for i := range n {
			g, x := i%c.levels, r.NormFloat64()
			eta := 1 + .3*x + u[2*g]
			if c.slopes != nil {
				eta += .5 * u[2*g+1] * x
				sh.Slopes[0][i] = x
			}
			sh.X, sh.Group[0][i] = append(sh.X, 1, x), int32(g)
			sh.Y = append(sh.Y, math.Floor(math.Exp(eta)+r.Float64()))
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		ask := &cdf.Shard{Rows: 1, Cols: 2, X: []float64{1, .5}, Y: []float64{math.NaN()}, Group: [][]int32{{-1}}}
		if c.slopes != nil {
			ask.Slopes = [][]float64{{.5}}
		}
		out := make([]cdf.Prediction, 1)
		if err := m.Predict(ask, out); err != nil {
			t.Fatal(err)
		}
		var mean, sd [1]float64
		if err := m.ExpMoments([]cdf.Functional{effect(0)}, mean[:], sd[:]); err != nil {
			t.Fatal(err)
		}
		p := out[0]
		if !c.exist {
			if !math.IsNaN(p.Mean) || !math.IsNaN(p.SD) || !math.IsNaN(p.EpredSD) {
				t.Errorf("%d levels, slopes %q: a mean of %g, an sd of %g: there is none", c.levels, c.slopes, p.Mean, p.SD)
			}
			if c.slopes == nil && !math.IsNaN(sd[0]) {
				t.Errorf("%d levels: the exponential of the intercept has an sd of %g", c.levels, sd[0])
			}
			continue
		}
		if !(mean[0] > 2 && mean[0] < 3.5 && sd[0] < .5) {
			t.Errorf("%d levels, slopes %q: the exponential of the intercept has mean %g, sd %g", c.levels, c.slopes, mean[0], sd[0])
		}
		// By hand: variances are as good as known.
		want, v := m.post.gauss[0].b[0]+.5*m.post.gauss[0].b[1], 0.
		for term, z2 := range []float64{1, .25} {
			if term < m.terms {
				s2, _ := m.post.vars[term].moments(math.Inf(1))
				v += z2 * s2
			}
		}
		if by := math.Exp(want + v/2); !(math.Abs(p.Mean/by-1) < .1) || !(math.Abs(p.EpredSD/(by*math.Sqrt(math.Expm1(v)))-1) < .25) {
			t.Errorf("%d levels, slopes %q: mean %g, sd of the rate %g, by hand %g, %g", c.levels, c.slopes, p.Mean, p.EpredSD, by, by*math.Sqrt(math.Expm1(v)))
		}
	}
}
