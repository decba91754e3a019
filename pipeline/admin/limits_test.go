package admin_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/quota"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// limited are rules under a limit of the keys that begin with k, none for 0.
func limited(t *testing.T, keys int64) *pipeline.Rules {
	t.Helper()
	return under(t, quota.Limit{Keys: keys})
}

// paced are rules under a limit of those of them that are made in a minute.
func paced(t *testing.T, keys int64) *pipeline.Rules {
	t.Helper()
	return under(t, quota.Limit{PerMinute: keys})
}

// sized are rules under a limit of their states, which is larger where more keys are allowed.
func sized(t *testing.T, keys int64) *pipeline.Rules {
	t.Helper()
	if keys == 0 {
		return limited(t, 0)
	}
	return under(t, quota.Limit{KeyBytes: 400 + 200*keys})
}

// spread gives records times some seconds apart, of which some are wild.
func spread(seed uint64, log []pipeline.Record) []pipeline.Record {
	rng, now := rand.New(rand.NewPCG(seed, 61)), int64(1e12)
	for i := range log {
		now += rng.Int64N(5_000)
		log[i].Time = now
		if rng.IntN(20) == 0 {
			log[i].Time = [...]int64{0, now - 1e9, now + 1e9, 1e15}[rng.IntN(4)]
		}
	}
	return log
}

func under(t *testing.T, limit quota.Limit) *pipeline.Rules {
	t.Helper()
	if limit.Prefix = "k"; !limit.Limits() {
		return pipelinetest.Limited(t)
	}
	return pipelinetest.Limited(t, limit)
}

// TestVerifierMeetsLimits: what is recomputed meets the limits where a worker met them, in one
// pass and in as many as there are keys, also those that were in force for a while, and the past
// of every key is what a worker had stored by then.
func TestVerifierMeetsLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fewer [4]int // of states under each limit
		for seed := range uint64(12) {
			limited := limited
			switch seed % 4 {
			case 1:
				limited = func(t *testing.T, keys int64) *pipeline.Rules { return paced(t, (keys+1)/2) }
			case 2:
				limited = sized
			case 3:
				limited = func(t *testing.T, keys int64) *pipeline.Rules {
					return under(t, quota.Limit{KeyBytes: 1000, Bytes: 1000 * keys})
				}
			}
			log := spread(seed, pipelinetest.Records(seed, 400))
			k, store := &pipelinetest.Kafka{}, storetest.NewMemory()
			var rules *pipeline.Rules
			for i, keys := range []int64{3, 0, 2, 5} { // raised, taken away, lowered
				rules = limited(t, keys)
				k.Set(func(k *pipelinetest.Kafka) { k.Log = log[:100*(i+1)] })
				worked(t, k, store, rules)
			}
			free := storetest.NewMemory()
			worked(t, &pipelinetest.Kafka{Log: log}, free, limited(t, 0))
			meta, err := store.Meta(t.Context(), inPart)
			if err != nil || len(meta.Configured) != 4 {
				t.Fatalf("%d configurations, error %v", len(meta.Configured), err)
			}
			for _, memory := range []int64{1 << 30, 8 << 10, 1} {
				got, wrong := verify(t, k, store, rules, memory)
				if got.Keys != meta.Keys || len(wrong) > 0 || got.Trimmed > 0 {
					t.Errorf("seed %d, %d bytes: %+v of %d keys, %q", seed, memory, got, meta.Keys, wrong)
				}
			}
			for i := range 8 {
				key := fmt.Sprintf("k%d", i)
				want, err := store.Get(t.Context(), inPart, key)
				if err != nil {
					t.Fatal(err)
				}
				got, err := past(k, store, rules).At(t.Context(), inPart, key, 400)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("seed %d: the past of %s has %d bytes and error %v, stored are %d", seed, key, len(got), err, len(want))
				}
				if without, err := free.Get(t.Context(), inPart, key); err != nil || !bytes.Equal(want, without) {
					fewer[seed%4]++
				}
			}
		}
		if slices.Min(fewer[:]) < 3 {
			t.Errorf("%d states differ from those without limits", fewer)
		}
	})
}

// TestVerifierOfLimitsOnATrimmedLog: which keys there were, and how large, is not told by a part of the log, so
// no state under a limit is called wrong.
func TestVerifierOfLimitsOnATrimmedLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(12) {
			k, store, rules := &pipelinetest.Kafka{Log: spread(seed, pipelinetest.Records(seed, 400))}, storetest.NewMemory(), limited(t, 3)
			switch seed % 3 {
			case 1:
				rules = paced(t, 1)
			case 2:
				rules = sized(t, 3)
			}
			worked(t, k, store, rules)
			k.Set(func(k *pipelinetest.Kafka) { k.Start = 250 })
			if got, wrong := verify(t, k, store, rules, 1<<30); len(wrong) > 0 {
				t.Errorf("seed %d: %+v, %q", seed, got, wrong)
			}
		}
	})
}

