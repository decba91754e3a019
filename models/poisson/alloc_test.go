//go:build !race

package poisson

import "testing"

// Steady state allocates nothing: scratch space comes from a pool, which
// drops what it is given at random under the race detector.
func TestAllocates(t *testing.T) {
	w := newCountWork(t, 50, 100, 4)
	w.run(t)
	if n := testing.AllocsPerRun(20, func() { w.run(t) }); n != 0 {
		t.Errorf("%v allocations per shard", n)
	}
}
