//go:build !race

package compressed

import "testing"

// Steady state allocates nothing, whatever the form.
func TestAllocates(t *testing.T) {
	for _, form := range forms {
		w := newWork(t, form.variant, form.settings, 20, 6)
		for range 5 {
			w.run(t)
		}
		if n := testing.AllocsPerRun(50, func() { w.run(t) }); n != 0 {
			t.Errorf("%s: %v allocations per shard", form.name, n)
		}
	}
}