// TestVerifierOfLimitsInAnotherEra: a key that a limit refused in the partition that it had before
// the topic was rescaled is not called wrong in the one that it has now, also where there is no
// limit any more; and what is decided after the rescaling goes by the keys that came along.
func TestVerifierOfLimitsInAnotherEra(t *testing.T) {
	for _, after := range []int64{0, 2} {
		synctest.Test(t, func(t *testing.T) {
			records := pipelinetest.Records(11, 600)
			l, store, free := newTopic(1), storetest.NewMemory(), storetest.NewMemory()
			l.send(records[:350])
			l.work(t, free, limited(t, 0))
			l.work(t, store, limited(t, 5))
			before := states(t, store, 1)
			if all := states(t, free, 1); len(before) >= len(all) {
				t.Fatalf("%d keys under the limit, %d without", len(before), len(all))
			}
			rules := limited(t, after)
			if err := l.rescale(t, store, rules, 5).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			told := func() (all admin.Verified) {
				layout, err := store.Layout(t.Context(), "in")
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range l.parts {
					got, err := verifierOf(l, layout, store, rules, 1<<30).Verify(t.Context(), pipeline.Partition{Topic: "in", ID: k.ID}, func(m admin.Mismatch) error {
						t.Errorf("limit %d: %s@%d of %s: %s", after, m.Key, m.Offset, m.Partition, m.What)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					all.Keys, all.Trimmed = all.Keys+got.Keys, all.Trimmed+got.Trimmed
				}
				return all
			}
			if got := told(); got.Keys == 0 || got.Trimmed == 0 {
				t.Errorf("limit %d: %+v, some keys can be verified and some cannot", after, got)
			}
			// A partition that is full of keys that came along takes no new one.
			full := map[int32]int{}
			for key := range before {
				full[home([]byte(key), 5)]++
			}
			l.send(records[350:])
			l.work(t, store, rules)
			refused := 0
			for _, k := range l.parts {
				meta, err := store.Meta(t.Context(), pipeline.Partition{Topic: "in", ID: k.ID})
				if err != nil {
					t.Fatal(err)
				}
				if after > 0 && meta.Keys > max(after, int64(full[k.ID])) {
					t.Errorf("partition %d has %d keys, %d came along, and the limit is %d", k.ID, meta.Keys, full[k.ID], after)
				}
				for _, o := range k.Sent {
					for _, h := range o.Headers {
						if h.Key == "stage" && string(h.Value) == string(pipeline.StageLimit) {
							refused++
						}
					}
				}
			}
			t.Logf("limit %d: %d keys of %v came along, %d refused in all", after, len(before), full, refused)
			told()
		})
	}
}

// TestRebuiltUnderALimit: a partition that is reset under another limit is as one that had it from
// the start, and one that was imported goes on as the one it was exported from, with as many keys
// as its limit left it.
func TestRebuiltUnderALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(12) {
			limited := []func(*testing.T, int64) *pipeline.Rules{limited, paced, sized}[seed%3]
			log := spread(seed, pipelinetest.Records(seed, 400))
			k, store := &pipelinetest.Kafka{Log: log}, storetest.NewMemory()
			worked(t, k, store, limited(t, 5))
			meta, err := store.Meta(t.Context(), inPart)
			if err != nil {
				t.Fatal(err)
			}
			lower := limited(t, 2)
			if err := admin.Reset(t.Context(), store, store, inPart, meta, lower); err != nil {
				t.Fatal(err)
			}
			worked(t, k, store, lower)
			always := storetest.NewMemory()
			worked(t, &pipelinetest.Kafka{Log: log}, always, lower)
			same(t, fmt.Sprintf("seed %d, reset", seed), store, always)
			if _, wrong := verify(t, k, store, lower, 1<<30); len(wrong) > 0 {
				t.Errorf("seed %d: %q", seed, wrong)
			}

			k, from, into := &pipelinetest.Kafka{Log: log[:200]}, storetest.NewMemory(), storetest.NewMemory()
			worked(t, k, from, lower)
			c, err := collect(t, from, 1, func() {})
			if err != nil {
				t.Fatal(err)
			}
			if err := putIn(t.Context(), into, c, 0); err != nil {
				t.Fatal(err)
			}
			for _, s := range []*storetest.Memory{from, into} {
				worked(t, &pipelinetest.Kafka{Log: log}, s, lower)
			}
			same(t, fmt.Sprintf("seed %d, imported", seed), into, from)
		}
	})
}

