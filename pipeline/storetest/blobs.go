package storetest

import (
	"fmt"
	"strings"

	"github.com/credence-stream/credence/pipeline"
)

// wild are keys that would be something else in a sloppy name.
var wild = []string{
	"{", "}", "{}", "{a}b", "}{", "a:b", ":", "::", "a:b:1", "blob:x:1", "0:0", "\x00", "a\x00b", "\n", "\r\n", " ", "*", "[a]",
	"%d", "%", "\\1", "'", "\"", "köln/straße", "鍵", "e\u0301", "\U0001f600", "\x01token:1", "\xff\xfe", "a/b", "-", "+", "(", strings.Repeat("k", 512),
}

var blobCases = []testCase{{
	"wild keys",
	"a key is any bytes; names are built from it",
	func(s *subject) {
		s.claim("a")
		small, large := put(-1, 10), put(10, 20)
		for i, key := range wild {
			small.Changes = append(small.Changes, pipeline.Change{Key: key, Value: pipeline.Stored(fmt.Sprint("small ", i))})
			if i%3 == 0 {
				large.Changes = append(large.Changes, pipeline.Change{Key: key, Value: pipeline.Stored(big(fmt.Sprint(i)))})
			}
		}
		s.save("a", small)
		for i, key := range wild {
			s.holds("a", 10, key, fmt.Sprint("small ", i))
		}
		s.save("a", large)
		for i, key := range wild {
			if i%3 == 0 {
				s.holds("a", 20, key, big(fmt.Sprint(i)))
			} else {
				s.holds("a", 20, key, fmt.Sprint("small ", i))
			}
		}
		gone := put(20, 30)
		for _, key := range wild {
			gone.Changes = append(gone.Changes, pipeline.Change{Key: key})
		}
		s.save("a", gone)
		if got := s.meta().Keys; got != 0 {
			s.t.Errorf("%d keys left", got)
		}
		s.claim("b")
	},
}, {
	"big values",
	"a large state goes another way than a small one and must be as exact",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", big("one"), "small", "s"))
		s.holds("a", 10, "k", big("one"))
		s.holds("a", 10, "small", "s")
		s.save("a", put(10, 20, "k", big("two")))
		s.holds("a", 20, "k", big("two"))
		s.save("a", put(20, 30, "k", "now small", "small", big("now large")))
		s.holds("a", 30, "k", "now small")
		s.holds("a", 30, "small", big("now large"))
		s.save("a", put(30, 40, "small", ""))
		s.holds("a", 40, "small", "")
		if got := s.claim("b"); got.Keys != 1 {
			s.t.Errorf("%d keys counted, want 1", got.Keys)
		}
	},
}, {
	"zombie and a big value",
	"a zombie's save must neither replace nor remove what the owner's pointer stands for",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", big("ten")))
		s.claim("b")
		s.saveIs("a", put(10, 20, "k", big("zombie")), pipeline.ErrFenced)
		s.saveIs("a", put(10, 20, "k", "zombie"), pipeline.ErrFenced)
		s.saveIs("a", put(10, 20, "k", ""), pipeline.ErrFenced)
		s.holds("b", 10, "k", big("ten"))
		s.save("b", put(10, 20, "k", big("twenty")))
		s.saveIs("a", put(10, 20, "k", big("zombie")), pipeline.ErrFenced)
		s.saveIs("a", put(20, 30, "k", ""), pipeline.ErrFenced)
		s.holds("b", 20, "k", big("twenty"))
	},
}, {
	"stale save and a big value",
	"the owner itself may hold the wrong watermark: its save must not touch the blob either",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", big("ten")))
		s.save("a", put(10, 20, "l", "x"))
		s.saveIs("a", put(10, 30, "k", "stale"), pipeline.ErrFenced)
		s.saveIs("a", put(10, 30, "k", ""), pipeline.ErrFenced)
		s.saveIs("a", put(10, 30, "k", big("stale")), pipeline.ErrFenced)
		s.holds("a", 20, "k", big("ten"))
	},
}, {
	"rollback and a big value",
	"a rollback brings an old pointer back together with what it points to",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", big("ten")))
		restore := s.Snapshot()
		s.save("a", put(10, 20, "k", big("twenty")))
		restore()
		s.saveIs("a", put(20, 30, "k", big("thirty")), pipeline.ErrFenced)
		s.claim("b")
		s.holds("b", 10, "k", big("ten"))
	},
}, {
	"missing value",
	"a key that was there must not begin anew because its value is gone: its owner would publish that, and only then learn what happened",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten", "l", "other"))
		s.Lose(part, "k")
		s.loadIs("a", 10, "k", pipeline.ErrDamaged)
		s.loadIs("a", 20, "k", pipeline.ErrFenced)
		if n, err := s.Store.Count(s.ctx(), part, "k"); err != nil || n != 1 {
			s.t.Errorf("%d keys are counted (error %v), want the one that is listed", n, err)
		}
		s.holds("a", 10, "l", "other")
		s.holds("a", 10, "new", "")
		s.saveIs("a", put(10, 20, "new", "n"), pipeline.ErrDamaged)
	},
}, {
	"missing blob",
	"a pointer to nothing is damage, never an absent key",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", big("ten"), "l", big("other")))
		s.LoseBlob(part, "k")
		s.loadIs("a", 10, "k", pipeline.ErrDamaged)
		if _, err := s.Reader.Get(s.ctx(), part, "k"); !isDamaged(err) {
			s.t.Errorf("get: error %v, want damaged", err)
		}
		s.holds("a", 10, "l", big("other"))
		s.claim("b")
		s.loadIs("a", 10, "k", pipeline.ErrFenced)
		s.save("b", put(10, 20, "k", ""))
		s.holds("b", 20, "k", "")
	},
}}
