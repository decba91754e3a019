package quota

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestAccountDecidesInOrder: whatever is under way and in whatever order it is answered, an account
// refuses what one does that answers each record before the next, in the same words.
func TestAccountDecidesInOrder(t *testing.T) {
	waited, refused := 0, map[string]int{}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 16))
		limit := Limit{Prefix: "k", Keys: 1 + rng.Int64N(4), PerMinute: rng.Int64N(4)}
		switch rng.IntN(3) {
		case 0:
			limit.KeyBytes, limit.Bytes, limit.Keys = 100, 100*limit.Keys+rng.Int64N(100), 0
		case 1:
			if limit.PerMinute > 0 {
				limit.Keys = 0
			}
		}
		account, keys := Account{Limit: &limit}, make([]Key, 6)
		lives, held := make([]bool, len(keys)), int64(0) // one record at a time
		var minute Minute
		ms := int64(1e12)
		type under struct {
			key   int
			pass  Pass
			lives bool
		}
		var lanes [2][]under // the records of a key are in one, in their order
		answer := func() {
			at := rng.IntN(len(lanes))
			if len(lanes[at]) == 0 {
				at = 1 - at
			}
			if len(lanes[at]) > 0 {
				u := lanes[at][0]
				lanes[at] = lanes[at][1:]
				account.Settle(&keys[u.key], u.pass, u.lives)
			}
		}
		for range 60 {
			key, tombstone, bad := rng.IntN(len(keys)), rng.IntN(4) == 0, rng.IntN(3) == 0
			ms += rng.Int64N(40_000)
			now := ms
			if rng.IntN(10) == 0 {
				now += (rng.Int64N(3) - 1) * 86_400_000
			}
			minute.See(now)
			want := Over{}
			if !tombstone && !lives[key] {
				want = limit.over(held, &minute)
			}
			pass, over, ok := account.Admit(&keys[key], now, tombstone)
			for ; !ok; pass, over, ok = account.Admit(&keys[key], now, tombstone) {
				waited++
				if len(lanes[0])+len(lanes[1]) == 0 {
					t.Fatalf("seed %d: it waits, and nothing is under way", seed)
				}
				answer()
			}
			if over != want {
				t.Fatalf("seed %d: %+v, one record at a time %+v", seed, over, want)
			}
			was := lives[key]
			switch {
			case over.Limit != "":
				refused[over.Limit]++
			case tombstone:
				lives[key] = false
			case !bad:
				lives[key] = true
			}
			if lives[key] != was {
				held += map[bool]int64{true: 1, false: -1}[lives[key]]
				if lives[key] {
					minute.Made++
				}
			}
			lanes[key%2] = append(lanes[key%2], under{key, pass, lives[key]})
			for rng.IntN(3) == 0 {
				answer()
			}
		}
		for len(lanes[0])+len(lanes[1]) > 0 {
			answer()
		}
		if got := fmt.Sprint(account.Held, account.rising, account.fresh, account.falling); got != fmt.Sprint(held, 0, 0, 0) {
			t.Fatalf("seed %d: %s at the end, want %d and nothing under way", seed, got, held)
		}
		if limit.PerMinute > 0 && account.Minute != minute {
			t.Fatalf("seed %d: %+v at the end, want %+v", seed, account.Minute, minute)
		}
	}
	if waited < 1000 || refused[OfKeys] < 1000 || refused[OfMinute] < 1000 || refused[OfBytes] < 1000 {
		t.Errorf("%d waits and refusals %v: too few to show anything", waited, refused)
	}
}

// TestAccountBelowItsLimit: far from its limit an account lets no record wait, and without one none
// at all.
func TestAccountBelowItsLimit(t *testing.T) {
	for _, limit := range []Limit{{Prefix: "k"}, {Prefix: "k", Keys: 1000}, {Prefix: "k", PerMinute: 1000}, {Prefix: "k", KeyBytes: 1}, {Prefix: "k", KeyBytes: 100, Bytes: 100_000}} {
		account, keys := Account{Limit: &limit}, make([]Key, 1000)
		for i := range keys {
			if _, over, ok := account.Admit(&keys[i], 1e12, false); over.Limit != "" || !ok {
				t.Fatalf("limit %+v: key %d: %q, may go now: %v", limit, i, over, ok)
			}
		}
	}
}
