package cdf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/normal"
)

// Of rows in groups of twenty whose normal scores share half of their variance the statistic
// is chi-squared with 9 degrees of freedom: mean 9, above 21.666 in one of a hundred. Pearson's
// is far above. In 4,000 replicates the mean is off by .27, and the share by .007, in one
// of ten thousand.
func TestStatisticOfRowsThatShare(t *testing.T) {
	const groups, rows, replicates, shared = 60, 20, 4000, .5
	r := rand.New(rand.NewPCG(71, 1))
	together := []Arrivals{{Groups: groups, Rows: groups * rows, Squares: groups * rows * rows, Shared: shared}}
	mean, pearson, beyond := 0., 0., 0.
	for range replicates {
		var a account
		var pit Transforms
		for range groups {
			level := math.Sqrt(shared) * r.NormFloat64()
			for range rows {
				pit[int(PITBins*normal.CDF(level+math.Sqrt(1-shared)*r.NormFloat64()))]++
			}
		}
		classes := pit.classes()
		a.addTransforms(&classes, 1)
		deviation, total := a.deviation()
		x := statistic(together, rows, &deviation, total)
		mean += x / replicates
		pearson += statistic(nil, rows, &deviation, total) / replicates
		if x > 21.666 {
			beyond += 1. / replicates
		}
	}
	if math.Abs(mean-9) > .27 || math.Abs(beyond-.01) > .007 || pearson < 20 {
		t.Errorf("mean %.2f, above the quantile of .99 in %.4f, Pearson's %.1f", mean, beyond, pearson)
	}
}

// Where rows share nothing the statistic is Pearson's; where they share all of it in groups
// as large as their shards, a group counts as one row.
func TestStatisticAtItsEnds(t *testing.T) {
	var a account
	for k, width := range pitWidths {
		a.pit[k] = float32(100*width + 7*k*k - 200)
	}
	deviation, total := a.deviation()
	pearson := 0.
	for k, d := range deviation {
		pearson += d * d / (total * float64(pitWidths[k]) / PITBins)
	}
	for _, groups := range [][]Arrivals{nil, {{Groups: 3, Rows: 3, Squares: 3, Shared: .5}}, {{Groups: 3, Rows: 30, Squares: 300, Shared: math.NaN()}}, {{}}} {
		if x := statistic(groups, 10, &deviation, total); math.Abs(x/pearson-1) > 1e-12 {
			t.Errorf("%+v: %v, Pearson's is %v", groups, x, pearson)
		}
	}
	// More terms than there are: what they leave out is that within classes.
	x := statistic([]Arrivals{{Groups: 10, Rows: 200, Squares: 4000, Shared: 1}}, 20, &deviation, total)
	if share := x / pearson; share < 1./20 || share > .5 {
		t.Errorf("groups of 20 rows that are one: %v of Pearson's", share)
	}
}

// Rows that came with others of their new group are no more than all of their group, and in
// the mean no more than shards have.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		a           Arrivals
		shard, want float64
	}{
		{Arrivals{Groups: 10, Rows: 200, Squares: 4000, Shared: .5}, 20, 19},        // a shard each, or so
		{Arrivals{Groups: 10, Rows: 20_000, Squares: 4e7, Shared: .5}, 20, .4},      // a thousand shards
		{Arrivals{Groups: 10, Rows: 10, Squares: 10, Shared: .5}, 20, 0},            // a row each
		{Arrivals{Groups: 10, Rows: 3, Squares: 1, Shared: .5}, 20, 0},              // forgotten
		{Arrivals{Groups: 10, Rows: 200, Squares: 4000, Shared: math.NaN()}, 20, 0}, // no law yet
		{Arrivals{}, 20, 0},
	} {
		if got := c.a.together(c.shard); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v others, want %v", c.a, got, c.want)
		}
	}
}
