package redis

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// Nothing of a cleared partition stays on the server, neither blobs that are
// pointed to nor those that a dead worker announced.
func TestClearLeavesNothingBehind(t *testing.T) {
	b := openMini(t)
	s := b.store(t, "credence")
	claim(t, s, "a")
	save(t, s, "a", put(-1, 10, "k", "small", "m:1", big(1)))
	// A save that ends between blob and script leaves its blob pending.
	ctx, cancel := context.WithCancel(t.Context())
	s.client.AddHook(&tap{match: runs(saveScript), before: func() error { cancel(); return errCut }})
	if err := s.Save(ctx, lease("a"), put(10, 20, "n", big(2))); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	a, err := s.Audit(t.Context(), part)
	if err != nil || len(a.Pending) != 1 {
		t.Fatalf("audit: %+v and error %v, want one pending blob", a, err)
	}
	meta, err := s.Meta(t.Context(), part)
	must(t, err)
	// Cut off while it removes what it has put aside, it has cleared all the
	// same, and the next one finishes.
	drops, away := 0, &tap{match: runs(dropScript)}
	away.before = func() error {
		if drops++; drops > 100 {
			return errCut
		}
		return nil
	}
	s.client.AddHook(away)
	if err := s.Clear(t.Context(), pipeline.Lease{Partition: part, Token: "c", Generation: 1}, meta); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	meta, err = s.Meta(t.Context(), part)
	if a, aerr := s.Audit(t.Context(), part); err != nil || aerr != nil || meta.Exists || meta.Owner != "c" || !a.Whole() || a.Held+int64(len(a.Pending)) != 0 {
		t.Errorf("after half a clear: %+v, %+v and errors %v, %v", meta, a, err, aerr)
	}
	if len(b.named(t, "blob:")) == 0 {
		t.Fatal("the blobs were gone already: this test shows too little")
	}
	drops = -1000
	must(t, s.Clear(t.Context(), pipeline.Lease{Partition: part, Token: "d", Generation: 1}, meta))
	keys, err := b.raw.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 1 || keys[0] != prefix+"meta" {
		t.Errorf("keys after a clear: %q and error %v", keys, err)
	}
}

// What a clear does in its one script that must be of one moment is the same
// for many keys as for few, by the server's own count of commands.
func TestClearTakesNoLongerForManyKeys(t *testing.T) {
	b := openServer(t)
	s := b.store(t, "credence")
	s.client.AddHook(&tap{match: runs(dropScript), before: func() error { return errCut }})
	calls := func(keys int) int {
		claim(t, s, "a")
		c := put(-1, 10)
		for i := range keys {
			c.Changes = append(c.Changes, pipeline.Change{Key: fmt.Sprintf("flights/%d", i), Value: pipeline.Stored("small")})
		}
		save(t, s, "a", c)
		meta, err := s.Meta(t.Context(), part)
		must(t, err)
		must(t, b.raw.ConfigResetStat(t.Context()).Err())
		if err := s.Clear(t.Context(), pipeline.Lease{Partition: part, Token: fmt.Sprintf("c%d", keys), Generation: 1}, meta); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		stats, err := b.raw.Info(t.Context(), "commandstats").Result()
		must(t, err)
		sum := 0
		for _, m := range regexp.MustCompile(`:calls=(\d+)`).FindAllStringSubmatch(stats, -1) {
			n, err := strconv.Atoi(m[1])
			must(t, err)
			sum += n
		}
		return sum
	}
	// All 256 hashes are there in both.
	if few, many := calls(5_000), calls(10_000); few < 256 || many > few+10 {
		t.Errorf("%d commands for 5,000 keys, %d for 10,000", few, many)
	}
}

// An audit answers with more pending blobs than Lua's stack takes at once.
func TestAuditOfManyPending(t *testing.T) {
	const n = 20_000
	b := openServer(t)
	s := b.store(t, "credence")
	claim(t, s, "a")
	entries := make([]any, n)
	for i := range entries {
		entries[i] = fmt.Sprintf("0:%d:a:%d", i, i)
	}
	must(t, b.raw.SAdd(t.Context(), prefix+"pending", entries...).Err())
	if a, err := s.Audit(t.Context(), part); err != nil || len(a.Pending) != n || !a.Whole() {
		t.Errorf("%d pending and error %v, want %d", len(a.Pending), err, n)
	}
}
