package dlm

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// A row beyond the tails of its prediction is told with what it weighs in a variance, and no other row is.
func TestWeightOfOutliers(t *testing.T) {
	y, _ := series{phi: constantly(.9), tau: .33, sigma: .66}.make(500, 240)
	d := modeltest.Stepper{Model: newTest(t, Defaults())}
	d.Must(t, rowsShard(y[:200]), 1)
	for _, off := range []float64{0, 20, -20} {
		shard := rowsShard(slices.Clone(y[200:]))
		shard.Y[7] += off
		out := make([]cdf.Prediction, 40)
		if err := d.Model.(cdf.Predictor).Predict(shard, out); err != nil {
			t.Fatal(err)
		}
		score, err := d.Model.(cdf.Predictor).Score(shard, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.
		if off != 0 {
			sds := (shard.Y[7] - out[7].Mean) / out[7].SD
			want = sds * sds
		}
		if math.Abs(score.Far-want) > .05*want {
			t.Errorf("%g off: a weight of %g, want %g", off, score.Far, want)
		}
	}
}
