package compressed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
)

const fixedOf = "{projection: fixed, dimension: %d, prior: {beta_variance: %g}}"

// The estimated prior variance has the greatest joint evidence of all that may be
// given, whether the rows are fewer or more than the dimensions.
func TestFixedEstimatesItsPrior(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 1))
	for _, c := range []struct{ rows, columns, dimension int }{{5, 20, 8}, {40, 6, 3}, {200, 30, 12}, {30, 3, 5}} {
		names := modeltest.Columns(c.columns)
		sh := modeltest.RegressionShard(r, c.rows, c.columns, false)
		with := func(v float64) *Fixed {
			m := newTest(t, "", fmt.Sprintf(fixedOf, c.dimension, v), names).(*Fixed)
			feed(t, m, sh, 3)
			return m
		}
		m := with(0)
		most := with(m.v).LogEvidence()
		if !math.IsNaN(m.LogEvidence()) || math.IsNaN(most) {
			t.Errorf("%+v: evidence %v, %v with the same variance given", c, m.LogEvidence(), most)
		}
		prior := func(v float64) float64 {
			signal := v * lin.Dot(m.phi, m.phi)
			return math.Log(signal/(1+signal)/(1+signal)) / 2
		}
		most += prior(m.v)
		for log := -15.; log < 6; log += .25 {
			if e := with(math.Exp(log)).LogEvidence() + prior(math.Exp(log)); e > most+1e-6 {
				t.Errorf("%+v: %g has density %v, the estimate %g has %v", c, math.Exp(log), e, m.v, most)
			}
		}
	}
}

// On real columns of both sorts, many directions that matter or few, no variance
// that is given is much better than the estimated one, with few rows and all; each
// that is given is much worse somewhere. Means over six projections and row orders.
func TestAcceptanceFixedPrior(t *testing.T) {
	const orders = 6
	given := []float64{0, 1, -1} // -1: 1 by number of columns
	var worst [3]float64
	for _, set := range []string{"wheat", "nirsoil"} {
		d := readReal(t, set)
		for _, k := range []int{10, 60} {
			for _, rows := range []int{30, 56, 100, d.train.Rows} {
				var mspe [3]float64
				for seed := range uint64(orders) {
					sh := modeltest.Cut(shuffled(d.train, seed+1), 0, rows)
					for i, v := range given {
						if v < 0 {
							v = 1 / float64(d.train.Cols)
						}
						m := newTest(t, "", fmt.Sprintf("{projection: fixed, dimension: %d, projection_seed: %d, prior: {beta_variance: %g}}", k, seed+1, v), d.names)
						feed(t, m, sh, 0)
						e, _ := testScore(t, m, d.fit)
						mspe[i] += e / orders
					}
				}
				t.Logf("%s, %d dimensions, %d rows: MSPE %.3f estimated, %.3f with 1, %.3f with 1/p", set, k, rows, mspe[0], mspe[1], mspe[2])
				least := min(mspe[0], mspe[1], mspe[2])
				for i := range worst {
					worst[i] = max(worst[i], mspe[i]/least)
				}
			}
		}
	}
	accept.Range(t, "CF3", "worst MSPE over the best, estimated", worst[0], 1, 1.5, "6 orders")
	accept.Range(t, "CF4", "the same, variance 1", worst[1], 2, 20, "6 orders")
	accept.Range(t, "CF5", "the same, variance 1/p", worst[2], 1.6, 3, "6 orders")
}
