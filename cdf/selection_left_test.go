package cdf

import (
	"math"
	"slices"
	"testing"
)

// Groups that have left since the shard was laid out shift the others.
func TestTouchedGroupsFollowThoseThatLeave(t *testing.T) {
	then, now := newFactors(1), newFactors(1)
	for _, level := range []string{"a", "b", "c", "d", "e"} {
		then[0].add(level)
	}
	for _, level := range []string{"b", "d", "e"} {
		now[0].add(level)
	}
	shard := &rows{y: []float64{1, 2, math.NaN(), 3}, group: [][]int32{{4, 1, 3, 2}}}
	var c selection
	c.choose(&Publish{Groups: "touched"}, then, now, shard)
	if want := []bool{true, false, true}; !slices.Equal(c.touched[0], want) {
		t.Errorf("b, d and e touched: %v, want %v", c.touched[0], want)
	}
}
