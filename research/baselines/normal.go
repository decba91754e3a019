package baselines

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
)

// describeNormal fills the row of a variable that is N(mean, sd^2).
func describeNormal(r *cdf.Row, mean, sd float64) {
	describe(r, cdf.Functional{Weight: []float64{1}}, mean, sd, normalQuantile(mean, sd))
}

// predictNormal describes y* ~ N(mean, noise + line) about a regression line
// that is N(mean, line), and the response y where it is not NaN.
func predictNormal(mean, noise, line, y float64) cdf.Prediction {
	sd, own := math.Sqrt(noise+line), math.Sqrt(line)
	row, epred := normalQuantile(mean, sd), normalQuantile(mean, own)
	z := (y - mean) / sd
	return cdf.Prediction{
		Mean: mean, SD: sd, Q025: row(.025), Q975: row(.975),
		EpredSD: own, EpredQ025: epred(.025), EpredQ975: epred(.975),
		LogDensity: -(z*z + math.Log(2*math.Pi*(noise+line))) / 2, PIT: normal.CDF(z),
	}
}

// scoreByPredictions scores the rows that have a response by their
// predictions; all rows are predicted.
func scoreByPredictions(method string, sh *cdf.Shard, predict func(*cdf.Shard, []cdf.Prediction) error) (cdf.Score, error) {
	all := make([]cdf.Prediction, sh.Rows)
	if err := predict(sh, all); err != nil {
		return cdf.NoScore(), err
	}
	s := newScoring()
	for i, y := range sh.Y {
		s.predicted(&all[i], y)
	}
	return s.score(method)
}
