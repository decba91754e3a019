//go:build !race

package dlm

import "testing"

// Steady state allocates nothing, see linear.TestAllocates.
func TestAllocates(t *testing.T) {
	for _, mode := range []string{"grid", "compact", "filtered"} {
		w := newWorkload(t, mode, 20)
		for range 20 {
			w.run(t)
		}
		if n := testing.AllocsPerRun(50, func() { w.run(t) }); n != 0 {
			t.Errorf("%s: %v allocations per shard", mode, n)
		}
	}
}
