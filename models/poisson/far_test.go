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
