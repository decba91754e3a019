package rnd

import (
	"fmt"
	"math"
	"testing"
)

// The tails of normals by lanes: as many draws as there should be on either side of where the inverse ends, within 4.5 sds, and of the
// law of a tail.
func TestTailsOfLanes(t *testing.T) {
	const n = 2_000_000
	x := make([]float64, n)
	seeded(630).Normals(source(631), x)
	var tails [2][]float64
	for _, v := range x {
		if v < lowest {
			tails[0] = append(tails[0], -v)
		} else if v > -lowest {
			tails[1] = append(tails[1], v)
		}
	}
	want := n * phi(lowest)
	for side, tail := range tails {
		if d := float64(len(tail)) - want; math.Abs(d) > 4.5*math.Sqrt(want) {
			t.Errorf("side %d: %d draws, want %.0f", side, len(tail), want)
		}
		ks(t, fmt.Sprint("tail ", side), tail, truncCDF(-lowest, math.Inf(1)))
	}
}

// The draws that the inverse does not make are made at every place of a group, also of a last one that is not whole.
func TestRestOfAGroup(t *testing.T) {
	for n := 1; n <= 20; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = -7
		}
		seeded(uint64(640+n)).Positive(source(660), x)
		for i, v := range x {
			if !(v > 0) {
				t.Errorf("of %d draws above 0 number %d is %v", n, i, v)
			}
		}
	}
}
