package kafka

import (
	"errors"
	"maps"
	"sync"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// Offsets that gather while a request is on its way go into the next one, and an
// error is that of the request that had the offset.
func TestCommitsGather(t *testing.T) {
	begun, answer := make(chan map[string]map[int]pipeline.GroupOffset), make(chan error)
	c := &commits{send: func(offsets map[string]map[int]pipeline.GroupOffset) error {
		begun <- offsets
		return <-answer
	}}
	var all sync.WaitGroup
	got := make([]error, 100)
	all.Go(func() { got[0] = c.commit(t.Context(), "t", 0, pipeline.GroupOffset{Offset: 7}) })
	if first := <-begun; first["t"][0].Offset != 7 {
		t.Fatal(first)
	}
	for p := 1; p < 100; p++ {
		all.Go(func() { got[p] = c.commit(t.Context(), "t", p, pipeline.GroupOffset{Offset: int64(p)}) })
	}
	eventually(t, "the others wait", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.next != nil && len(c.next.offsets["t"]) == 99
	})
	answer <- nil
	rest := maps.Clone((<-begun)["t"])
	refused := errors.New("refused")
	answer <- refused
	all.Wait()
	if len(rest) != 99 || rest[5].Offset != 5 || got[0] != nil || !errors.Is(got[1], refused) || !errors.Is(got[99], refused) {
		t.Errorf("%v, errors %v and %v", rest, got[0], got[1])
	}
	go func() { <-begun; answer <- nil }()
	if err := c.commit(t.Context(), "t", 0, pipeline.GroupOffset{Offset: 8}); err != nil {
		t.Error(err)
	}
}
