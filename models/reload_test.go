package models

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A snapshot is loaded into what the workspace has of earlier ones. It makes the
// same filter as in a workspace that has nothing: the shards that follow lead to the
// same bits.
func TestLoadedIntoWhatWas(t *testing.T) {
	everyVariant(t, func(t *testing.T, s stream, spec *cdf.Spec) {
		shards := flatShards(s)
		f := cdf.NewFilter(spec, "k")
		snapshots := make([][]byte, 3) // of kept rows, of fixed constants, of much later
		for i, n := range []int{3, 20, 60} {
			fold(t, f, shards, n-int(f.T()))
			snapshots[i] = snapshot(t, f)
		}
		ws := cdf.NewWorkspace()
		g, other := ws.NewFilter(spec, "k"), ws.NewFilter(spec, "k")
		for _, to := range []int{2, 1, 2, 0, 1, 0, 2} {
			want := cdf.NewFilter(spec, "k")
			for _, h := range []*cdf.Filter{g, other, want} {
				if err := h.UnmarshalBinary(snapshots[to]); err != nil {
					t.Fatal(err)
				}
				if again := snapshot(t, h); !bytes.Equal(again, snapshots[to]) {
					t.Fatalf("snapshot %d is another one when it was loaded", to)
				}
			}
			for range 6 {
				var sums [3]string
				for i, h := range []*cdf.Filter{g, other, want} {
					sum, err := h.Update(shards[h.T()%int64(len(shards))])
					if err != nil {
						t.Fatal(err)
					}
					sums[i] = fmt.Sprintf("%+v", *sum)
				}
				if sums[0] != sums[2] || sums[1] != sums[2] || !bytes.Equal(snapshot(t, g), snapshot(t, want)) {
					t.Fatalf("from snapshot %d, shard %d: %.300s\nwant %.300s", to, want.T(), sums[0], sums[2])
				}
			}
		}
	})
}

// A key that begins in the memory of another one that was put away, with kept rows,
// with fixed constants or much later, comes to the same bits as one that begins in a
// workspace of its own.
func TestBegunInWhatWas(t *testing.T) {
	everyVariant(t, func(t *testing.T, s stream, spec *cdf.Spec) {
		shards := flatShards(s)
		ws := cdf.NewWorkspace()
		for _, n := range []int{1, 2, 25, 1} {
			other := ws.NewFilter(spec, "other")
			fold(t, other, shards, n)
			ws.Reclaim(other)
			got, want := ws.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
			for shard := range 4 {
				var sums [2]string
				for i, f := range []*cdf.Filter{got, want} {
					sum, err := f.Update(shards[(n+shard)%len(shards)])
					if err != nil {
						t.Fatal(err)
					}
					sums[i] = fmt.Sprintf("%+v", *sum)
				}
				if sums[0] != sums[1] || !bytes.Equal(snapshot(t, got), snapshot(t, want)) {
					t.Fatalf("after %d shards of another key, shard %d: %.300s\nwant %.300s", n, shard, sums[0], sums[1])
				}
			}
			ws.Reclaim(got)
		}
	})
}

func snapshot(t *testing.T, f *cdf.Filter) []byte {
	b, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
