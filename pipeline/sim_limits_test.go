package pipeline_test

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// TestSimulatedLimits: whatever fails and whoever takes over, the records of new keys that
// limits refuse, of the keys there are and of those made in a minute, and those that a limit of a state's bytes refuses, are those that a worker without trouble would refuse, and no others; and after every
// checkpoint the machine knows the bytes that the store has of the prefix.
func TestSimulatedLimits(t *testing.T) {
	refused, runs, n, weighed, known := map[string]int{}, 0, 0, 0, 0
	searched(t, 3000, pipeline.DrawLimits, func(s *pipeline.Sim) {
		n++
		compared, fromLast := s.Weighed()
		weighed, known = weighed+compared, known+fromLast
		met := 0
		for i := range s.Sent {
			if h := s.Sent[i].Headers; len(h) > 1 && string(h[0].Value) == "limit" {
				met = 1
				reason, of := string(h[1].Value), quota.OfKeys
				switch {
				case strings.HasPrefix(reason, "the record"):
					of = quota.OfKeyBytes
				case strings.Contains(reason, quota.OfMinute):
					of = quota.OfMinute
				case strings.Contains(reason, "set aside"):
					of = quota.OfBytes
				}
				refused[of]++
			}
		}
		runs += met
	})
	t.Logf("dead letters of limits: %v, in %d of %d runs; what states take was compared %d times, and known to %d claims", refused, runs, n, weighed, known)
	if *simSeeds > 0 || t.Failed() {
		return // a few seeds may meet none
	}
	if refused[quota.OfKeys] < n/2 || refused[quota.OfMinute] < n/2 || refused[quota.OfKeyBytes] < n/2 || refused[quota.OfBytes] < n/2 || runs < n/10 || weighed < n || known < n/4 {
		t.Errorf("only %d of %d runs met a limit, and what states take was compared %d times, and known to %d claims", runs, n, weighed, known)
	}
}
