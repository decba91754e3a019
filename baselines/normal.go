package baselines

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
)

// levels are the probabilities of the published quantiles, symmetric about
// the median; normals are the standard normal's quantiles there.
var (
	levels  = [7]float64{.025, .05, .25, .5, .75, .95, .975}
	normals = [7]float64{-1.959963984540054, -1.6448536269514722, -0.6744897501960817, 0,
		0.6744897501960817, 1.6448536269514722, 1.959963984540054}
)

func setQuantiles(r *cdf.Row, q *[7]float64) {
	r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975 = q[0], q[1], q[2], q[3], q[4], q[5], q[6]
}

// normalRow describes N(mean, sd^2).
func normalRow(r *cdf.Row, mean, sd float64) {
	r.Mean, r.SD = mean, sd
	var q [7]float64
	for i, z := range normals {
		q[i] = mean + z*sd
	}
	setQuantiles(r, &q)
}

// invGammaRow describes shift + factor*X, X ~ IG(shape, rate). Moments are NaN
// where they do not exist.
func invGammaRow(r *cdf.Row, shape, rate, shift, factor float64) {
	if shape > 1 {
		r.Mean = shift + factor*rate/(shape-1)
	}
	if shape > 2 {
		r.SD = math.Abs(factor) * rate / (shape - 1) / math.Sqrt(shape-2)
	}
	var q [7]float64
	for i, p := range levels {
		if factor > 0 {
			p = 1 - p // 1/X is gamma
		}
		q[i] = min(max(shift+factor*rate/mathext.GammaIncRegInv(shape, p), -math.MaxFloat64), math.MaxFloat64)
	}
	setQuantiles(r, &q)
}

// predictNormal describes y* ~ N(mean, noise + line) about a regression line
// that is N(mean, line), and the response y where it is not NaN.
func predictNormal(mean, noise, line, y float64) cdf.Prediction {
	sd, own := math.Sqrt(noise+line), math.Sqrt(line)
	z := (y - mean) / sd
	return cdf.Prediction{
		Mean: mean, SD: sd, Q025: mean + normals[0]*sd, Q975: mean + normals[6]*sd,
		EpredSD: own, EpredQ025: mean + normals[0]*own, EpredQ975: mean + normals[6]*own,
		LogDensity: -(z*z + math.Log(2*math.Pi*(noise+line))) / 2, PIT: 0.5 * math.Erfc(-z*(math.Sqrt2/2)),
	}
}

// scoreByPredictions scores the rows that have a response by their
// predictions; all rows are predicted.
func scoreByPredictions(sh *cdf.Shard, predict func(*cdf.Shard, []cdf.Prediction) error) (cdf.Score, error) {
	out := cdf.NoScore()
	all := make([]cdf.Prediction, sh.Rows)
	if err := predict(sh, all); err != nil {
		return out, err
	}
	logs, squares, covered := 0., 0., 0.
	for i, y := range sh.Y {
		if y != y {
			out.PredictedRows++
			continue
		}
		p := &all[i]
		out.Rows++
		logs += p.LogDensity
		squares += (y - p.Mean) * (y - p.Mean)
		if p.Q025 <= y && y <= p.Q975 {
			covered++
		}
	}
	if out.Rows == 0 {
		return out, nil
	}
	n := float64(out.Rows)
	out.LogDensity, out.RMSE, out.Coverage95 = logs/n, math.Sqrt(squares/n), covered/n
	if sum := out.LogDensity + out.RMSE; sum-sum != 0 {
		return out, fmt.Errorf("%w: score not finite", cdf.ErrNumeric)
	}
	return out, nil
}
