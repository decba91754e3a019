package cdf

import (
	"math/rand/v2"
	"testing"
)

// The generator of a closed form, which is seeded when it is asked, gives the numbers of NewStream from the first on, whatever
// stream was asked for before and whether anything was taken of that.
func TestStreamIsSeededWhenAsked(t *testing.T) {
	var s stream
	for _, chains := range []int{0, 4, 0, 0} {
		for shard := range int64(3) {
			for _, purpose := range []string{purposeScore, purposeUpdate} {
				rng, source := s.of(&engine{chains: chains}, 7, "key", shard, purpose)
				if (source != nil) != (chains > 0) {
					t.Fatalf("%d chains: source %v", chains, source)
				}
				if shard == 1 && purpose == purposeScore {
					continue
				}
				want := NewStream(7, "key", shard, purpose)
				for range 5 {
					if got, want := rng.NormFloat64(), want.NormFloat64(); got != want {
						t.Fatalf("%d chains, shard %d, %s: %v, want %v", chains, shard, purpose, got, want)
					}
				}
			}
		}
	}
	rng, _ := s.of(new(engine), 7, "key", 9, purposeScore)
	if before := s.pcg.Uint64(); before == NewStream(7, "key", 9, purposeScore).Uint64() {
		t.Error("seeded before it was asked")
	}
	if got, want := rng.Uint64(), NewStream(7, "key", 9, purposeScore).Uint64(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = s.of(new(engine), 7, "key", 9, purposeScore) }); n > 1 {
		t.Errorf("%v allocations beside the engine", n)
	}
	var _ rand.Source = &s.waiting
}
