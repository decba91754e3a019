package storetest

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/credence-stream/credence/pipeline"
)

var adminCases = []testCase{{
	"audit",
	"what a claim refuses must be seen before somebody decides about it",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten", "l", "ten", "m", big("x")))
		s.audits(pipeline.Audit{Counted: 3, Held: 3, Listed: 3})
		s.Lose(part, "k")
		got, err := s.Admin.Audit(s.ctx(), part)
		if err != nil || got.Whole() || got.Counted != 3 || got.Held != 2 {
			s.t.Errorf("after a loss: %+v and error %v", got, err)
		}
	},
}, {
	"clear",
	"a cleared partition must look as if nobody ever saved it, or a worker goes on from half of it",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten", "m", big("x"), "n:1", big("yy")))
		s.clears("c", s.meta(), nil)
		want := virgin
		want.Owner, want.Generation = "c", 7
		s.same("meta after a clear", s.meta(), want)
		s.audits(pipeline.Audit{})
		for _, key := range []string{"k", "m", "n:1"} {
			s.holds("c", -1, key, "")
		}
		s.saveIs("a", put(10, 20, "k", "zombie"), pipeline.ErrFenced)
		s.loadIs("a", 10, "k", pipeline.ErrFenced)
		s.save("c", put(-1, 5, "k", "five"))
		s.holds("c", 5, "k", "five")
		if keys, err := s.Reader.Keys(s.ctx(), part, "", "", 9); err != nil || !slices.Equal(keys, []string{"k"}) {
			s.t.Errorf("keys after a clear and a save: %q and error %v", keys, err)
		}
	},
}, {
	"clear of what has moved on",
	"somebody agreed to forget what they saw, not what was saved since",
	func(s *subject) {
		s.claim("a")
		seen := s.meta()
		s.save("a", put(-1, 10, "k", "ten"))
		s.clears("c", seen, pipeline.ErrFenced)
		seen = s.meta()
		s.save("a", put(10, 20, "k", "twenty"))
		s.clears("c", seen, pipeline.ErrFenced)
		seen = s.meta()
		s.claim("b")
		s.clears("c", seen, pipeline.ErrFenced)
		s.holds("b", 20, "k", "twenty")
	},
}, {
	"clear of damaged state",
	"it is the way out of damage that no claim gets past",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten", "l", "ten", "m", big("x")))
		s.Lose(part, "k")
		s.LoseBlob(part, "m")
		s.clears("c", s.meta(), nil)
		if got, err := s.Store.Claim(s.ctx(), lease("d")); err != nil || got.Exists || got.Owner != "c" {
			s.t.Errorf("claim after a clear: %+v and error %v", got, err)
		}
	},
}, {
	"clear is of one partition",
	"the others are not asked about",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten"))
		elsewhere := lease("c")
		elsewhere.ID = 33
		if err := s.Admin.Clear(s.ctx(), elsewhere, virgin); err != nil {
			s.t.Error(err)
		}
		s.holds("a", 10, "k", "ten")
	},
}, {
	"unpin",
	"a group that is forgotten may begin again with another number of partitions",
	func(s *subject) {
		for _, n := range []int{4, 6} {
			if got, err := s.Store.Pin(s.ctx(), "shards", n); err != nil || got != n {
				s.t.Errorf("pin at %d: %d and error %v", n, got, err)
			}
			if err := s.Admin.Unpin(s.ctx(), "shards"); err != nil {
				s.t.Error(err)
			}
		}
	},
}}

// audits checks the counts, and that nothing is pending.
func (s *subject) audits(want pipeline.Audit) {
	s.t.Helper()
	got, err := s.Admin.Audit(s.ctx(), part)
	if len(got.Pending) > 0 {
		s.t.Errorf("pending: %s", strings.Join(got.Pending, " "))
	}
	got.Pending = nil
	if err != nil || !reflect.DeepEqual(got, want) || !got.Whole() {
		s.t.Errorf("audit: %+v and error %v, want %+v", got, err, want)
	}
}

func (s *subject) clears(token string, seen pipeline.Meta, want error) {
	s.t.Helper()
	if err := s.Admin.Clear(s.ctx(), lease(token), seen); !errors.Is(err, want) {
		s.t.Errorf("clear by %s: error %v, want %v", token, err, want)
	}
}
