package kafka

import (
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

// TestOrigins: where a group was told to begin is known to its members before and after
// they commit, and to nobody else's group.
func TestOrigins(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 3)
	publish(t, c, Plain, numbered(topic, 30)...)
	if err := c.Begin(t.Context(), topic, topic, []int64{4, 0, 6}); err != nil {
		t.Fatal(err)
	}
	want := []int64{4, 0, 6}
	origins := func(w *crew, want []int64) {
		t.Helper()
		eventually(t, "assignment", func() bool { return len(w.get()) == 3 })
		for id, a := range w.get() {
			if past, err := w.group.Note(t.Context(), a.Partition); err != nil || past.Begin() != want[id] {
				t.Errorf("partition %d begins at %d and error %v, want %d", id, past.Begin(), err, want[id])
			}
		}
	}
	w := join(t, addrs, topic, topic, nil)
	origins(w, want)
	if err := c.Begin(t.Context(), topic, topic, []int64{9, 9, 9}); err == nil {
		t.Error("a group with members is told to begin elsewhere")
	}
	for id, a := range w.get() {
		if a.Committed != want[id] {
			t.Errorf("partition %d: committed %d, want %d", id, a.Committed, want[id])
		}
		if err := a.Commit(t.Context(), pipeline.GroupOffset{Offset: 8, Origin: want[id]}); err != nil {
			t.Fatal(err)
		}
	}
	w.stop()
	w = join(t, addrs, topic, topic, nil)
	origins(w, []int64{4, -1, 6}) // a group that began at the first record needs no note
	for id, a := range w.get() {
		if a.Committed != 8 {
			t.Errorf("partition %d: committed %d, want 8", id, a.Committed)
		}
	}
	w.stop()
	w = join(t, addrs, topic+".other", topic, nil)
	origins(w, []int64{-1, -1, -1})
	w.stop()
}

// TestOffsetAt: the first record not before a time, and the end where there is none.
func TestOffsetAt(t *testing.T) {
	c := connect(t, brokers(t))
	topic := fresh(t, c, 1)
	var outputs []pipeline.Output
	for i := range int64(10) {
		outputs = append(outputs, pipeline.Output{Topic: topic, Key: []byte("k"), Value: []byte("v"), Time: 1000 + 10*i})
	}
	publish(t, c, Plain, outputs...)
	l, err := NewLog(c, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int64]int64{-5: 0, 1000: 0, 1001: 1, 1050: 5, 1090: 9, 1091: 10} {
		if got, err := l.OffsetAt(t.Context(), pipeline.Partition{Topic: topic}, time.UnixMilli(at)); err != nil || got != want {
			t.Errorf("time %d: offset %d and error %v, want %d", at, got, err, want)
		}
	}
}
