package cdf_test

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Under `missing: level` rows without a group are a group, of text and of integers, which
// joins when a row with a response has it and is the same after a restart.
func TestMissingGroupsAreAGroup(t *testing.T) {
	roles := cdf.Roles{Groups: []cdf.Group{{Column: "g"}, {Column: "h"}}}
	spec, shards, _ := recording(roles)
	spec.Missing, spec.Limits.Groups = "level", 0
	holes := whole("h", 7, 8, 7, 7)
	holes.Number[1], holes.Int[1] = nan, 0
	f := cdf.NewFilter(spec, "k")
	sum := take(t, f, batch(num("y", 1, 2, nan, 4), text("g", "a", "-", "-", "a"), holes))
	if sh := (*shards)[0]; sum.Dropped != 0 || !slices.Equal(sh.Group[0], []int32{0, 1, 1, 0}) || !slices.Equal(sh.Group[1], []int32{0, 1, 0, 0}) {
		t.Errorf("dropped %d, groups %v", sum.Dropped, sh.Group)
	}
	f = loaded(t, cdf.NewFilter(spec, "k"), state(t, f))
	take(t, f, batch(num("y", 1, 2), text("g", "-", "b"), whole("h", 8, 7)))
	if sh := (*shards)[1]; !slices.Equal(sh.Group[0], []int32{1, 2}) || !slices.Equal(sh.Group[1], []int32{2, 0}) {
		t.Errorf("after a restart: groups %v", sh.Group)
	}
	for _, in := range f.Inputs() {
		if in.Name == "g" && !slices.Equal(in.Levels, []string{"a", "__missing__", "b"}) {
			t.Errorf("levels %q", in.Levels)
		}
	}
	spec.Missing = "drop"
	if sum := take(t, cdf.NewFilter(spec, "k"), batch(num("y", 1, 2), text("g", "a", "-"), whole("h", 8, 7))); sum.Dropped != 1 {
		t.Errorf("dropped %d where missing ones are no group", sum.Dropped)
	}
}

var nan = math.NaN()
