package dlm

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Equal times are one step, also across shards; a gap is as many missing
// steps as there are times in between; going back is refused.
func TestTime(t *testing.T) {
	y, _ := series{phi: constantly(.8), tau: 1, sigma: .7}.make(12, 40)
	nan := math.NaN()
	for _, k := range modes {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			fresh := func() *modeltest.Stepper {
				m, err := spec(t, k[0], k[1], "s").New(cdf.Dims{})
				if err != nil {
					t.Fatal(err)
				}
				return &modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: 20, Chains: 1, Data: make([]float64, 100)}}
			}
			timed := func(y []float64, at ...int64) *cdf.Shard { return &cdf.Shard{Rows: len(y), Y: y, Time: at, Forget: 1} }
			bytes := func(d *modeltest.Stepper) string {
				b, err := d.Model.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				return string(b)
			}
			// A gap of two is two rows without a response.
			a, b := fresh(), fresh()
			a.Must(t, timed([]float64{y[0], y[1], y[2]}, -3, -2, 1), 1)
			b.Must(t, timed([]float64{y[0], y[1], nan, nan, y[2]}, -3, -2, -1, 0, 1), 1)
			near(t, a.Model, b.Model, 1e-9)
			// Time goes on between shards: within a step, and with a gap.
			a.Must(t, timed([]float64{y[3]}, 1), 1)
			b.Must(t, timed([]float64{y[3]}, 1), 1)
			a.Must(t, timed([]float64{y[4]}, 4), 1)
			b.Must(t, timed([]float64{nan, nan, y[4]}, 2, 3, 4), 1)
			near(t, a.Model, b.Model, 1e-9)
			before := bytes(a)
			for _, sh := range []*cdf.Shard{timed([]float64{1}, 3), timed([]float64{1, 2}, 6, 5)} {
				if err := a.Model.Check(sh); !errors.Is(err, cdf.ErrShard) {
					t.Errorf("times %v after 4: %v", sh.Time, err)
				}
			}
			if bytes(a) != before {
				t.Error("a refused shard left a trace")
			}
			// The longest gap there is does not take long.
			c := fresh()
			c.Must(t, timed([]float64{y[0], y[1]}, math.MinInt64, math.MaxInt64), 1)
			wellFormed(t, c.Model)
		})
	}
}

// near compares what two models predict, which are the same but for rounding
// (sampled ones: the same random numbers).
func near(t *testing.T, a, b cdf.Model, tol float64) {
	t.Helper()
	var out [2][3]cdf.Prediction
	for i, m := range []cdf.Model{a, b} {
		sh := &cdf.Shard{Rows: 3, Y: []float64{math.NaN(), .3, math.NaN()}, Time: []int64{5, 6, 8}, Forget: 1}
		if err := m.(cdf.Predictor).Predict(sh, out[i][:]); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range out[0] {
		q := out[1][i]
		if math.Abs(p.Mean-q.Mean) > tol || math.Abs(p.SD-q.SD) > tol*q.SD {
			t.Errorf("row %d: %+v and %+v", i, p, q)
		}
	}
}
