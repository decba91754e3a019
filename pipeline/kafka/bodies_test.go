package kafka

import (
	"bytes"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestBodiesComeAgain: full answers are given back, and the records that come in
// their memory are those of the log.
func TestBodiesComeAgain(t *testing.T) {
	c := connect(t, brokers(t))
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	const n = 40
	for i := range n {
		publish(t, c, Plain, pipeline.Output{Topic: p.Topic, Value: bytes.Repeat([]byte{byte(i)}, 240<<10)})
	}
	freed, next := 0, int64(0)
	for next < n {
		f, err := l.Fetch(t.Context(), p, next, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Records {
			if want := bytes.Repeat([]byte{byte(r.Offset)}, 240<<10); !bytes.Equal(r.Value, want) {
				t.Fatalf("offset %d is not what was sent", r.Offset)
			}
		}
		if f.Free != nil {
			f.Free()
			freed++
		}
		next = f.Next
	}
	if freed < 5 {
		t.Errorf("%d answers were given back", freed)
	}
}

// TestBodiesAreBounded: only what is nearly full has memory of the full size.
func TestBodiesAreBounded(t *testing.T) {
	var kept bodies
	for size, full := range map[int]bool{0: false, fullBytes - 1: false, fullBytes: true, bodyBytes: true, bodyBytes + 1: false} {
		body := kept.take(size)
		if free := kept.giver(body); len(body) != size || (free != nil) != full {
			t.Errorf("%d bytes for an answer of %d, given back: %v", len(body), size, free != nil)
		}
		if !full && cap(body) > size+size/8 {
			t.Errorf("room for %d bytes kept for an answer of %d", cap(body), size)
		}
	}
}
