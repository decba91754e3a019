package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// A row of a shard that k shards followed weighs lambda^k. The sums about the
// means are those of all rows with these weights, taken directly.
func TestForgettingWeighsRows(t *testing.T) {
	const p, shards, rows, lambda = 3, 9, 7, .8
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(40, 2)), shards*rows, p, false)
	m := newTest(t, "", "statistics: exact", modeltest.Columns(p)).(*Exact) //nolint:forcetypeassert // made here
	d := modeltest.Stepper{Model: m}
	weights := make([]float64, sh.Rows)
	for k := range shards {
		lo, hi := k*rows, (k+1)*rows
		d.Must(t, modeltest.Cut(sh, lo, hi), lambda)
		for i := range hi {
			weights[i] *= lambda
			if i >= lo {
				weights[i] = 1
			}
		}
	}
	column := func(j int) func(i int) float64 {
		return func(i int) float64 { return lin.Row(sh.X, p, i)[j] }
	}
	y := func(i int) float64 { return sh.Y[i] }
	mean := func(of func(int) float64) float64 {
		sum, all := 0., 0.
		for i, w := range weights {
			sum, all = sum+w*of(i), all+w
		}
		return sum / all
	}
	product := func(a, b func(int) float64) (sum float64) {
		ma, mb := mean(a), mean(b)
		for i, w := range weights {
			sum += w * (a(i) - ma) * (b(i) - mb)
		}
		return sum
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("mean of y", m.ybar, mean(y))
	near("squares of y", m.yy, product(y, y))
	at := 0
	for j := range p {
		near("mean of a column", m.xbar[j], mean(column(j)))
		near("products with y", m.xy[j], product(column(j), y))
		for k := range j + 1 {
			near("products of columns", m.xx[at], product(column(j), column(k)))
			at++
		}
	}
}
