package redis

import (
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestCountOfNothing: where no count is stored any more none is read as 0, which is that of states that move, whoever
// has left it empty.
func TestCountOfNothing(t *testing.T) {
	b := openMini(t)
	s := b.store(t, "credence")
	key, err := s.topicKey(part.Topic)
	must(t, err)
	none, importing := pipeline.Layout{Partitions: pipeline.Unbegun}, pipeline.Layout{Partitions: pipeline.Rescales, Importing: &pipeline.Importing{ID: "i"}}
	must(t, s.SetLayout(t.Context(), part.Topic, none, importing))
	must(t, s.SetLayout(t.Context(), part.Topic, importing, none))
	if is, err := b.raw.HExists(t.Context(), key, "partitions").Result(); is || err != nil {
		t.Errorf("taken back, it is there: %t, %v", is, err)
	}
	must(t, b.raw.HSet(t.Context(), key, "partitions", "").Err())
	if n, err := s.Pin(t.Context(), part.Topic, 4); n != 4 || err != nil {
		t.Errorf("pinned at %d, error %v", n, err)
	}
}
