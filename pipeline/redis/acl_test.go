package redis

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// rule is the user that docs/howto/security.md describes: what follows the name.
func rule(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/howto/security.md")
	must(t, err)
	_, text, ok := strings.Cut(string(page), "ACL SETUSER credence on >PASSWORD ")
	text, _, closed := strings.Cut(text, "```")
	if !ok || !closed {
		t.Fatal("docs/howto/security.md has no rule")
	}
	return strings.Fields(text)
}

// everything makes every call that a store knows and returns the first error.
func everything(t *testing.T, s *Store) error {
	t.Helper()
	ctx := t.Context()
	if _, err := s.CheckPolicy(ctx); err != nil {
		return err
	}
	seen, err := s.Meta(ctx, part)
	if err != nil {
		return err
	}
	calls := []func() error{
		func() error { return s.Clear(ctx, lease("x"), seen) }, // what an earlier one left
		func() error { _, err := s.Begun(ctx, part.Topic, 4); return err },
		func() error { _, err := s.Pin(ctx, part.Topic, 4); return err },
		func() error {
			is, err := s.Layout(ctx, part.Topic)
			if err == nil {
				err = s.SetLayout(ctx, part.Topic, is, is)
			}
			return err
		},
		func() error { _, err := s.Claim(ctx, lease("a")); return err },
		func() error { return s.Save(ctx, lease("a"), put(-1, 10, "k", "v", "big", big('x'), "gone", "v")) },
		func() error { return s.Save(ctx, lease("a"), put(10, 20, "big", big('y'), "gone", "")) },
		func() error {
			_, err := s.Load(ctx, lease("a"), []int64{20}, []string{"k", "big"}, 1<<20)
			return err
		},
		func() error { return s.Amend(ctx, lease("a"), put(20, 20, "k", "w")) },
		func() error { return s.Replicated(ctx, part.Topic, 4) },
		func() error { _, err := s.Get(ctx, part, "big"); return err },
		func() error { _, err := s.Count(ctx, part, "k"); return err },
		func() error { _, err := s.GetBatch(ctx, part, []string{"k", "big"}, 1<<20); return err },
		func() error {
			keys, err := s.Keys(ctx, part, "", "", 10)
			if err == nil && !slices.Equal(keys, []string{"big", "k"}) {
				err = fmt.Errorf("keys %q", keys)
			}
			return err
		},
		func() error { _, err := s.Audit(ctx, part); return err },
		func() error { _, err := s.Beat(ctx, "m", "1"); return err },
		func() error { return s.Forget(ctx, "m") },
		func() error { _, err := s.Claim(ctx, lease("b")); return err },
		func() error {
			return s.Clear(ctx, lease("c"), pipeline.Meta{Exists: true, Owner: "b", Watermark: 20})
		},
		func() error { return s.Unpin(ctx, part.Topic) },
	}
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// The rule that the documentation gives is enough for every call, and without any word of
// it some call is refused.
func TestLeastPrivilege(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(testing.TB) backend
	}{{"server", openServer}, {"cluster", openCluster}} {
		t.Run(c.name, func(t *testing.T) {
			b, words := c.open(t), rule(t)
			users := 0
			works := func(words []string) error {
				users++ // connections keep the permissions of their user
				user := fmt.Sprintf("u%d", users)
				args := []any{"acl", "setuser", user, "on", ">secret"}
				for _, w := range words {
					args = append(args, w)
				}
				must(t, b.raw.Do(t.Context(), args...).Err())
				must(t, b.raw.ScriptFlush(t.Context()).Err())
				s := b.as(t, user, RefuseEviction)
				defer s.Close() //nolint:errcheck // a connection to look with
				return everything(t, s)
			}
			if err := works(words); err != nil {
				t.Fatalf("under the rule of the documentation: %v", err)
			}
			for i, word := range words {
				if strings.HasPrefix(word, "+cluster") && c.name == "server" || strings.HasPrefix(word, "-") || strings.HasPrefix(word, "reset") {
					continue
				}
				err := works(slices.Delete(slices.Clone(words), i, i+1))
				var refused goredis.Error
				if !errors.As(err, &refused) || !slices.ContainsFunc([]string{"NOPERM", "ACL failure", "can't run this command"}, func(said string) bool { return strings.Contains(refused.Error(), said) }) {
					t.Errorf("without %s: %v", word, err)
				}
			}
		})
	}
}
