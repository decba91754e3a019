package models

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A filter that takes an update back goes on as one that never saw the shard,
// before its constants are fixed and after.
func TestRevert(t *testing.T) {
	everyVariant(t, func(t *testing.T, s stream, spec *cdf.Spec) {
		a, b := cdf.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
		ra, rb := rand.New(rand.NewPCG(9, 1)), rand.New(rand.NewPCG(9, 1))
		other := rand.New(rand.NewPCG(9, 2))
		for shard := range 12 {
			if _, err := a.Update(s.shard(other, 9)); err != nil {
				t.Fatal(err)
			}
			if err := a.Revert(); err != nil {
				t.Fatal(err)
			}
			if err := a.Revert(); err == nil {
				t.Error("taken back twice")
			}
			same(t, shard, "taken back", a, b)
			for f, r := range map[*cdf.Filter]*rand.Rand{a: ra, b: rb} {
				if _, err := f.Update(s.shard(r, 12)); err != nil {
					t.Fatal(err)
				}
			}
			same(t, shard, "went on", a, b)
		}
	})
}

func same(t *testing.T, shard int, after string, a, b *cdf.Filter) {
	t.Helper()
	x, err := a.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) || !bytes.Equal(a.AppendSummary(nil), b.AppendSummary(nil)) {
		t.Fatalf("shard %d, %s: not as one that never saw the shard", shard+1, after)
	}
}
