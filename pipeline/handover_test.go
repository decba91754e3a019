package pipeline

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSmallRecordsAreNotFetchedFarAhead: some megabytes of small records are
// enough; large ones are fetched until the partition has what it may.
func TestSmallRecordsAreNotFetchedFarAhead(t *testing.T) {
	for _, c := range []struct {
		records int
		bytes   int64
		ample   bool
	}{{chunkRecords, ampleBytes, true}, {chunkRecords, ampleBytes - 1, false}, {chunkRecords - 1, ampleBytes, false}, {1, 4 * ampleBytes, true}} {
		m := &machine{cfg: machineConfig{backlog: func() int64 { return 4 * ampleBytes }}}
		m.queue = queue{n: c.records, bytes: c.bytes}
		if m.ample() != c.ample {
			t.Errorf("%d bytes of %d records are ample: %v", c.bytes, c.records, !c.ample)
		}
	}
}

// TestMergedAsSorted: the parts of lanes are put together as a stable sort would.
func TestMergedAsSorted(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	offset := func(v *[2]int64) int64 { return v[0] }
	for range 200 {
		var merged, all [][2]int64
		for lane := range int64(4) {
			var part [][2]int64
			at := int64(0)
			for range random.IntN(6) {
				at += random.Int64N(3)
				part = append(part, [2]int64{at, lane})
			}
			all = append(all, part...)
			merged = merge(merged, part, offset)
		}
		slices.SortStableFunc(all, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		if !slices.Equal(merged, all) {
			t.Fatalf("%v, want %v", merged, all)
		}
	}
}
