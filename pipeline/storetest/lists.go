package storetest

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// weighs compares what the keys of a prefix come to.
func (s *subject) weighs(prefix string, want quota.Sum) { s.weighsSome(prefix, math.MaxInt, want) }

func (s *subject) weighsSome(prefix string, most int, want quota.Sum) {
	s.t.Helper()
	if got, err := s.Store.Weigh(s.ctx(), part, prefix, most); err != nil || got != want {
		s.t.Errorf("prefix %q: %+v and error %v, want %+v", prefix, got, err, want)
	}
}

var listCases = []testCase{{
	"keys in byte order",
	"lists are paged by the last key seen: an order of another kind would skip or repeat",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "b", "v", "a/2", "v", "a/10", "v", "B", "v", "ä", "v", "a", "v", "a/", "v", "\xff", "v", "\xff\xff", "v", "a0", "v"))
		for _, c := range []struct {
			prefix, after string
			limit         int
			want          []string
		}{
			{"", "", 100, []string{"B", "a", "a/", "a/10", "a/2", "a0", "b", "ä", "\xff", "\xff\xff"}},
			{"", "", 3, []string{"B", "a", "a/"}},
			{"", "a/", 3, []string{"a/10", "a/2", "a0"}},
			{"", "a/1", 2, []string{"a/10", "a/2"}},
			{"", "\xff\xff", 3, nil},
			{"a/", "", 100, []string{"a/", "a/10", "a/2"}},
			{"a/", "a/", 100, []string{"a/10", "a/2"}},
			{"a/", "A", 100, []string{"a/", "a/10", "a/2"}},
			{"a/", "a/2", 100, nil},
			{"a/", "b", 100, nil},
			{"\xff", "", 100, []string{"\xff", "\xff\xff"}},
			{"zz", "", 100, nil},
			{"", "", 0, nil},
		} {
			got, err := s.Reader.Keys(s.ctx(), part, c.prefix, c.after, c.limit)
			if err != nil || !slices.Equal(got, c.want) {
				s.t.Errorf("prefix %q after %q limit %d: %q and error %v, want %q", c.prefix, c.after, c.limit, got, err, c.want)
			}
		}
		for prefix, want := range map[string]int64{"": 10, "a": 5, "a/": 3, "\xff": 2, "\xff\xff": 1, "zz": 0} {
			if n, err := s.Reader.Count(s.ctx(), part, prefix); err != nil || n != want {
				s.t.Errorf("prefix %q: %d keys and error %v, want %d", prefix, n, err, want)
			}
		}
		s.weighs("a/", quota.Sum{Keys: 3, Bytes: 3})
		s.weighs("zz", quota.Sum{})
		s.weighsSome("a/", 2, quota.Sum{Keys: 2, Bytes: 2})
		s.weighsSome("a/", 0, quota.Sum{})
		s.save("a", put(10, 20, "a/2", "", "b", "again"))
		s.weighs("b", quota.Sum{Keys: 1, Bytes: 5})
		s.weighs("a/", quota.Sum{Keys: 2, Bytes: 2})
		s.save("a", put(20, 30, "c/big", big("x"), "c/small", "v"))
		s.weighs("c/", quota.Sum{Keys: 2, Bytes: int64(len(big("x"))) + 1})
		s.save("a", put(30, 40, "c/big", big("y")+"y"))
		s.weighs("c/", quota.Sum{Keys: 2, Bytes: int64(len(big("y"))) + 2})
		s.save("a", put(40, 50, "c/big", "", "b", "", "a/", "", "a/10", "", "a", "", "a0", "", "B", "", "ä", "", "\xff", "", "\xff\xff", ""))
		s.weighs("", quota.Sum{Keys: 1, Bytes: 1})
		s.save("a", put(50, 60, "a/", "v", "a/10", "v"))
		if n, err := s.Reader.Count(s.ctx(), part, "a/"); err != nil || n != 2 {
			s.t.Errorf("after a delete: %d keys and error %v", n, err)
		}
		if got, err := s.Reader.Keys(s.ctx(), part, "a/", "", 9); err != nil || !slices.Equal(got, []string{"a/", "a/10"}) {
			s.t.Errorf("after a delete: %q and error %v", got, err)
		}
	},
}, {
	"several values together",
	"a walk through all states would take a round trip for each",
	func(s *subject) {
		many, ok := s.Reader.(pipeline.BatchReader)
		if !ok {
			s.t.Skip("it reads one value at a time")
		}
		s.claim("a")
		s.save("a", put(-1, 10, "a", "first", "b", "second", "c", big("x"), "d", "fourth", "e", "lost", "f", big("y")))
		s.Lose(part, "e")
		s.LoseBlob(part, "f")
		keys := []string{"a", "b", "none", "c", "d", "e", "f"}
		got, err := many.GetBatch(s.ctx(), part, keys, 1<<30)
		if err != nil || len(got) != len(keys) {
			s.t.Fatalf("%d values of %d keys and error %v", len(got), len(keys), err)
		}
		for i, want := range map[int]string{0: "first", 1: "second", 4: "fourth"} {
			if string(got[i]) != want {
				s.t.Errorf("key %q: %q, want %q", keys[i], got[i], want)
			}
		}
		if got[2] != nil || got[5] != nil || got[6] != nil || got[3] != nil && string(got[3]) != big("x") {
			s.t.Errorf("values that are not there: %.20q", got)
		}
		for bytes, most := range map[int64]int{0: 1, 3: 1, 14: 2} {
			if got, err := many.GetBatch(s.ctx(), part, keys[:2], bytes); err != nil || len(got) != most || string(got[0]) != "first" {
				s.t.Errorf("at most %d bytes: %q and error %v, want %d values", bytes, got, err, most)
			}
		}
	},
}, {
	"reading what was never there",
	"a reader asks for keys of partitions that nobody has claimed",
	func(s *subject) {
		if got, err := s.Reader.Get(s.ctx(), part, "k"); err != nil || got != nil {
			s.t.Errorf("get: %q and error %v", got, err)
		}
		if got, err := s.Reader.Keys(s.ctx(), part, "", "", 5); err != nil || len(got) != 0 {
			s.t.Errorf("keys: %q and error %v", got, err)
		}
		if n, err := s.Reader.Count(s.ctx(), part, ""); err != nil || n != 0 {
			s.t.Errorf("count: %d and error %v", n, err)
		}
		if got := s.meta(); got.Exists || got.Owner != "" || got.Watermark != -1 {
			s.t.Errorf("meta: %+v", got)
		}
	},
}}
