package storetest

import "slices"

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
		s.save("a", put(10, 20, "a/2", "", "b", "again"))
		if got, err := s.Reader.Keys(s.ctx(), part, "a/", "", 9); err != nil || !slices.Equal(got, []string{"a/", "a/10"}) {
			s.t.Errorf("after a delete: %q and error %v", got, err)
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
		if got := s.meta(); got.Exists || got.Owner != "" || got.Watermark != -1 {
			s.t.Errorf("meta: %+v", got)
		}
	},
}}
