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
			if _, err := s.Store.Load(s.ctx(), lease("a"), watermarks, []string{"k"}, 1); err != nil {
				s.t.Errorf("load under %v: %v", watermarks, err)
			}
		}
		for _, watermarks := range [][]int64{{}, {-1}, {9, 11}, {1, 0}} {
			if _, err := s.Store.Load(s.ctx(), lease("a"), watermarks, []string{"k"}, 1); !errors.Is(err, pipeline.ErrFenced) {
				s.t.Errorf("load under %v at watermark 10: error %v, want fenced", watermarks, err)
			}
		}
	},
}, {
	"load without keys",
	"a worker looks at its lease before it publishes",
	func(s *subject) {
		s.claim("a")
		if got, err := s.Store.Load(s.ctx(), lease("a"), []int64{-1}, nil, 0); err != nil || len(got) != 0 {
			s.t.Errorf("owner: %v and error %v", got, err)
		}
		s.claim("b")
		if _, err := s.Store.Load(s.ctx(), lease("a"), []int64{-1}, nil, 0); !errors.Is(err, pipeline.ErrFenced) {
			s.t.Errorf("zombie: error %v, want fenced", err)
		}
	},
}, {
	"load keeps the order",
	"the values answer the keys by place",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "1", "l", "2", "m", "3"))
		got := s.load("a", 10, []string{"m", "none", "k", "l", "m"})
		want := []pipeline.Stored{pipeline.Stored("3"), nil, pipeline.Stored("1"), pipeline.Stored("2"), pipeline.Stored("3")}
		if !reflect.DeepEqual(got, want) {
			s.t.Errorf("%q, want %q", got, want)
		}
	},
}, {
	"load in parts",
	"a worker bounds what it holds by bytes, which only the store knows before",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "1234567890", "l", "1234567890", "m", "1234567890", "n", big("x"), "o", big("y"), "p", "1"))
		for _, c := range []struct {
			keys  []string
			bytes int64
			most  int
		}{
			{[]string{"k", "l", "m"}, 0, 1},
			{[]string{"k", "l", "m"}, 25, 2},
			{[]string{"k", "none", "l", "m"}, 25, 3},
			{[]string{"k", "n", "l"}, BigBytes, 1},
			{[]string{"n", "o"}, 10, 1},
			{[]string{"n", "k"}, 10, 1},
		} {
			got, err := s.Store.Load(s.ctx(), lease("a"), []int64{10}, c.keys, c.bytes)
			if err != nil || len(got) < 1 || len(got) > c.most {
				s.t.Errorf("%q in %d bytes: %d values and error %v, want 1 to %d", c.keys, c.bytes, len(got), err, c.most)
			}
		}
		all := s.load("a", 10, []string{"n", "k", "o", "none", "p", "n"})
		for i, want := range []string{big("x"), "1234567890", big("y"), "", "1", big("x")} {
			if string(all[i]) != want {
				s.t.Errorf("value %d: %s, want %s", i, show(string(all[i])), show(want))
			}
		}
	},
}, {
	"many large changes",
	"a checkpoint is one compare-and-set, also where its values do not fit into one call",
	func(s *subject) {
		s.claim("a")
		keys := make([]string, 40)
		value := func(round, i int) string { return big(fmt.Sprint(round, " of ", i))[:1000*(i+round)] }
		for round := range 3 { // what was large is small in the next, and the other way round
			c := put(int64(round)-1, int64(round))
			for i := range keys {
				keys[i] = fmt.Sprintf("key/%02d", i)
				size := i
				if round == 1 {
					size = len(keys) - 1 - i
				}
				c.Changes = append(c.Changes, pipeline.Change{Key: keys[i], Value: pipeline.Stored(value(round+1, 3*size))})
			}
			s.save("a", c)
			for i, v := range s.load("a", c.To, keys) {
				if string(v) != string(c.Changes[i].Value) {
					s.t.Errorf("round %d, key %s: %s, want %s", round, keys[i], show(string(v)), show(string(c.Changes[i].Value)))
				}
			}
			s.saveIs("a", c, pipeline.ErrFenced)
		}
		if got := s.claim("b").Keys; got != int64(len(keys)) {
			s.t.Errorf("%d keys counted, want %d", got, len(keys))
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
		got, err := s.Store.Load(s.ctx(), lease("a"), []int64{10}, []string{"k"}, 1)
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
		for i, v := range s.load("a", 10, keys) {
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
