package models

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// TestLanesSideBySide takes every kind in all its forms through lanes side by side.
func TestLanesSideBySide(t *testing.T) {
	everyForm(t, append([]form{
		{"dlm", "corrected", "mean", "{mean: unknown, window: 8}"},
		{"dlm", "paper", "paper, small window", "{window: 8}"},
	}, forms...), func(t *testing.T, s stream, spec *cdf.Spec) {
		shards := make([]*cdf.Batch, 5)
		r := rand.New(rand.NewPCG(26, 11))
		for i := range shards {
			shards[i] = s.shard(r, 12)
		}
		modeltest.SideBySide(t, spec, shards)
	})
}
