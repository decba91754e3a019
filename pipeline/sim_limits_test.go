package pipeline_test

import (
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestSimulatedLimits: whatever fails and whoever takes over, the records of new keys that a
// limit refuses are those that a worker without trouble would refuse, and no others; and after every
// checkpoint the machine knows the bytes that the store has of the prefix.
func TestSimulatedLimits(t *testing.T) {
	n := uint64(3000)
	if testing.Short() {
		n = 300
	}
	refused, runs, weighed, known := 0, 0, 0, 0
	for seed := range n {
		p := pipeline.DrawPlan(seed)
		p.Keys = 1 + int64(seed%3)
		s := pipeline.NewSim(p, newSimStore())
		if v := s.Run(); v != nil {
			t.Errorf("seed %d: %s: %s", seed, v.Kind, v.What)
			explain(t, p)
			return
		}
		compared, fromLast := s.Weighed()
		weighed, known = weighed+compared, known+fromLast
		before := refused
		for i := range s.Sent {
			if h := s.Sent[i].Headers; len(h) > 0 && string(h[0].Value) == "limit" {
				refused++
			}
		}
		if refused > before {
			runs++
		}
	}
	t.Logf("%d dead letters of limits in %d of %d runs; what states take was compared %d times, and known to %d claims", refused, runs, n, weighed, known)
	if runs < int(n)/10 || weighed < int(n) || known < int(n)/4 {
		t.Errorf("only %d of %d runs met a limit, and what states take was compared %d times, and known to %d claims", runs, n, weighed, known)
	}
}
