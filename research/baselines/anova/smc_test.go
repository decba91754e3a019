package anova

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Quantiles weigh the particles; a negative factor turns them round.
func TestSMCSummaryWeighsParticles(t *testing.T) {
	m := newSMC(SMCSettings{Prior: weak, Particles: 4})
	m.n, m.ybar = []float64{1}, []float64{0}
	m.w = []float64{.01, .3, .4, .29}
	m.x = []float64{9, 1, 1, 0, -3, 1, 1, 0, 2, 1, 1, 0, 5, 1, 1, 0} // mu first
	list := []cdf.Functional{
		{Name: "mu", Param: []int{muRow}, Weight: []float64{1}},
		{Name: "other", Const: 10, Param: []int{muRow}, Weight: []float64{-2}},
	}
	out := make([]cdf.Row, len(list))
	if err := m.Summarize(list, out); err != nil {
		t.Fatal(err)
	}
	r, turned := out[0], out[1]
	modeltest.Within(t, "mean", r.Mean, .09-.9+.8+1.45, 1e-12)
	for i, q := range [][2]float64{{r.Q025, -3}, {r.Q25, -3}, {r.Median, 2}, {r.Q75, 5}, {r.Q975, 5}} {
		modeltest.Within(t, fmt.Sprintf("quantile %d", i), q[0], q[1], 0)
	}
	modeltest.Within(t, "2.5 % quantile of the other", turned.Q025, 10-2*r.Q975, 0)
	modeltest.Within(t, "25 % quantile of the other", turned.Q25, 10-2*r.Q75, 0)
	modeltest.Within(t, "sd of the other", turned.SD, 2*r.SD, 1e-12)
}

// Systematic resampling takes each particle as often as its weight says, but
// for less than one.
func TestSystematicResampling(t *testing.T) {
	m := newSMC(SMCSettings{Particles: 4})
	m.w = []float64{.1, 0, .65, .25}
	r := rand.New(rand.NewPCG(3, 3))
	mean := make([]float64, len(m.w))
	const reps, n = 4000, 10
	for range reps {
		count := make([]float64, len(m.w))
		for _, i := range m.systematic(r, n) {
			count[i]++
		}
		for i, w := range m.w {
			if math.Abs(count[i]-n*w) >= 1 {
				t.Fatalf("%v times of %v", count, m.w)
			}
			mean[i] += count[i] / reps
		}
	}
	for i, w := range m.w {
		modeltest.Within(t, "mean count", mean[i], n*w, 4*.5/math.Sqrt(reps))
	}
}
