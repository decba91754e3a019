package redis

import (
	"errors"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestLostKeysAreNotNew: whichever Redis key somebody deletes, or a server evicts, under a
// worker that goes on, the worker learns of it when it reads or looks, before it publishes.
func TestLostKeysAreNotNew(t *testing.T) {
	b := openServer(t)
	for name, lost := range map[string]func(space) string{
		"values":   func(k space) string { return k.state(bucket("k")) },
		"the list": space.keys,
	} {
		must(t, b.raw.FlushAll(t.Context()).Err())
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", "v", "l", "w"))
		k, err := s.space(part)
		must(t, err)
		must(t, b.raw.Del(t.Context(), lost(k)).Err())
		if _, err := s.Load(t.Context(), lease("a"), []int64{10}, []string{"k"}, 1); !errors.Is(err, pipeline.ErrDamaged) {
			t.Errorf("%s deleted: a load of the key: %v", name, err)
		}
		if name == "the list" {
			if _, err := s.Load(t.Context(), lease("a"), []int64{10}, nil, 0); !errors.Is(err, pipeline.ErrDamaged) {
				t.Errorf("%s deleted: a look: %v", name, err)
			}
		}
	}
}
