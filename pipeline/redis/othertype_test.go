package redis

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestTheKeyOfAnotherTypeIsNamed: whoever meets a Redis key of which somebody has made something else says which it is: an
// operator has to look at it. What is of no partition's state says how it is mended, and is well when that is done.
func TestTheKeyOfAnotherTypeIsNamed(t *testing.T) {
	b := openServer(t)
	s := b.store(t, "credence")
	k, err := s.space(part)
	must(t, err)
	topic, err := s.topicKey(part.Topic)
	must(t, err)
	state, bigs, blob := k.state(bucket("k")), k.state(bucket("big")), k.blob("big", "a:10")
	one := func(key string) error { _, err := s.Get(t.Context(), part, key); return err }
	load := func() error {
		_, err := s.Load(t.Context(), lease("a"), []int64{10}, []string{"k", "big"}, 1<<20)
		return err
	}
	batch := func() error {
		_, err := s.GetBatch(t.Context(), part, []string{"k", "big"}, 1<<20)
		return err
	}
	beat := func() error { _, err := s.Beat(t.Context(), "m", "1"); return err }
	layout := func() error { _, err := s.Layout(t.Context(), part.Topic); return err }
	pin := func() error { _, err := s.Pin(t.Context(), part.Topic, 4); return err }
	for _, c := range []struct {
		key, is string
		what    map[string]func() error
		mended  bool // by a DEL of the key
	}{
		{k.meta(), "a hash", map[string]func() error{"meta": func() error { _, err := s.Meta(t.Context(), part); return err }, "load": load,
			"claim": func() error { _, err := s.Claim(t.Context(), lease("b")); return err }}, false},
		{k.keys(), "a sorted set", map[string]func() error{"keys": func() error { _, err := s.Keys(t.Context(), part, "", "", 1); return err }, "load": load,
			"count": func() error { _, err := s.Count(t.Context(), part, ""); return err }}, false},
		{k.pending(), "a set", map[string]func() error{"save": func() error { return s.Save(t.Context(), lease("a"), put(10, 20, "k", "w")) }}, false},
		{state, "a hash", map[string]func() error{"get": func() error { return one("k") }, "load": load, "batch": batch}, false},
		{bigs, "a hash", map[string]func() error{"get": func() error { return one("big") }}, false},
		{blob, "a string", map[string]func() error{"get": func() error { return one("big") }, "load": load, "batch": batch,
			"weigh": func() error { _, err := s.Weigh(t.Context(), part, "", 10); return err }}, false},
		{s.members(), "a hash", map[string]func() error{"beat": beat, "look": func() error { _, err := s.Beat(t.Context(), "", ""); return err },
			"forget": func() error { return s.Forget(t.Context(), "m") }}, true},
		{topic, "a hash", map[string]func() error{"layout": layout, "pin": pin}, true},
	} {
		must(t, b.raw.FlushAll(t.Context()).Err())
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", "v", "big", big('x')))
		must(t, errors.Join(beat(), pin()))
		must(t, b.raw.Del(t.Context(), c.key).Err())
		must(t, b.raw.RPush(t.Context(), c.key, "x").Err())
		kind, says := pipeline.ErrDamaged, fmt.Sprintf("somebody has made something else of the Redis key %s, which is %s: WRONGTYPE", c.key, c.is)
		if c.mended {
			kind, says = pipeline.ErrOtherType, fmt.Sprintf("delete it (redis-cli DEL '%s'), and ", c.key)
		}
		for name, call := range c.what {
			if err := call(); !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %s: %v, want %q", c.key, name, err, says)
			}
		}
		if !c.mended {
			continue
		}
		must(t, b.raw.Del(t.Context(), c.key).Err())
		for name, call := range c.what {
			if err := call(); err != nil {
				t.Errorf("%s, deleted: %s: %v", c.key, name, err)
			}
		}
	}
}

// TestClearOfAnotherTypeAside: where the set of what was put aside is something else by now, a clear says so, and has cleared
// the partition all the same once that is deleted and it is done again.
func TestClearOfAnotherTypeAside(t *testing.T) {
	b := openServer(t)
	s := b.store(t, "credence")
	k, err := s.space(part)
	must(t, err)
	claim(t, s, "a")
	save(t, s, "a", put(-1, 10, "k", "v"))
	must(t, b.raw.Set(t.Context(), k.aside(), "x", 0).Err())
	again := func(token string) error {
		seen, err := s.Meta(t.Context(), part)
		must(t, err)
		return s.Clear(t.Context(), lease(token), seen)
	}
	if err := again("c"); !errors.Is(err, pipeline.ErrOtherType) || !strings.Contains(err.Error(), "redis-cli DEL '"+k.aside()+"'") {
		t.Errorf("another type: %v", err)
	}
	must(t, b.raw.Del(t.Context(), k.aside()).Err())
	must(t, again("d"))
	claim(t, s, "e")
	if left := b.named(t, "}:state:"); left != nil {
		t.Errorf("left: %q", left)
	}
}
