package poisson

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Groups that were forgotten say nothing of the variance of effects: with one that is left sigma2_u has no mean, as with one group in all,
// nor has the effect of a forgotten one an sd, or a count of it a mean.
func TestForgottenGroupsHaveNoMoments(t *testing.T) {
	for _, slopes := range [][]string{nil, {"x"}} {
		m, err := New(Defaults(), cdf.Dims{Columns: []string{"intercept"}, Intercept: true, Groups: []cdf.Group{{Column: "g", Slopes: slopes}}})
		if err != nil {
			t.Fatal(err)
		}
		d := modeltest.Stepper{Model: m}
		shard := func(groups int) *cdf.Shard {
			sh := &cdf.Shard{Rows: 20, Cols: 1, Group: [][]int32{make([]int32, 20)}}
			if slopes != nil {
				sh.Slopes = [][]float64{make([]float64, 20)}
			}
			for i := range sh.Rows {
				g := i % groups
				sh.X, sh.Y, sh.Group[0][i] = append(sh.X, 1), append(sh.Y, float64(2+g+i%3)), int32(g)
				if slopes != nil {
					sh.Slopes[0][i] = float64(i%5) - 2
				}
			}
			return sh
		}
		d.Must(t, shard(4), 1)
		for range 60 {
			d.Must(t, shard(1), .5)
		}
		rows := make([]cdf.Row, 3)
		n := m.k + m.stats.effects()
		if err := m.Summarize([]cdf.Functional{effect(n), effect(m.k), effect(m.k + 2)}, rows); err != nil {
			t.Fatal(err)
		}
		out := make([]cdf.Prediction, 3)
		ask := &cdf.Shard{Rows: 3, Cols: 1, X: []float64{1, 1, 1}, Y: []float64{1, 1, 1}, Group: [][]int32{{0, 2, 9}}}
		if slopes != nil {
			ask.Slopes = [][]float64{{1, 1, 1}}
		}
		if err := m.Predict(ask, out); err != nil {
			t.Fatal(err)
		}
		nan := math.IsNaN
		if s := rows[0]; !nan(s.Mean) || !nan(s.SD) || nan(s.Q975) {
			t.Errorf("slopes %q: sigma2_u %+v", slopes, s)
		}
		if a, c := rows[1], rows[2]; nan(a.Mean) || nan(a.SD) || nan(c.Mean) || !nan(c.SD) || nan(c.Q975) {
			t.Errorf("slopes %q: the group that is left %+v, one that is forgotten %+v", slopes, a, c)
		}
		if a, c := out[0], out[1]; nan(a.Mean) || nan(a.SD) || !nan(c.Mean) || !nan(c.SD) || !nan(c.EpredSD) || math.Abs(c.LogDensity-out[2].LogDensity) > .1 {
			t.Errorf("slopes %q: predictions %+v, of a new group %+v", slopes, out[:2], out[2])
		}
	}
}
