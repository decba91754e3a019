package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// A first shard of four rows under the default prior may leave a posterior far away from what
// the next one, of 300 rows, says: its mean of the intercept can be -40 with an sd of 34. The
// fit has to arrive all the same. Of 200 keys with the truth .5, .5 and -.25 each mean of
// the second posterior is within 5 of its sds, which are about .05; a normal law is beyond in one
// of 1.7 million.
func TestFarFirstRows(t *testing.T) {
	truth := [3]float64{.5, .5, -.25}
	for _, over := range []string{none, lognormal} {
		covered := 0
		for key := range 200 {
			s := Defaults()
			s.Overdispersion = over
			m := newTest(t, s, []string{"intercept", "x1", "x2"})
			d, r := modeltest.Stepper{Model: m}, rand.New(rand.NewPCG(uint64(key), 83))
			for _, rows := range []int{4, 300} {
				sh := &cdf.Shard{Rows: rows, Cols: 3}
				for range rows {
					a, b := r.NormFloat64(), r.NormFloat64()
					sh.X = append(sh.X, 1, a, b)
					sh.Y = append(sh.Y, simulate.Count(r, math.Exp(truth[0]+truth[1]*a+truth[2]*b)))
				}
				d.Must(t, sh, 1)
			}
			for j, row := range modeltest.Summarize(t, m, everything(&m.base))[:3] {
				if !(math.Abs(row.Mean-truth[j]) < 5*row.SD) || row.SD > .2 {
					t.Errorf("%s, key %d: coefficient %d is %.3f with sd %.3f, the truth %v", over, key, j, row.Mean, row.SD, truth[j])
				}
				if row.Q025 < truth[j] && truth[j] < row.Q975 {
					covered++
				}
			}
		}
		t.Logf("%s: %.3f of the intervals hold the truth", over, float64(covered)/600)
	}
}

// Rows where the posterior of a few others, which lie close together, has rates beyond all numbers are learnt all the same, also where
// columns are collinear, so that no weights of such rows have a factor.
func TestRatesBeyondNumbers(t *testing.T) {
	for _, over := range []string{none, lognormal} {
		s := Defaults()
		s.Overdispersion = over
		m := newTest(t, s, []string{"intercept", "x", "rest"})
		d := modeltest.Stepper{Model: m}
		shard := func(y func(i int, x float64) float64, x ...float64) *cdf.Shard {
			sh := &cdf.Shard{Rows: len(x), Cols: 3, Offset: make([]float64, len(x))}
			for i, v := range x {
				sh.X, sh.Y = append(sh.X, 1, v, 1-v), append(sh.Y, y(i, v))
			}
			return sh
		}
		d.Must(t, shard(func(_ int, x float64) float64 { return math.Round(1 + 1000*x) }, 0, 0, .001, .02, .02), 1)
		far := make([]float64, 60)
		for i := range far {
			far[i] = float64(i%3) * 20
		}
		at := modeltest.Summarize(t, m, everything(&m.base))
		if eta := at[0].Mean + 40*at[1].Mean - 39*at[2].Mean; !math.IsInf(math.Exp(eta), 1) {
			t.Fatalf("%s: a rate of e^%g is a number", over, eta)
		}
		d.Must(t, shard(func(i int, _ float64) float64 { return float64(1 + i%5) }, far...), 1)
		at = modeltest.Summarize(t, m, everything(&m.base))
		if slope := at[1].Mean - at[2].Mean; !(math.Abs(slope) < 1) {
			t.Errorf("%s: a slope of %g", over, slope)
		}
	}
}
