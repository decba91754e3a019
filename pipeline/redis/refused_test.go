package redis

import (
	"errors"
	"fmt"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestRefusedMidway: a server checks the permission of each command of a script when it comes
// to it, and does not undo those before. Whichever a user loses at run time, a checkpoint is
// written whole or not at all, and goes on once the user has it again.
func TestRefusedMidway(t *testing.T) {
	b := openServer(t)
	for i, command := range []string{"hset", "hdel", "zadd", "zrem", "unlink", "del", "smembers", "hget", "hstrlen", "strlen", "set", "sadd"} {
		t.Run(command, func(t *testing.T) {
			must(t, b.raw.FlushAll(t.Context()).Err())
			user := fmt.Sprintf("u%d", i)
			acl := func(words ...any) {
				t.Helper()
				must(t, b.raw.Do(t.Context(), append([]any{"acl", "setuser", user}, words...)...).Err())
			}
			acl("on", ">secret", "~*", "+@all")
			s := b.as(t, user, RefuseEviction)
			defer s.Close() //nolint:errcheck // a connection to look with
			claim(t, s, "a")
			save(t, s, "a", put(-1, 10, "k", "v", "big", big('x'), "gone", "v", "large", big('l')))
			before := b.dump(t)
			c := put(10, 20, "new", "n", "k", "w", "big", big('y'), "gone", "", "large", "small")
			acl("-" + command)
			err := s.Save(t.Context(), lease("a"), c)
			if err == nil || errors.Is(err, pipeline.ErrDamaged) || errors.Is(err, pipeline.ErrFenced) {
				t.Errorf("without %s: %v, want an outage", command, err)
			}
			meta, merr := s.Meta(t.Context(), part)
			must(t, merr)
			if after := b.dump(t); meta.Watermark == 10 {
				for key, was := range before {
					if fmt.Sprint(after[key]) != fmt.Sprint(was) {
						t.Errorf("without %s: %s has changed, and the watermark has not", command, key)
					}
				}
			}
			acl("+" + command)
			if meta.Watermark == 10 {
				if err := s.Save(t.Context(), lease("a"), c); err != nil {
					t.Errorf("with %s again: %v", command, err)
				}
			}
			holds(t, s, "a", 20, "new", "n")
			holds(t, s, "a", 20, "big", big('y'))
			if _, err := s.Claim(t.Context(), lease("b")); err != nil {
				t.Errorf("the next claim: %v", err)
			}
		})
	}
}
