package simulate

import (
	"math"
	"slices"
	"testing"
)

// However the steps are cut into shards, the series is one.
func TestSeriesGoesOnBetweenShards(t *testing.T) {
	whole, theta := PaperLevel().Series(4, "k", 1, 30)
	s, _ := Lookup("dlm")
	var cut []float64
	for shard := int64(1); shard <= 3; shard++ {
		cut = append(cut, s.Shard(4, "k", shard, 10).Columns[0]...)
	}
	if !slices.Equal(whole, cut) {
		t.Errorf("%v in one shard, %v in three", whole, cut)
	}
	if len(theta) != 30 {
		t.Errorf("%d levels", len(theta))
	}
}

// Five standard errors of a moment of 200,000 innovations; the seed is fixed.
func TestSeriesHasTheStatedTruth(t *testing.T) {
	const n = 200_000
	l := PaperLevel()
	y, theta := l.Series(5, "k", 1, n)
	var w2, e2, lag float64
	for i := 1; i < n; i++ {
		w := theta[i] - .7*theta[i-1]
		w2 += w * w / n
		lag += w * theta[i-1] / n
		e2 += (y[i] - theta[i]) * (y[i] - theta[i]) / n
	}
	sd := math.Sqrt(2. / n)
	if math.Abs(w2/2-1) > 5*sd || math.Abs(e2/.01-1) > 5*sd || math.Abs(lag) > 5*2/math.Sqrt(.51)/math.Sqrt(n) {
		t.Errorf("tau2 %v, sigma2 %v, innovations correlate with the level: %v", w2, e2, lag)
	}
	d, _ := Lookup("dlm-drift")
	if a, b := d.Truth(1, "k", 150)[0].Value, d.Truth(1, "k", 151)[0].Value; a != .9 || b != .2 {
		t.Errorf("phi %v at step 1500, %v after", a, b)
	}
}
