package embedded

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

func connected(t *testing.T) *goredis.Client {
	t.Helper()
	r, err := newRedis()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	c := goredis.NewClient(&goredis.Options{Addr: r.store.Addr()})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Members that are signs are members like others, also as the ends of what is asked for.
func TestMembersThatAreSigns(t *testing.T) {
	c := connected(t)
	all := []string{"!", "*", "*z", "+", "+a", ",", ",z", "-", "-1", "0", "é"}
	for _, m := range all {
		if err := c.ZAdd(t.Context(), "set", goredis.Z{Member: m}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	in := func(m, bound string, least bool) bool {
		switch {
		case bound == "-" || bound == "+":
			return (bound == "-") == least
		case m == bound[1:]:
			return bound[0] == '['
		}
		return (m > bound[1:]) == least
	}
	bounds := []string{"-", "+"}
	for _, m := range append([]string{"k"}, all...) {
		bounds = append(bounds, "["+m, "("+m)
	}
	for _, least := range bounds {
		for _, most := range bounds {
			var want []string
			for _, m := range all {
				if in(m, least, true) && in(m, most, false) {
					want = append(want, m)
				}
			}
			got, err := c.Do(t.Context(), "zrangebylex", "set", least, most).StringSlice()
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("from %q to %q: %q, want %q: %v", least, most, got, want, err)
			}
			first, err := c.Do(t.Context(), "zrangebylex", "set", least, most, "limit", 0, 1).StringSlice()
			if err != nil || !slices.Equal(first, want[:min(1, len(want))]) {
				t.Errorf("the first from %q to %q: %q, want one of %q: %v", least, most, first, want, err)
			}
			if n, err := c.ZLexCount(t.Context(), "set", least, most).Result(); err != nil || n != int64(len(want)) {
				t.Errorf("from %q to %q there are %d, want %d: %v", least, most, n, len(want), err)
			}
		}
	}
}

// Whether a script finds a member takes no more memory, and so no more time, where there are many.
func TestAMemberIsFoundAtOnce(t *testing.T) {
	c := connected(t)
	const members, asked = 20_000, 50
	all := make([]goredis.Z, members)
	for i := range all {
		all[i].Member = fmt.Sprint("key", i)
	}
	if err := c.ZAdd(t.Context(), "set", all...).Err(); err != nil {
		t.Fatal(err)
	}
	const script = `return #redis.call('ZRANGEBYLEX', KEYS[1], '[' .. ARGV[1], '[' .. ARGV[1], 'LIMIT', 0, 1)`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range asked {
		name, want := fmt.Sprint("key", rand.IntN(members)), int64(1)
		if rand.IntN(2) == 0 {
			name, want = name+"a", 0
		}
		if n, err := c.Eval(t.Context(), script, []string{"set"}, name).Int64(); err != nil || n != want {
			t.Fatalf("%d members %q, want %d: %v", n, name, want, err)
		}
	}
	runtime.ReadMemStats(&after)
	// A sorted copy of the members has 24 bytes for each.
	if bytes := (after.TotalAlloc - before.TotalAlloc) / asked; bytes > members*24/2 {
		t.Errorf("%d bytes for the search of a member among %d", bytes, members)
	}
}
