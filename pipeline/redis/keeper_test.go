package redis

import (
	"context"
	"errors"
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
	must(t, s.Clear(t.Context(), pipeline.Lease{Partition: part, Token: "c", Generation: 1}, meta))
	keys, err := b.raw.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 1 || keys[0] != prefix+"meta" {
		t.Errorf("keys after a clear: %q and error %v", keys, err)
	}
}
