package poisson

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// wildLeast is how many rows of a shard it takes to tell one from the others.
	wildLeast = 20
	// wildSDs is how far above the others the logarithm of a count is: 1e-5
	// under a normal law.
	wildSDs = 4.2
	// wildTill is the part of the discounted rows from which wild ones are told.
	wildTill = 0.002
)

// wild returns how many counts of the first shard, which nothing predicted, are
// out of proportion to the others. The fit follows such counts, and the variance
// of rows' effects is theirs, so the others are taken for themselves: by the
// median of the log ratios of counts and rates, and the distance from it within
// which three quarters are, 1.15 sds of a normal law, or the sd of a Poisson count
// where that is more.
func (f *fit) wild() int {
	n := f.rows.n
	if n < wildLeast {
		return 0
	}
	f.above, f.sorted = lin.Grow(f.above, n), lin.Grow(f.sorted, n)
	above, sorted := f.above, f.sorted
	for i := range above {
		above[i] = math.Log((f.rows.y[i] + 0.5) / (math.Exp(f.logMean(i)) + 0.5))
	}
	copy(sorted, above)
	slices.Sort(sorted)
	median := sorted[n/2]
	for i, v := range above {
		sorted[i] = math.Abs(v - median)
	}
	slices.Sort(sorted)
	sd := sorted[3*n/4] / 1.15 * float64(n) / float64(n-2) // of few rows it varies
	found := 0
	for i, v := range above {
		rate := math.Exp(f.logMean(i) + median)
		if v-median > wildSDs*max(sd, 1/math.Sqrt(rate+0.5)) {
			found++
		}
	}
	return found
}
