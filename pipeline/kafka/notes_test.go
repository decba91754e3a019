package kafka

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

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

// Whether a user may note offsets is known before they are noted, also of a group that there is not.
func TestMayNote(t *testing.T) {
	f := fake(t)
	c := connect(t, f.ListenAddrs())
	if err := c.MayNote(t.Context(), "new"); err != nil {
		t.Error(err)
	}
	f.ControlKey(int16(kmsg.Heartbeat), func(req kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
		resp.ErrorCode = kerr.GroupAuthorizationFailed.Code
		return resp, nil, true
	})
	if err := c.MayNote(t.Context(), "new"); !errors.Is(err, kafka.GroupAuthorizationFailed) {
		t.Errorf("error %v", err)
	}
}

// What an import notes of partitions is what workers read of them.
func TestNoteAll(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 3)
	group := topic + "-noted"
	at := map[int32]pipeline.GroupOffset{0: {Offset: 7}, 1: {Offset: 9, Origin: 4}, 2: {Offset: 5, Origin: 2, Rescaled: "rescaled from 1 to 3 partitions"}}
	if err := c.NoteAll(t.Context(), group, topic, at); err != nil {
		t.Fatal(err)
	}
	marks, err := c.Marks(t.Context(), group, topic, 3)
	if err != nil {
		t.Fatal(err)
	}
	w := join(t, addrs, group, topic, nil)
	eventually(t, "three partitions", func() bool { return len(w.get()) == 3 })
	if err := c.NoteAll(t.Context(), group, topic, at); err == nil || !strings.Contains(err.Error(), "a consumer of the group was started meanwhile") {
		t.Errorf("of a group that works: error %v", err)
	}
	w.stop()
	for id, want := range []pipeline.Note{{}, {Told: true, Origin: 4}, {Rescaled: at[2].Rescaled}} {
		if marks[id].Past() != want || marks[id].Offset != at[int32(id)].Offset {
			t.Errorf("partition %d: %+v, want %+v", id, marks[id], want)
		}
	}
}
