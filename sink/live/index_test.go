package live

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/pipeline"
)

// TestIndex adds and removes keys at random, to many and to none again: each is found while it is there
// and not after it, no chain is long, and memory is what the keys need.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	f := New(64 << 20)
	var there []string
	known := map[string]offheap.ID{}
	outside := false
	for step := range 30_000 {
		grows := step < 15_000
		if key := fmt.Sprint("key-", r.IntN(8000)); r.IntN(10) < 8 == grows {
			if known[key] == 0 {
				known[key], _ = f.add(&pipeline.Point{Key: key, T: 1})
				there = append(there, key)
			}
		} else if n := len(there); n > 0 {
			i := r.IntN(n)
			gone := there[i]
			there[i], there = there[n-1], there[:n-1]
			id, e := f.find(gone)
			if id != known[gone] {
				t.Fatalf("step %d: %s is in slot %d, found in %d", step, gone, known[gone], id)
			}
			f.remove(id, e)
			delete(known, gone)
			if id, _ = f.find(gone); id != 0 {
				t.Fatalf("step %d: %s is found after it went", step, gone)
			}
		}
		outside = outside || f.index.block != nil
		if n := len(f.index.heads); n != max(1, chainsPerEntry*len(there)) || cap(f.index.heads) > max(fewChains, 8*n+2) {
			t.Fatalf("step %d: %d chains in the room of %d for %d keys", step, n, cap(f.index.heads), len(there))
		}
		if step%1000 != 0 {
			continue
		}
		for _, key := range there {
			if id, _ := f.find(key); id != known[key] {
				t.Fatalf("step %d: %s is in slot %d, found in %d", step, key, known[key], id)
			}
		}
		for i, id := range f.index.heads {
			n := 0
			for ; id != 0; n++ {
				id = f.entry(id).twin
			}
			if n > 12 {
				t.Fatalf("step %d: %d entries are in chain %d", step, n, i)
			}
		}
	}
	if !outside || f.index.block != nil {
		t.Errorf("heads of many chains were outside the heap: %v, of %d keys: %v", outside, len(there), f.index.block != nil)
	}
}
