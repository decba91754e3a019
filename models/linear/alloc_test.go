//go:build !race

package linear

import "testing"

// Steady state allocates nothing: scratch space comes from a pool,
// which drops what it is given at random under the race detector.
func TestAllocates(t *testing.T) {
	w := newShardWork(t, 100, 5)
	w.run(t)
	if n := testing.AllocsPerRun(200, func() { w.run(t) }); n != 0 {
		t.Errorf("%v allocations per shard", n)
	}
}
