package admin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// A walk with values read ahead finds what one without does, errors included,
// in a fraction of the calls.
func TestAheadReadsTheSame(t *testing.T) {
	store := storetest.NewMemory()
	lease := pipeline.NewLease(inPart)
	if _, err := store.Claim(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	c := pipeline.Checkpoint{From: -1, To: 10}
	for i := range 300 {
		size := 10 + i
		if i%50 == 49 {
			size = 700 << 10
		}
		c.Changes = append(c.Changes, pipeline.Change{Key: fmt.Sprintf("k%03d", i), Value: pipeline.Stored(strings.Repeat(fmt.Sprint(i%10), size))})
	}
	if err := store.Save(t.Context(), lease, c); err != nil {
		t.Fatal(err)
	}
	store.LoseBlob(inPart, "k030")
	calls := 0
	store.Inject(func(storetest.Call) storetest.Fault { calls++; return storetest.None })
	takes := func(key string) bool { return !strings.HasSuffix(key, "7") }
	walk := func(r pipeline.Reader) (seen []string) {
		t.Helper()
		for after := ""; ; {
			keys, err := r.Keys(t.Context(), inPart, "", after, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				if takes(key) {
					v, err := r.Get(t.Context(), inPart, key)
					seen = append(seen, fmt.Sprintf("%s %d %.5s %v", key, len(v), v, err))
				}
			}
			if len(keys) < 100 {
				return seen
			}
			after = keys[len(keys)-1]
		}
	}
	want := walk(store)
	single := calls
	calls = 0
	got := walk(admin.Prefetch(store, takes))
	if !slices.Equal(got, want) || len(got) != 270 || !strings.Contains(got[27], "damaged") {
		t.Errorf("%d of %d values: %.300q", len(got), len(want), got)
	}
	if calls > single/10 {
		t.Errorf("%d calls, %d one by one", calls, single)
	}
	// A key gone meanwhile, one that is no part of a page, and one asked for again.
	r := admin.Prefetch(store, nil)
	if _, err := r.Keys(t.Context(), inPart, "", "", 10); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, key := range []string{"k003", "k200", "none"} {
			want, _ := store.Get(t.Context(), inPart, key)
			if v, err := r.Get(t.Context(), inPart, key); err != nil || string(v) != string(want) {
				t.Errorf("%s: %d bytes and error %v", key, len(v), err)
			}
		}
	}
}
