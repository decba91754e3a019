package cdf

import (
	"math"
	"testing"
)

// Responses that only rise or only fall tell nothing of their neighbours' errors.
func TestMonotone(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		y    []float64
		want bool
	}{
		{nil, true},
		{[]float64{1, 1, 2, 2, 5}, true},
		{[]float64{nan, 5, nan, 2, 2, nan, 1}, true},
		{[]float64{0, 0, 1, 1}, true},
		{[]float64{1, 2, 1}, false},
		{[]float64{3, nan, 1, 2}, false},
	} {
		if got := monotone(c.y); got != c.want {
			t.Errorf("%v: %t", c.y, got)
		}
	}
}

// What rows say in their order is made of the bins that they fall in, and of nothing where the order is none.
func TestOrder(t *testing.T) {
	var s Score
	s.Shared = .25
	want := 0.
	for i, pit := range []float64{.1, .9, .85, .3} {
		bin := s.Transformed(pit, true)
		if i > 0 {
			want += classScoresOfBins[bin] * classScoresOfBins[int(PITBins*[]float64{.1, .9, .85}[i-1])]
		}
	}
	rows := s.PIT.classes()
	o := s.order(&rows, shardOf(&rows, s.Shared))
	if math.Abs(o.Products-want) > 1e-15 || o.Rows != 4 || o.Shared != .25 || !(o.Squares > o.Scores*o.Scores/4) {
		t.Errorf("%+v, want products of %g", o, want)
	}
}
