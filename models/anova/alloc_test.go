//go:build !race

package anova

import "testing"

// Steady state allocates nothing: scratch space comes from a pool, which
// drops what it is given at random under the race detector.
func TestAllocates(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		w := newShardWork(t, variant, 100, 10, 100)
		w.run(t)
		if n := testing.AllocsPerRun(50, func() { w.run(t) }); n != 0 {
			t.Errorf("%s: %v allocations per shard", variant, n)
		}
	}
}
