package redis

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// The names and shapes are what other programs and later versions find.
func TestLayout(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence")
		if _, err := s.Pin(t.Context(), "shards", 4); err != nil {
			t.Fatal(err)
		}
		for topic, want := range map[string]int{"shards": 4, "others": -1} {
			if l, err := s.Layout(t.Context(), topic); err != nil || l.Partitions != want {
				t.Errorf("%s is pinned at %d and error %v, want %d", topic, l.Partitions, err, want)
			}
		}
		claim(t, s, "tok")
		save(t, s, "tok", put(-1, 10, "small", "v", "large", big('x')))
		all := b.dump(t)
		delete(all, prefix+"keys") // its shape is read below
		want := map[string]any{
			"credence:{MkU3OEVBNTcwNTJENDM2Qk/credence/shards}:topic": map[string]string{"partitions": "4"},
			prefix + "meta": map[string]string{"owner": "tok", "gen": "7", "watermark": "10", "origin": "0", "keys": "2",
				"last": `{"offset":9,"time":0,"crc":0}`, "fingerprints": "null", "gaps": "null", "format": "1"},
			prefix + "state:73":          map[string]string{"small": "\x00v"},
			prefix + "state:78":          map[string]string{"large": "\x01tok:10"},
			prefix + "blob:large:tok:10": big('x'),
		}
		for name, value := range want {
			if !reflect.DeepEqual(all[name], value) {
				t.Errorf("%s: %.80q, want %.80q", name, all[name], value)
			}
			delete(all, name)
		}
		for name := range all {
			t.Errorf("%s was not expected", name)
		}
		zs, err := b.raw.ZRangeWithScores(t.Context(), prefix+"keys", 0, -1).Result()
		if err != nil || len(zs) != 2 || zs[0].Member != "large" || zs[0].Score != 0 || zs[1].Member != "small" {
			t.Errorf("keys: %v, error %v", zs, err)
		}
	})
}

// A replaced blob goes in the script that replaces its pointer, by whatever.
func TestReplacedBlobIsRemoved(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence")
		claim(t, s, "a")
		for i, c := range []struct {
			changes []string
			want    []string
		}{
			{[]string{"k", big('1'), "l", big('1'), "m", big('1')}, []string{"k:a:0", "l:a:0", "m:a:0"}},
			{[]string{"k", big('2')}, []string{"k:a:1", "l:a:0", "m:a:0"}},
			{[]string{"k", "small"}, []string{"l:a:0", "m:a:0"}},
			{[]string{"l", ""}, []string{"m:a:0"}},
			{[]string{"m", "\x01a:0"}, nil}, // looks like a pointer, and is a value
			{[]string{"m", big('3')}, []string{"m:a:5"}},
		} {
			save(t, s, "a", put(int64(i)-1, int64(i), c.changes...))
			var want []string
			for _, name := range c.want {
				want = append(want, prefix+"blob:"+name)
			}
			if got := b.named(t, "}:blob:"); !slices.Equal(got, want) {
				t.Errorf("after save %d: %q, want %q", i, got, want)
			}
			if got := b.named(t, "}:pending"); got != nil {
				t.Errorf("after save %d: pending is left", i)
			}
		}
	})
}

// A worker that dies between its blobs and its save leaves them to the next
// claim; what is pointed to stays.
func TestOrphansAreSweptByTheNextClaim(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		dying := b.store(t, "credence", &tap{match: runs(saveScript), before: func() error { return errCut }})
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", big('1'), "we:ird\x00{}", big('1')))
		err := dying.Save(t.Context(), lease("a"), put(10, 20, "k", big('2'), "we:ird\x00{}", big('2'), "new", big('2')))
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		if got := b.named(t, "}:blob:"); len(got) != 5 {
			t.Fatalf("the test wants 2 blobs and 3 orphans: %q", got)
		}
		claim(t, s, "b")
		if got := b.named(t, "}:blob:"); !slices.Equal(got, []string{prefix + "blob:k:a:10", prefix + "blob:we:ird\x00{}:a:10"}) {
			t.Errorf("blobs after the claim: %q", got)
		}
		if got := b.named(t, "}:pending"); got != nil {
			t.Error("pending is left")
		}
		holds(t, s, "b", 10, "k", big('1'))
	})
}

// An entry of pending that is pointed to is not an orphan, whoever left it.
func TestSweepSparesWhatIsPointedTo(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", big('1')))
		must(t, b.raw.SAdd(t.Context(), prefix+"pending", pendingEntry("k", "a:10")).Err())
		claim(t, s, "b")
		holds(t, s, "b", 10, "k", big('1'))
	})
}

