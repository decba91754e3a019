package kafka

import (
	"cmp"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// What stands beside an offset is kept by every commit, and a partition has its own.
func TestCommitsKeepNotes(t *testing.T) {
	for _, note := range []string{"", "rescaled from 1 to 2 partitions"} {
		addrs := brokers(t)
		c := connect(t, addrs)
		topic := fresh(t, c, 1)
		if err := c.Grow(t.Context(), topic, 2); err != nil {
			t.Fatal(err)
		}
		if err := c.Grow(t.Context(), topic, 2); err != nil { // it has them
			t.Fatal(err)
		}
		group := topic + "-noted"
		if err := c.SetMark(t.Context(), group, topic, 1, Mark{7, note}); err != nil {
			t.Fatal(err)
		}
		w := join(t, addrs, group, topic, nil)
		eventually(t, "two partitions", func() bool { return len(w.get()) == 2 })
		for id, a := range w.get() {
			for offset := range int64(3) {
				if err := a.Commit(t.Context(), pipeline.GroupOffset{Offset: 10*int64(id) + offset}); err != nil {
					t.Fatal(err)
				}
			}
		}
		marks, err := c.Marks(t.Context(), group, topic, 2)
		if err != nil || marks[0] != (Mark{2, ""}) || marks[1] != (Mark{12, note}) {
			t.Errorf("%+v and error %v", marks, err)
		}
		g := NewGroup(c, GroupOptions{Group: group, Topics: []string{topic}})
		if got, err := g.Note(t.Context(), pipeline.Partition{Topic: topic, ID: 1}); err != nil || got != (pipeline.Note{Rescaled: note}) {
			t.Errorf("%+v and error %v", got, err)
		}
		// One that was forgotten is put back by who knows it still.
		if err := w.get()[1].Commit(t.Context(), pipeline.GroupOffset{Offset: 13, Origin: 4, Rescaled: "rescaled before"}); err != nil {
			t.Fatal(err)
		}
		if marks, err = c.Marks(t.Context(), group, topic, 2); err != nil || marks[1] != (Mark{13, cmp.Or(note, "rescaled before")}) {
			t.Errorf("%+v and error %v", marks, err)
		}
		w.stop()
	}
}
