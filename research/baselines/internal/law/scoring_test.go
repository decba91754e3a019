package law

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
)

// Scores are means over the rows that have a response.
func TestScoring(t *testing.T) {
	l := Mixture{Weight: []float64{1}, Mean: []float64{2}, Level: []float64{3}, Noise: []float64{1}}
	l.Settle()
	s := NewScoring()
	for _, y := range []float64{2, math.NaN(), 5, 7} {
		s.Row(&l, y)
	}
	got, err := s.Score("a method")
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != 3 || got.PredictedRows != 1 {
		t.Errorf("%d rows scored, %d predicted", got.Rows, got.PredictedRows)
	}
	modeltest.Within(t, "log density", got.LogDensity, -.5*math.Log(8*math.Pi)-(9./4+25./4)/6, 1e-12)
	modeltest.Within(t, "rmse", got.RMSE, math.Sqrt(34./3), 1e-12)
	modeltest.Within(t, "coverage", got.Coverage95, 2./3, 1e-12)
}
