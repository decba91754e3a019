package compressed

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// describeNormal fills the row of a variable that is N(mean, sd^2).
func describeNormal(r *cdf.Row, mean, sd float64) {
	law.Describe(r, cdf.Functional{Weight: []float64{1}}, mean, sd, law.NormalQuantile(mean, sd))
}

// predictNormal describes y* ~ N(mean, noise + line) about a regression line
// that is N(mean, line), and the response y where it is not NaN.
func predictNormal(mean, noise, line, y float64) cdf.Prediction {
	sd, own := math.Sqrt(noise+line), math.Sqrt(line)
	row, epred := law.NormalQuantile(mean, sd), law.NormalQuantile(mean, own)
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
	s := law.NewScoring()
	for i, y := range sh.Y {
		s.Predicted(&all[i], y)
	}
	return s.Score(method)
}
