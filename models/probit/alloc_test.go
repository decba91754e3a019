//go:build !race

package probit

import "testing"

// Steady state allocates nothing: scratch space comes from a pool,
// which drops what it is given at random under the race detector.
func TestAllocates(t *testing.T) {
	w := newWorkload(t, 20, 200, 10)
	w.run(t)
	if n := testing.AllocsPerRun(20, func() { w.run(t) }); n != 0 {
		t.Errorf("%v allocations per shard", n)
	}
}
