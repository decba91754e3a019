package live

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// A key is found by its newest shard, or by any between two times; the order is
// by rank, then by key, and what has no rank is last.
func TestFound(t *testing.T) {
	f := newFeed(1 << 20)
	weak := point("b", 0, 1, 1)
	weak.Weak = true
	f.Saved(home, []*pipeline.Point{weak, point("a", 1, 1, 1), point("b", 2, 2, 1), point("c", 3, 1, 0), point("d", 4, 2, 1)})
	mean := func(n Now) float64 {
		if len(n.Point.Numbers) == 0 {
			return math.NaN()
		}
		return n.Point.Numbers[0]
	}
	const start = int64(1e12) // time of the record at offset 0
	for name, c := range map[string]struct {
		wanted Wanted
		want   []string
	}{
		"all":                       {Wanted{}, []string{"a", "b", "c", "d"}},
		"flag of now":               {Wanted{Flag: WeakRHat}, []string{}},
		"flag that was":             {Wanted{Flag: WeakRHat, From: start}, []string{"b"}},
		"flag at another time":      {Wanted{Flag: WeakRHat, From: start + 1}, []string{}},
		"from":                      {Wanted{From: start + 3}, []string{"c", "d"}},
		"to":                        {Wanted{To: start + 1}, []string{"a", "b"}},
		"between, both included":    {Wanted{From: start + 1, To: start + 2}, []string{"a", "b"}},
		"ranked, ties by key":       {Wanted{Rank: mean}, []string{"b", "d", "a", "c"}},
		"ranked, none last":         {Wanted{Rank: func(n Now) float64 { return -mean(n) }}, []string{"a", "b", "d", "c"}},
		"ranked by what is between": {Wanted{To: start + 1, Rank: mean}, []string{"b", "a"}},
	} {
		if got := f.Found(c.wanted); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// Shards that were not published count for what a key has now.
	late := scored(point("a", 5, 2, 1), slices.Repeat([]int{0}, 40)...)
	late.Published, late.Rows, late.N, late.Weight = false, 40, 1040, 1
	f.Saved(home, []*pipeline.Point{late})
	if now, ok := f.Latest("a"); !ok || !slices.Contains(now.Flags, PoorCalibration) {
		t.Fatalf("the flags of now: %v", now.Flags)
	}
	if got := f.Found(Wanted{Flag: PoorCalibration}); !slices.Equal(got, []string{"a"}) {
		t.Errorf("a flag of now: %q", got)
	}
	f.State(home, pipeline.State{Phase: pipeline.PhaseGone})
	if got := f.Found(Wanted{}); len(got) != 0 {
		t.Errorf("of a partition that is gone: %q", got)
	}
}
