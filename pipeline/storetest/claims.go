package storetest

import (
	"reflect"
	"slices"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

var virgin = pipeline.Meta{Watermark: -1, Last: pipeline.Last{Offset: -1}}

var claimCases = []testCase{{
	"virgin claim",
	"a partition without a checkpoint must look like one, or a worker starts from offset 0 of nothing",
	func(s *subject) {
		s.same("first claim", s.claim("a"), virgin)
		want := virgin
		want.Owner, want.Generation = "a", 7
		s.same("meta after a claim and before a save", s.meta(), want)
		s.holds("a", -1, "k", "")
	},
}, {
	"second claim",
	"the previous owner decides whether a cache may be kept",
	func(s *subject) {
		s.claim("a")
		if got := s.claim("b").Owner; got != "a" {
			s.t.Errorf("owner before the second claim: %q, want a", got)
		}
		if got := s.meta().Owner; got != "b" {
			s.t.Errorf("owner after the second claim: %q, want b", got)
		}
	},
}, {
	"claim of a virgin partition fences",
	"the owner counts before there is a checkpoint: two workers of a new group start at the same offset",
	func(s *subject) {
		s.claim("a")
		s.claim("b")
		s.saveIs("a", put(-1, 10, "k", "zombie"), pipeline.ErrFenced)
		s.loadIs("a", -1, "k", pipeline.ErrFenced)
		s.save("b", put(-1, 10, "k", "v"))
		s.holds("b", 10, "k", "v")
	},
}, {
	"nobody's lease",
	"a token that never claimed owns nothing, also where nobody does",
	func(s *subject) {
		s.saveIs("a", put(-1, 10, "k", "v"), pipeline.ErrFenced)
		s.loadIs("a", -1, "k", pipeline.ErrFenced)
		s.claim("b")
		s.save("b", put(-1, 10))
		s.saveIs("a", put(10, 11, "k", "v"), pipeline.ErrFenced)
		s.saveIs("a", put(-1, 11, "k", "v"), pipeline.ErrFenced)
	},
}, {
	"meta round trip",
	"every field decides something at the next claim",
	func(s *subject) {
		s.claim("a")
		c := put(-1, 1<<53+1, "k", "v", "l", "w")
		c.Origin, c.Topic, c.Last.Epoch = 17, "dG9waWM", 5
		c.Configured = []pipeline.Configured{{From: 17, Fingerprint: "f", Core: "c", Limits: `{"rows":1}`}, {From: 1 << 60, Fingerprint: "g"}}
		c.Gaps = []pipeline.Gap{{From: 3, To: 1<<53 + 1}}
		c.Weights = quota.Weights{Token: "a", At: c.To, Bytes: map[string]int64{"k": 1, "": 1<<53 + 1}}
		c.Minutes = quota.Minutes{At: c.To, By: map[string]quota.Minute{"k": {Begin: -1<<53 - 1, Made: 1<<53 + 1, Away: 7, Wary: true}, "": {}}}
		s.save("a", c)
		want := pipeline.Meta{Exists: true, Owner: "a", Generation: 7, Watermark: 1<<53 + 1, Origin: 17, Keys: 2, Weights: c.Weights, Minutes: c.Minutes,
			Topic: c.Topic, Last: c.Last, Configured: c.Configured, Gaps: c.Gaps, Format: pipeline.StateFormat}
		s.same("meta", s.meta(), want)
		s.same("meta of the next claim", s.claim("b"), want)
		next := put(1<<53+1, 1<<53+2)
		next.Origin = 99
		s.save("b", next)
		want.Owner, want.Watermark, want.Last = "b", next.To, next.Last
		s.same("a checkpoint without origin, topic, fingerprints, gaps, weights and minutes must leave them", s.meta(), want)
		next = put(next.To, next.To)
		next.Topic = "b3RoZXI"
		next.Configured = []pipeline.Configured{{From: 1, Fingerprint: "h"}}
		next.Gaps = []pipeline.Gap{{From: 1, To: 2}, {From: 3, To: 4}}
		s.save("b", next)
		if got := s.meta(); !reflect.DeepEqual(got.Configured, next.Configured) || !reflect.DeepEqual(got.Gaps, next.Gaps) || got.Topic != next.Topic || got.Keys != 2 {
			s.t.Errorf("a checkpoint that only sets topic, fingerprints and gaps: %+v", got)
		}
	},
}, {
	"zombie is fenced",
	"a worker that was thought dead wakes up: its token is gone, whatever the watermark",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten"))
		s.claim("b")
		s.saveIs("a", put(10, 20, "k", "zombie"), pipeline.ErrFenced)
		s.loadIs("a", 10, "k", pipeline.ErrFenced)
		s.save("b", put(10, 20, "k", "twenty"))
		s.saveIs("a", put(20, 30, "k", "zombie"), pipeline.ErrFenced)
		s.loadIs("a", 20, "k", pipeline.ErrFenced)
		if got := s.meta(); got.Watermark != 20 || got.Owner != "b" {
			s.t.Errorf("a fenced save left a trace: %+v", got)
		}
		s.holds("b", 20, "k", "twenty")
	},
}, {
	"store put back in time",
	"the owner of a store that lost its newest checkpoint must notice before it reads or writes anything",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten"))
		restore := s.Snapshot()
		s.save("a", put(10, 20, "k", "twenty", "l", "new"))
		s.holds("a", 20, "k", "twenty")
		restore()
		s.loadIs("a", 20, "k", pipeline.ErrFenced)
		s.saveIs("a", put(20, 30, "k", "thirty"), pipeline.ErrFenced)
		if got := s.claim("c"); got.Watermark != 10 || got.Keys != 1 {
			s.t.Errorf("claim after the rollback: %+v", got)
		}
		s.save("c", put(10, 20, "k", "twenty", "l", "new"))
		s.holds("c", 20, "l", "new")
	},
}, {
	"store put back before the claim",
	"a rollback can bring a former owner back; the present one must notice",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten"))
		restore := s.Snapshot()
		s.claim("b")
		restore()
		s.loadIs("b", 10, "k", pipeline.ErrFenced)
		s.saveIs("b", put(10, 20, "k", "x"), pipeline.ErrFenced)
	},
}, {
	"damaged count",
	"a value that vanished must never look like a key that never was: the model would start anew",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten", "l", "ten"))
		s.Lose(part, "k")
		s.saveIs("a", put(10, 20, "m", "x"), pipeline.ErrDamaged)
		if _, err := s.Store.Claim(s.ctx(), lease("b")); !isDamaged(err) {
			s.t.Errorf("claim: error %v, want damaged", err)
		}
		if got := s.meta(); got.Watermark != 10 || got.Owner != "a" {
			s.t.Errorf("a refused save or claim left a trace: %+v", got)
		}
	},
}, {
	"pin",
	"keys move when the number of partitions changes; the first count seen is the one that state was made under",
	func(s *subject) {
		other, _ := s.Sibling()
		for _, c := range []struct {
			store           pipeline.Store
			topic           string
			count, expected int
		}{{s.Store, "shards", 4, 4}, {s.Store, "shards", 6, 4}, {s.Store, "others", 6, 6}, {other, "shards", 8, 8}, {s.Store, "shards", 4, 4}} {
			if got, err := c.store.Pin(s.ctx(), c.topic, c.count); err != nil || got != c.expected {
				s.t.Errorf("pin %s at %d: %d and error %v, want %d", c.topic, c.count, got, err, c.expected)
			}
		}
	},
}, {
	"groups and partitions are apart",
	"two groups fold the same topic with different models",
	func(s *subject) {
		other, reader := s.Sibling()
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ours"))
		if got, err := other.Claim(s.ctx(), lease("b")); err != nil || !reflect.DeepEqual(got, virgin) {
			s.t.Errorf("claim by another group: %+v and error %v", got, err)
		}
		if err := other.Save(s.ctx(), lease("b"), put(-1, 5, "k", "theirs", "z", "theirs")); err != nil {
			s.t.Error(err)
		}
		elsewhere := lease("c")
		elsewhere.ID = 33
		if got, err := s.Store.Claim(s.ctx(), elsewhere); err != nil || !reflect.DeepEqual(got, virgin) {
			s.t.Errorf("claim of another partition: %+v and error %v", got, err)
		}
		s.holds("a", 10, "k", "ours")
		s.holds("a", 10, "z", "")
		if got, err := reader.Get(s.ctx(), part, "k"); err != nil || string(got) != "theirs" {
			s.t.Errorf("the other group reads %q and error %v", got, err)
		}
		if got, err := reader.Keys(s.ctx(), part, "", "", 10); err != nil || !slices.Equal(got, []string{"k", "z"}) {
			s.t.Errorf("the other group lists %q and error %v", got, err)
		}
		if got, err := s.Reader.Keys(s.ctx(), part, "", "", 10); err != nil || !slices.Equal(got, []string{"k"}) {
			s.t.Errorf("this group lists %q and error %v", got, err)
		}
	},
}}
