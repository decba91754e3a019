package modeltest

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Stepper drives a model as the engine does: Absorb, then Sample, per block.
type Stepper struct {
	Model cdf.Model
	T     int64
	Seed  uint64 // of the random streams
	Draws *cdf.Draws
}

// Step takes the model through a shard. An error of Check leaves it as it was.
func (s *Stepper) Step(sh *cdf.Shard, forget float64) error {
	if err := s.Model.Check(sh); err != nil {
		return err
	}
	s.T++
	step := cdf.Step{Shard: sh, T: s.T, Forget: forget, RNG: rand.New(rand.NewPCG(1+s.Seed, uint64(s.T))), Draws: s.Draws}
	for _, b := range s.Model.Blocks() {
		b.Absorb(&step)
		if err := b.Sample(&step); err != nil {
			return err
		}
	}
	return nil
}

// Must is Step, whose error ends the test.
func (s *Stepper) Must(t testing.TB, sh *cdf.Shard, forget float64) {
	t.Helper()
	if err := s.Step(sh, forget); err != nil {
		t.Fatalf("shard %d: %v", s.T, err)
	}
}
