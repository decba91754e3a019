package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Rows are scored some at a time: the score of all is the mean of their scores alone,
// those without a response left out, and of the densities of predictions, which are
// made row by row.
func TestScoresTogetherAndAlone(t *testing.T) {
	for _, settings := range []string{"rank: 9", "statistics: exact"} {
		const p, rows = 31, 2*chunk + 5
		model := newTest(t, "", settings, modeltest.Columns(p))
		m := model.(cdf.Predictor)
		r := rand.New(rand.NewPCG(71, 1))
		d := modeltest.Stepper{Model: model}
		for range 3 {
			d.Must(t, modeltest.RegressionShard(r, 60, p, false), 1)
		}
		sh := modeltest.RegressionShard(r, rows, p, false)
		sh.Y[3], sh.Y[chunk] = math.NaN(), math.NaN()
		all, err := m.Score(sh, nil)
		if err != nil {
			t.Fatal(err)
		}
		predicted := make([]cdf.Prediction, rows)
		if err := m.Predict(sh, predicted); err != nil {
			t.Fatal(err)
		}
		alone, densities := 0., 0.
		for i, y := range sh.Y {
			if math.IsNaN(y) {
				continue
			}
			one := &cdf.Shard{Rows: 1, Cols: sh.Cols, X: sh.X[i*sh.Cols : (i+1)*sh.Cols], Y: sh.Y[i : i+1]}
			s, err := m.Score(one, nil)
			if err != nil {
				t.Fatal(err)
			}
			alone += s.LogDensity / (rows - 2)
			densities += predicted[i].LogDensity / (rows - 2)
		}
		if modeltest.Relative(all.LogDensity, alone) > 1e-12 || modeltest.Relative(all.LogDensity, densities) > 1e-12 {
			t.Errorf("%s: log density %.15g together, %.15g alone, %.15g of predictions", settings, all.LogDensity, alone, densities)
		}
	}
}