// An attempt that did not come to an end leaves nothing behind the next save
// of the same worker.
func TestOwnLeftoversAreSweptByTheNextSave(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence", &tap{match: runs(saveScript), before: first(func() error { return errCut })})
		claim(t, s, "a")
		if err := s.Save(t.Context(), lease("a"), put(-1, 10, "k", big('1'), "l", big('1'))); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		save(t, s, "a", put(-1, 20, "k", big('2')))
		if got := b.named(t, "}:blob:"); !slices.Equal(got, []string{prefix + "blob:k:a:20"}) {
			t.Errorf("blobs: %q", got)
		}
	})
}

// A zombie that stops between announcement and blob and wakes up after the
// claim that swept it brings nothing back.
func TestZombieCannotBringABlobBack(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence")
		zombie := b.store(t, "credence", &tap{match: command("set"), before: first(func() error {
			_, err := s.Claim(t.Context(), lease("b"))
			return err
		})})
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", big('1')))
		if err := zombie.Save(t.Context(), lease("a"), put(10, 20, "k", big('2'), "l", big('2'))); !errors.Is(err, pipeline.ErrFenced) {
			t.Errorf("error %v, want fenced", err)
		}
		if got := b.named(t, "}:blob:"); !slices.Equal(got, []string{prefix + "blob:k:a:10"}) {
			t.Errorf("blobs: %q", got)
		}
		holds(t, s, "b", 10, "k", big('1'))
	})
}

// No pointer is written to a blob that the server lost meanwhile, be it gone or
// back to its announcement. It is an outage, and the next attempt succeeds.
func TestPointerNeedsItsBlob(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		for _, lose := range []func() error{
			func() error { return b.raw.Del(t.Context(), prefix+"blob:k:a:10").Err() },
			func() error { return b.raw.Set(t.Context(), prefix+"blob:k:a:10", "", 0).Err() },
		} {
			must(t, b.raw.FlushAll(t.Context()).Err())
			s := b.store(t, "credence", &tap{match: runs(saveScript), before: first(lose)})
			claim(t, s, "a")
			err := s.Save(t.Context(), lease("a"), put(-1, 10, "k", big('1')))
			if !errors.Is(err, errUnwritten) || errors.Is(err, pipeline.ErrFenced) || errors.Is(err, pipeline.ErrDamaged) {
				t.Errorf("error %v, want %v", err, errUnwritten)
			}
			if meta, err := s.Meta(t.Context(), part); err != nil || meta.Exists {
				t.Errorf("something was written: %+v, error %v", meta, err)
			}
			save(t, s, "a", put(-1, 10, "k", big('1')))
			holds(t, s, "a", 10, "k", big('1'))
		}
	})
}

// The blob that a save would have replaced stays when that save is refused for
// want of the new one: its pointer still stands.
func TestUnwrittenSaveLeavesTheOldBlob(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		before := b.store(t, "credence")
		claim(t, before, "a")
		save(t, before, "a", put(-1, 10, "k", big('1')))
		lose := func() error { return b.raw.Del(t.Context(), prefix+"blob:k:a:20").Err() }
		s := b.store(t, "credence", &tap{match: runs(saveScript), before: first(lose)})
		if err := s.Save(t.Context(), lease("a"), put(10, 20, "k", big('2'))); !errors.Is(err, errUnwritten) {
			t.Errorf("error %v, want %v", err, errUnwritten)
		}
		holds(t, before, "a", 10, "k", big('1'))
		save(t, s, "a", put(10, 20, "k", big('2')))
		holds(t, s, "a", 20, "k", big('2'))
	})
}

// A reader that loses the race with a save reads the new pointer.
func TestReaderFollowsAReplacedPointer(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		owner := b.store(t, "credence")
		reader := b.store(t, "credence", &tap{match: command("get"), before: first(func() error {
			return owner.Save(t.Context(), lease("a"), put(10, 20, "k", big('2')))
		})})
		claim(t, owner, "a")
		save(t, owner, "a", put(-1, 10, "k", big('1')))
		if got, err := reader.Get(t.Context(), part, "k"); err != nil || string(got) != big('2') {
			t.Errorf("%d bytes and error %v", len(got), err)
		}
	})
}

// An owner that loses its partition between pointer and blob is fenced: the
// missing blob is nobody's damage.
func TestLoadThatLosesItsLeaseIsFenced(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		next := b.store(t, "credence")
		s := b.store(t, "credence", &tap{match: command("get"), before: first(func() error {
			if _, err := next.Claim(t.Context(), lease("b")); err != nil {
				return err
			}
			return next.Save(t.Context(), lease("b"), put(10, 20, "k", ""))
		})})
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", big('1')))
		if _, err := s.Load(t.Context(), lease("a"), []int64{10}, []string{"k"}, 1); !errors.Is(err, pipeline.ErrFenced) {
			t.Errorf("error %v, want fenced", err)
		}
	})
}

