package vec

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/isa"
)

// sortRanked is the most numbers that are sorted by their ranks.
const sortRanked = 128

// Sort sorts numbers, none of which is NaN; -0 becomes 0.
//
// Of a few every one is compared with all others, in vectors, in place of slices.Sort,
// whose branches nothing foretells: 30 new numbers take less than half of the time, 100
// an eighth, and the first five shards of a key 0.92 of theirs. BenchmarkSort measures it
// on numbers that come again late.
func Sort(x []float64) {
	for i := range x {
		x[i] += 0
	}
	if len(x) < 2 || len(x) > sortRanked || with == isa.Portable {
		slices.Sort(x)
		return
	}
	var own [sortRanked]float64
	var rank [sortRanked]int
	all := (len(x) + 15) &^ 15
	for i := range own[:all] {
		if i < len(x) {
			own[i], x[i] = x[i], math.NaN()
		} else {
			own[i] = math.Inf(1)
		}
	}
	ranks(own[:all], rank[:all])
	for i, v := range own[:len(x)] {
		x[rank[i]] = v
	}
	// Equal numbers have one rank, and the places behind it are theirs.
	for i := 1; i < len(x); i++ {
		if x[i] != x[i] {
			x[i] = x[i-1]
		}
	}
}