// same compares all that is stored of keys.
func same(t *testing.T, what string, a, b *storetest.Memory) {
	t.Helper()
	one, err := collect(t, a, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	other, err := collect(t, b, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if len(one.keys) == 0 || !maps.EqualFunc(one.values, other.values, func(a, b pipeline.Stored) bool { return bytes.Equal(a, b) }) {
		t.Errorf("%s: %d keys, and %d", what, len(one.keys), len(other.keys))
	}
}

// TestMinutesAreImported: a partition that is imported goes on in the minute that the one was in
// which it was exported from. Where an export does not tell it, that a minute begins anew is
// recorded, so that whoever recomputes begins it there, too.
func TestMinutesAreImported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := 0
		for seed := range uint64(12) {
			log := spread(seed, pipelinetest.Records(seed, 400))
			for i := range log[:250] {
				log[i].Time = 1e12 // one minute, in which no key may be made any more
			}
			rules := paced(t, 2)
			k, from, into, without := &pipelinetest.Kafka{Log: log[:200]}, storetest.NewMemory(), storetest.NewMemory(), storetest.NewMemory()
			worked(t, k, from, rules)
			c, err := collect(t, from, 1, func() {})
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range []*storetest.Memory{into, without} {
				if err := putIn(t.Context(), to, c, 0); err != nil {
					t.Fatal(err)
				}
				c.Minutes = quota.Minutes{}
			}
			k.Set(func(k *pipelinetest.Kafka) { k.Log = log })
			for i, s := range []*storetest.Memory{from, into, without} {
				worked(t, k, s, rules)
				meta, err := s.Meta(t.Context(), inPart)
				if err != nil || len(meta.Configured) != 1+i/2 {
					t.Errorf("seed %d: configurations %+v, error %v", seed, meta.Configured, err)
				}
				if got, wrong := verify(t, k, s, rules, 1<<30); got.Keys != meta.Keys || len(wrong) > 0 {
					t.Errorf("seed %d, store %d: %+v of %d keys, %q", seed, i, got, meta.Keys, wrong)
				}
			}
			same(t, fmt.Sprintf("seed %d, imported", seed), into, from)
			if a, b := keysOf(t, from), keysOf(t, without); !maps.EqualFunc(a, b, func(a, b pipeline.Stored) bool { return bytes.Equal(a, b) }) {
				other++
			}
		}
		if other < 3 {
			t.Errorf("%d partitions are other ones without the minute", other)
		}
	})
}

// keysOf returns all that is stored of keys.
func keysOf(t *testing.T, s *storetest.Memory) map[string]pipeline.Stored {
	t.Helper()
	c, err := collect(t, s, 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return c.values
}

// distinct are records of one time, each of a key of its own.
func distinct(names string, ms int64, n int) (log []pipeline.Record) {
	rng := rand.New(rand.NewPCG(61, 62))
	for i := range n {
		log = append(log, pipeline.Record{Offset: int64(i), Time: ms, Key: fmt.Appendf(nil, "k%s%d", names, i), Value: pipelinetest.Shard(rng)})
	}
	return log
}

// TestRescaledMinutes: in a minute in which no key may be made any more the partitions that were
// there take none after the topic was rescaled either, and nothing is recorded of it; a new
// partition begins the minute with none.
func TestRescaledMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const now, most, from, to = 1_764_158_400_000, 3, 2, 5
		l, store, rules := newTopic(from), storetest.NewMemory(), paced(t, most)
		send := func(names string, ms int64) {
			l.send(distinct(names, ms, 100))
		}
		send("a", now)
		l.work(t, store, rules)
		if err := l.rescale(t, store, rules, to).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		count := func() (all [to]int64) {
			for id := range all {
				meta, err := store.Meta(t.Context(), pipeline.Partition{Topic: "in", ID: int32(id)})
				if err != nil || len(meta.Configured) != 1 {
					t.Errorf("partition %d: configurations %+v, error %v", id, meta.Configured, err)
				}
				all[id] = meta.Keys
			}
			return all
		}
		was := count()
		for i, want := range [][2]int64{{0, most}, {most, most}} { // keys made in a former and in a new partition
			send(string(rune('b'+i)), now+int64(i)*60_000)
			l.work(t, store, rules)
			is := count()
			for id := range is {
				n := want[0]
				if id >= from {
					n = want[1]
				}
				if is[id]-was[id] != n {
					t.Errorf("minute %d: partition %d has %d keys and had %d, want %d more", i, id, is[id], was[id], n)
				}
			}
			was = is
		}
	})
}

// TestMinutesOfAnotherRelease: where a release that knows no minutes has gone on, those that are
// stored are of another watermark, and begin anew.
func TestMinutesOfAnotherRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, rules, store := distinct("", 1e12, 400), paced(t, 2), storetest.NewMemory()
		k := &pipelinetest.Kafka{Log: log[:200]}
		worked(t, k, store, rules)
		lease := pipeline.NewLease(inPart)
		meta, err := store.Claim(t.Context(), lease)
		if err == nil { // it has applied a record that left nothing
			log[200].Key = nil
			err = store.Save(t.Context(), lease, pipeline.Checkpoint{From: 200, To: 201, Last: pipeline.LastOf(&log[200])})
		}
		if err != nil || meta.Keys != 2 || meta.Minutes.By["k"].Made < 2 {
			t.Fatalf("%+v, error %v", meta, err)
		}
		k.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		worked(t, k, store, rules)
		if meta, err = store.Meta(t.Context(), inPart); err != nil || len(meta.Configured) != 2 || meta.Configured[1].From != 201 || meta.Keys != 4 {
			t.Errorf("%+v, error %v", meta, err)
		}
		if got, wrong := verify(t, k, store, rules, 1<<30); got.Keys != meta.Keys || len(wrong) > 0 {
			t.Errorf("%+v of %d keys, %q", got, meta.Keys, wrong)
		}
	})
}
