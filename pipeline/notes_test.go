package pipeline

import (
	"testing"
)

// What a lost store would have to be rebuilt by is noted again by every claim: brokers forget
// it when the group has had no members for a while, and a partition without new records
// commits nothing.
func TestAClaimNotesThePastAgain(t *testing.T) {
	moved := (&Layout{Partitions: 4, Past: []Era{{Partitions: make([]Stretch, 2)}}}).Rescaled()
	for _, c := range []struct {
		origin   int64
		rescaled string
		want     GroupOffset
	}{
		{10, "", GroupOffset{50, 10, ""}},
		{0, moved, GroupOffset{50, 0, "rescaled from 2 to 4 partitions"}},
		{10, moved, GroupOffset{50, 10, "rescaled from 2 to 4 partitions"}},
		{0, "", GroupOffset{}}, // there is nothing to say
	} {
		f := stored(t)
		f.meta.Origin, f.rescaled = c.origin, c.rescaled
		m, fx := claimed(t, -1, -1, false, f)
		if note, _ := find[fxNote](fx); note.at != c.want {
			t.Errorf("from %d, %q: noted %+v, want %+v", c.origin, c.rescaled, note.at, c.want)
		}
		m.flight = &cut{to: 51}
		if c.want != (GroupOffset{}) {
			c.want.Offset = 51
			if commit, _ := find[fxCommit](m.step(evSaved{epoch: m.epoch})); commit.at != c.want {
				t.Errorf("from %d, %q: committed %+v, want %+v", c.origin, c.rescaled, commit.at, c.want)
			}
		}
	}
}

// A partition whose state is lost is not rebuilt where the store still knows that the topic
// was rescaled, whatever became of the note.
func TestRescaledIsKnownWithoutANote(t *testing.T) {
	f := stored(t)
	f.meta, f.log.Last, f.log.Start, f.rescaled = Meta{}, nil, 0, "rescaled from 2 to 4 partitions"
	if m, _ := claimed(t, -1, -1, false, f); m.halted != "store_lost" {
		t.Errorf("halted %q (%s), want store_lost", m.halted, m.why)
	}
}