// Damage names the key.
func TestDamageNamesTheKey(t *testing.T) {
	b := openMini(t)
	s := b.store(t, "credence")
	claim(t, s, "a")
	save(t, s, "a", put(-1, 10, "flights/ORD", big('1'), "odd", "v"))
	must(t, b.raw.Del(t.Context(), prefix+"blob:flights/ORD:a:10").Err())
	must(t, b.raw.HSet(t.Context(), prefix+"state:"+stamp(int64(bucket("odd"))), "odd", "\x02v").Err())
	for _, key := range []string{"flights/ORD", "odd"} {
		_, err := s.Load(t.Context(), lease("a"), []int64{10}, []string{key}, 1)
		if !errors.Is(err, pipeline.ErrDamaged) || !strings.Contains(err.Error(), `"`+key+`"`) || !strings.Contains(err.Error(), "shards/3") {
			t.Errorf("error %v", err)
		}
	}
}

// A zombie's save writes nothing at all, not even an announcement.
func TestFencedSaveLeavesNoBlob(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", big('1')))
		claim(t, s, "b")
		before := b.dump(t)
		for _, c := range []struct {
			token string
			from  int64
		}{{"a", 10}, {"b", 9}} {
			if err := s.Save(t.Context(), lease(c.token), put(c.from, 20, "k", big('2'))); !errors.Is(err, pipeline.ErrFenced) {
				t.Errorf("save by %s from %d: error %v, want fenced", c.token, c.from, err)
			}
			if after := b.dump(t); !reflect.DeepEqual(after, before) {
				t.Errorf("save by %s from %d left %q", c.token, c.from, b.named(t, ""))
			}
		}
	})
}

// A blob that is away for a moment, as when the store is put back between
// pointer and blob, is not damage.
func TestBlobIsLookedForTwice(t *testing.T) {
	b := openMini(t)
	name := prefix + "blob:k:a:10"
	away := func() error { return b.raw.Rename(t.Context(), name, "away").Err() }
	back := func() error { return b.raw.Rename(t.Context(), "away", name).Err() }
	steps := []func() error{away, back}
	s := b.store(t, "credence", &tap{match: command("get"), before: func() error {
		if len(steps) == 0 {
			return nil
		}
		step := steps[0]
		steps = steps[1:]
		return step()
	}})
	claim(t, s, "a")
	save(t, s, "a", put(-1, 10, "k", big('1')))
	holds(t, s, "a", 10, "k", big('1'))
	if len(steps) > 0 {
		t.Error("the blob was not away")
	}
}

// written notes the bytes of values that SET writes.
type written struct{ bytes int }

func (w *written) DialHook(next goredis.DialHook) goredis.DialHook          { return next }
func (w *written) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }
func (w *written) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		for _, cmd := range cmds {
			if value, ok := cmd.Args()[min(2, len(cmd.Args())-1)].([]byte); ok && cmd.Name() == "set" {
				w.bytes += len(value)
			}
		}
		return next(ctx, cmds)
	}
}

// A save that a slow server keeps from coming to its end goes on where it was: what was written is not written again, and
// less is sent at once.
func TestSaveGoesOnWhereItWas(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		pipelines, all := 0, &written{}
		s := b.store(t, "credence", &tap{match: command("set"), before: func() error {
			if pipelines++; pipelines == 4 || pipelines == 5 {
				return &overdueError{err: os.ErrDeadlineExceeded}
			}
			return nil
		}}, all)
		claim(t, s, "a")
		keys, list := changes(20, 300<<10)
		check := put(-1, 10)
		check.Changes = list
		for attempt := range 2 {
			if err := s.Save(t.Context(), lease("a"), check); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("attempt %d: error %v", attempt, err)
			}
		}
		if room := s.room(); room != scriptBytes/4 {
			t.Errorf("room for %d bytes, want a quarter of %d", room, scriptBytes)
		}
		save(t, s, "a", check)
		if sum := 20 * 300 << 10; all.bytes != sum {
			t.Errorf("%d bytes of values were written, want each once: %d", all.bytes, sum)
		}
		for i, v := range loadAll(t, s, 10, keys) {
			if string(v) != string(list[i].Value) {
				t.Errorf("key %s holds %d bytes that were not saved", keys[i], len(v))
			}
		}
		if room := s.room(); room != scriptBytes {
			t.Errorf("room for %d bytes afterwards, want %d", room, scriptBytes)
		}
	})
}

// What an attempt left under the name of a blob is written again where it is anything else.
func TestAnotherValueUnderABlobsName(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence", &tap{match: runs(saveScript), before: first(func() error { return errCut })})
		claim(t, s, "a")
		if err := s.Save(t.Context(), lease("a"), put(-1, 10, "k", big('1'))); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		save(t, s, "a", put(-1, 10, "k", big('2')))
		holds(t, s, "a", 10, "k", big('2'))
	})
}
