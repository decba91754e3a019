package vec

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/isa"
)

// sortRanked is the most numbers that are sorted by their ranks.
const sortRanked = 48

// Sort sorts numbers, none of which is NaN; -0 becomes 0. Room is scratch, nil to begin with, and is returned as it
// has grown.
//
// Of a few every one is compared with all others, in vectors, and more go through a network, in place of slices.Sort,
// whose branches nothing foretells: 30 new numbers take less than half of the time, 100 a fifteenth, 200 a
// twentieth. BenchmarkSort measures it on numbers that come again late.
func Sort(x, room []float64) []float64 {
	for i := range x {
		x[i] += 0
	}
	switch {
	case len(x) < 2:
	case with == isa.Portable || len(x) > MostNetwork:
		slices.Sort(x)
	case len(x) <= sortRanked:
		sortByRanks(x)
	default:
		room = sortByNetwork(x, room)
	}
	return room
}

func sortByRanks(x []float64) {
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

func sortByNetwork(x, room []float64) []float64 {
	size := LeastNetwork
	for size < len(x) {
		size *= 2
	}
	room = slices.Grow(room[:0], 2*size)[:2*size]
	own := room[:size]
	for i := copy(own, x); i < size; i++ {
		own[i] = math.Inf(1)
	}
	copy(x, NetworkSort(own, room[size:]))
	return room
}
