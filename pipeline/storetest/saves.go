package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/credence-stream/credence/pipeline"
)

func isDamaged(err error) bool { return errors.Is(err, pipeline.ErrDamaged) }

var saveCases = []testCase{{
	"wrong from",
	"a state is a function of the log below the watermark: a checkpoint made from another one is wrong",
	func(s *subject) {
		s.claim("a")
		s.saveIs("a", put(0, 5, "k", "x"), pipeline.ErrFenced)
		s.save("a", put(-1, 10, "k", "ten"))
		for _, from := range []int64{-1, 0, 9, 11, 100} {
			s.saveIs("a", put(from, 200, "k", "x", "l", "x"), pipeline.ErrFenced)
		}
		s.holds("a", 10, "k", "ten")
		s.holds("a", 10, "l", "")
		if got := s.meta(); got.Watermark != 10 || got.Keys != 1 {
			s.t.Errorf("a fenced save left a trace: %+v", got)
		}
	},
}, {
	"repeat of an applied save",
	"after a lost reply the same checkpoint may be sent again; applied twice it must not be",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten"))
		s.saveIs("a", put(-1, 10, "k", "ten"), pipeline.ErrFenced)
		s.save("a", put(10, 20, "k", ""))
		s.saveIs("a", put(10, 20, "k", ""), pipeline.ErrFenced)
		s.holds("a", 20, "k", "")
	},
}, {
	"impossible checkpoints",
	"a mistake of the caller is neither a fence nor a damage: it must not start a replay",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten"))
		for _, c := range []pipeline.Checkpoint{put(10, 9), put(10, 10, "k", "x"), put(-2, 11), put(-1, -1)} {
			err := s.Store.Save(s.ctx(), lease("a"), c)
			if err == nil || isDamaged(err) || errors.Is(err, pipeline.ErrFenced) {
				s.t.Errorf("save from %d to %d with %d changes: error %v", c.From, c.To, len(c.Changes), err)
			}
		}
		s.holds("a", 10, "k", "ten")
	},
}, {
	"load under two watermarks",
	"while a checkpoint is under way either watermark is this worker's own",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "v"))
		for _, watermarks := range [][]int64{{10}, {10, 20}, {0, 10}} {
			if _, err := s.Store.Load(s.ctx(), lease("a"), watermarks, []string{"k"}); err != nil {
				s.t.Errorf("load under %v: %v", watermarks, err)
			}
		}
		for _, watermarks := range [][]int64{{}, {-1}, {9, 11}, {1, 0}} {
			if _, err := s.Store.Load(s.ctx(), lease("a"), watermarks, []string{"k"}); !errors.Is(err, pipeline.ErrFenced) {
				s.t.Errorf("load under %v at watermark 10: error %v, want fenced", watermarks, err)
			}
		}
	},
}, {
	"load without keys",
	"a worker looks at its lease before it publishes",
	func(s *subject) {
		s.claim("a")
		if got, err := s.Store.Load(s.ctx(), lease("a"), []int64{-1}, nil); err != nil || len(got) != 0 {
			s.t.Errorf("owner: %v and error %v", got, err)
		}
		s.claim("b")
		if _, err := s.Store.Load(s.ctx(), lease("a"), []int64{-1}, nil); !errors.Is(err, pipeline.ErrFenced) {
			s.t.Errorf("zombie: error %v, want fenced", err)
		}
	},
}, {
	"load keeps the order",
	"the values answer the keys by place",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "1", "l", "2", "m", "3"))
		got, err := s.Store.Load(s.ctx(), lease("a"), []int64{10}, []string{"m", "none", "k", "l", "m"})
		want := []pipeline.Stored{pipeline.Stored("3"), nil, pipeline.Stored("1"), pipeline.Stored("2"), pipeline.Stored("3")}
		if err != nil || !reflect.DeepEqual(got, want) {
			s.t.Errorf("%q and error %v, want %q", got, err, want)
		}
	},
}, {
	"delete",
	"after a tombstone a key starts again; what is absent must be absent, and countable",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "v", "l", "w"))
		s.save("a", put(10, 20, "k", "", "never", ""))
		s.holds("a", 20, "k", "")
		s.holds("a", 20, "l", "w")
		if got := s.meta().Keys; got != 1 {
			s.t.Errorf("%d keys counted, want 1", got)
		}
		s.save("a", put(20, 30, "k", "again"))
		s.holds("a", 30, "k", "again")
		s.save("a", put(30, 40, "k", "", "l", ""))
		if got := s.meta(); got.Keys != 0 || !got.Exists {
			s.t.Errorf("after the last key went: %+v", got)
		}
		s.claim("b")
	},
}, {
	"empty value",
	"a value of no bytes is a value: only nil deletes",
	func(s *subject) {
		s.claim("a")
		c := put(-1, 10)
		c.Changes = []pipeline.Change{{Key: "k", Value: pipeline.Stored{}}}
		s.save("a", c)
		got, err := s.Store.Load(s.ctx(), lease("a"), []int64{10}, []string{"k"})
		if err != nil || got[0] == nil || len(got[0]) != 0 || s.meta().Keys != 1 {
			s.t.Errorf("%v and error %v, %d keys", got, err, s.meta().Keys)
		}
	},
}, {
	"5,000 changes at once",
	"a checkpoint of many small states is one compare-and-set, larger than Lua's stack",
	func(s *subject) {
		const n = 5000
		s.claim("a")
		c := put(-1, 10)
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("key/%04d", i)
			c.Changes = append(c.Changes, pipeline.Change{Key: keys[i], Value: pipeline.Stored(fmt.Sprintf("value %d", i))})
		}
		s.save("a", c)
		if got := s.meta().Keys; got != n {
			s.t.Fatalf("%d keys counted, want %d", got, n)
		}
		values, err := s.Store.Load(s.ctx(), lease("a"), []int64{10}, keys)
		if err != nil {
			s.t.Fatal(err)
		}
		for i, v := range values {
			if string(v) != fmt.Sprintf("value %d", i) {
				s.t.Fatalf("key %d holds %q", i, v)
			}
		}
		if got, err := s.Reader.Keys(s.ctx(), part, "", "", n+1); err != nil || !slices.Equal(got, keys) {
			s.t.Fatalf("%d keys listed in order, error %v", len(got), err)
		}
		next := put(10, 20)
		for i := range keys {
			change := pipeline.Change{Key: keys[i]}
			if i%2 == 0 {
				change.Value = pipeline.Stored("odd ones go")
			}
			next.Changes = append(next.Changes, change)
		}
		s.save("a", next)
		if got := s.meta().Keys; got != n/2 {
			s.t.Errorf("%d keys counted after half was deleted, want %d", got, n/2)
		}
		s.claim("b")
	},
}}
