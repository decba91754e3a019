package models

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
)

// flatRows is the number of rows of a shard, one per level of g. A window of
// 20 is full soon and moves.
const flatRows = 4

// fold takes a filter through n more shards, out of a few that come again.
func fold(t testing.TB, f *cdf.Filter, shards []*cdf.Batch, n int) {
	for range n {
		if _, err := f.Update(shards[f.T()%int64(len(shards))]); err != nil {
			t.Fatal(err)
		}
	}
}

func flatShards(s stream) []*cdf.Batch {
	r := rand.New(rand.NewPCG(7, 7))
	shards := make([]*cdf.Batch, 64)
	for i := range shards {
		shards[i] = s.shard(r, flatRows)
	}
	return shards
}

func size(t testing.TB, f *cdf.Filter) int {
	snap, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(snap) + len(f.AppendSummary(nil))
}

// TestStateDoesNotGrow compares what is stored after 1,000 shards and after
// 10,000. Counters are written with as many bytes as they need, so a handful
// more is no growth; a byte per shard would be 9,000.
func TestStateDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const counters = 16
	everyVariant(t, func(t *testing.T, s stream, spec *cdf.Spec) {
		f, shards := cdf.NewFilter(spec, "k"), flatShards(s)
		fold(t, f, shards, 1000)
		early := size(t, f)
		fold(t, f, shards, 9000)
		if late := size(t, f); late > early+counters {
			t.Errorf("%d bytes after 10,000 shards, %d after 1,000", late, early)
		}
	})
}

// BenchmarkStreamIsFlat reports the time of a shard after 10,000 of them
// relative to that after 1,000: rounds of both are taken in turns, and the
// fastest of each counts, since other work can only make a round slower.
func BenchmarkStreamIsFlat(b *testing.B) {
	for _, k := range Kinds() {
		s := streamOf(k)
		for _, variant := range k.Variants {
			b.Run(k.Name+"/"+variant, func(b *testing.B) {
				shards := flatShards(s)
				var at [2]struct {
					f    *cdf.Filter
					snap []byte
					took time.Duration // of a round
				}
				f := cdf.NewFilter(s.spec(b, variant), "k")
				for i, n := range []int{1000, 10_000} {
					fold(b, f, shards, n-int(f.T()))
					snap, err := f.AppendBinary(nil)
					if err != nil {
						b.Fatal(err)
					}
					at[i].snap = snap
					at[i].f = cdf.NewFilter(s.spec(b, variant), "k")
				}
				for round := 0; b.Loop(); round++ {
					for i := range at {
						if err := at[i].f.UnmarshalBinary(at[i].snap); err != nil {
							b.Fatal(err)
						}
						fold(b, at[i].f, shards, 1) // buffers that a restored filter has not made yet
						start := time.Now()
						fold(b, at[i].f, shards, len(shards))
						if took := time.Since(start); round == 0 || took < at[i].took {
							at[i].took = took
						}
					}
				}
				b.ReportMetric(float64(at[1].took.Nanoseconds())/float64(len(shards)), "ns/shard")
				b.ReportMetric(float64(at[1].took)/float64(at[0].took), "late/early")
			})
		}
	}
}
