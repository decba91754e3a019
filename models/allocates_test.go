package models

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// A shard of a key that is under way leaves no garbage, of any kind: neither the
// filter's own work nor the model's allocates.
func TestAllocates(t *testing.T) {
	for _, k := range Kinds() {
		s := streamOf(k)
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				f, shards := cdf.NewFilter(s.spec(t, variant), "k"), flatShards(s)
				fold(t, f, shards, 300)
				modeltest.NoAllocations(t, 64, func() { fold(t, f, shards, 1) })
			})
		}
	}
}
