package pipeline

import (
	"testing"
)

// What a lost store would have to be rebuilt by is noted again by every claim: brokers forget
// it when the group has had no members for a while, and a partition without new records
// commits nothing.
func TestAClaimNotesThePastAgain(t *testing.T) {
	moved := []Era{{Partitions: make([]Stretch, 2)}}
	for _, c := range []struct {
		origin int64
		past   []Era
		want   GroupOffset
	}{
		{10, nil, GroupOffset{50, 10, ""}},
		{0, moved, GroupOffset{50, 0, "rescaled from 2 to 4 partitions"}},
		{10, moved, GroupOffset{50, 10, "rescaled from 2 to 4 partitions"}},
		{0, nil, GroupOffset{}}, // there is nothing to say
	} {
		f := stored(t)
		f.meta.Origin, f.layout.Past = c.origin, c.past
		m, fx := claimed(t, 50, -1, false, f)
		if note, _ := find[fxNote](fx); note.at != c.want {
			t.Errorf("from %d, %v: noted %+v, want %+v", c.origin, c.past, note.at, c.want)
		}
		m.flight = &cut{to: 51}
		if c.want != (GroupOffset{}) {
			c.want.Offset = 51
			if commit, _ := find[fxCommit](m.step(evSaved{epoch: m.epoch})); commit.at != c.want {
				t.Errorf("from %d, %v: committed %+v, want %+v", c.origin, c.past, commit.at, c.want)
			}
		}
	}
}

// An offset that somebody set, or that brokers forgot, follows the state again with the claim: what
// has no new records commits nothing.
func TestAClaimCorrectsTheGroupsOffset(t *testing.T) {
	for _, set := range []int64{-1, 0, 49, 50, 51, 80} {
		f := stored(t)
		f.meta.Origin = 0
		_, fx := claimed(t, set, -1, false, f)
		if note, noted := find[fxNote](fx); noted != (set != 50) || noted && note.at != (GroupOffset{Offset: 50}) {
			t.Errorf("set to %d, the state ends at 50: noted %t %+v", set, noted, note.at)
		}
	}
}

// A partition whose state is lost is not rebuilt where the store still knows that the topic
// was rescaled, whatever became of the note.
func TestRescaledIsKnownWithoutANote(t *testing.T) {
	f := stored(t)
	f.meta, f.log.Last, f.log.Start, f.layout.Past = Meta{}, nil, 0, []Era{{Partitions: make([]Stretch, 2)}}
	if m, _ := claimed(t, -1, -1, false, f); m.halted != "store_lost" {
		t.Errorf("halted %q (%s), want store_lost", m.halted, m.why)
	}
}
