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

// TestAnotherType: a Redis key of which somebody has made something else is damage, not an
// outage, whoever meets it; nothing is half written then, and to clear the partition cures it.
func TestAnotherType(t *testing.T) {
	b := openServer(t)
	for name, of := range map[string]func(space) string{
		"meta": space.meta, "pending": space.pending, "keys": space.keys, "values": func(k space) string { return k.state(bucket("k")) },
	} {
		must(t, b.raw.FlushAll(t.Context()).Err())
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", "v", "big", big('x')))
		k, err := s.space(part)
		must(t, err)
		must(t, b.raw.Del(t.Context(), of(k)).Err())
		must(t, b.raw.RPush(t.Context(), of(k), "x").Err())
		before := b.count(t)
		if err := s.Save(t.Context(), lease("a"), put(10, 20, "k", "w", "new", "n", "big", "small")); !errors.Is(err, pipeline.ErrDamaged) {
			t.Errorf("%s: save: %v", name, err)
		}
		if got := b.count(t); got != before {
			t.Errorf("%s: there were %d Redis keys, and there are %d after a save that was refused", name, before, got)
		}
		if _, err := s.Claim(t.Context(), lease("b")); !errors.Is(err, pipeline.ErrDamaged) {
			t.Errorf("%s: claim: %v", name, err)
		}
		if name == "meta" {
			if seen, err := s.Meta(t.Context(), part); !errors.Is(err, pipeline.ErrDamaged) || seen.Exists || seen.Owner != "" {
				t.Errorf("meta: %+v, %v", seen, err)
			}
		}
		seen, err := s.Meta(t.Context(), part)
		if name != "meta" {
			must(t, err)
		}
		must(t, s.Clear(t.Context(), lease("c"), seen))
		claim(t, s, "d")
		save(t, s, "d", put(-1, 10, "k", "v"))
		if got := b.count(t); got != 3 {
			t.Errorf("%s: %d Redis keys after it was cleared and begun, want 3", name, got)
		}
	}
}

// count is how many keys the server has.
func (b backend) count(t *testing.T) int64 {
	t.Helper()
	n, err := b.raw.DBSize(t.Context()).Result()
	must(t, err)
	return n
}
