package law

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Scoring sums what a shard's rows say of their predictions.
type Scoring struct {
	Out              cdf.Score // what Score returns, as far as it is known
	logs, squares    float64
	covered, counted int
}

// NewScoring returns the sums over no rows.
func NewScoring() Scoring { return Scoring{Out: cdf.NoScore()} }

// Row counts a row that is predicted with l; y is NaN without a response.
func (s *Scoring) Row(l *Mixture, y float64) {
	if math.IsNaN(y) {
		s.Out.PredictedRows++
		return
	}
	s.count(l.logDensity(y), y-l.centre, l.pit(y))
}

// Predicted counts a row by its prediction.
func (s *Scoring) Predicted(p *cdf.Prediction, y float64) {
	if math.IsNaN(y) {
		s.Out.PredictedRows++
		return
	}
	s.count(p.LogDensity, y-p.Mean, p.PIT)
}

func (s *Scoring) count(logDensity, miss, pit float64) {
	s.counted++
	s.logs += logDensity
	s.squares += miss * miss
	covered := pit >= .025 && pit <= .975
	if covered {
		s.covered++
	}
	s.Out.Transformed(pit, covered)
}

// Score returns the means over rows. ErrNumeric, wrapped: one is not finite.
func (s *Scoring) Score(method string) (cdf.Score, error) {
	s.Out.Rows = int64(s.counted)
	if s.counted == 0 {
		return s.Out, nil
	}
	n := float64(s.counted)
	s.Out.LogDensity, s.Out.RMSE, s.Out.Coverage95 = s.logs/n, math.Sqrt(s.squares/n), float64(s.covered)/n
	if sum := s.Out.LogDensity + s.Out.RMSE; !lin.Finite(sum) {
		return s.Out, fmt.Errorf("%w: %s: score not finite", cdf.ErrNumeric, method)
	}
	return s.Out, nil
}
