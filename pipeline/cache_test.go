package pipeline

import (
	"fmt"
	"testing"
)

func TestCacheEvictsOnlyCleanIdleEntriesOldestFirst(t *testing.T) {
	c := newCache()
	entries := make([]*entry, 6)
	for i := range entries {
		entries[i] = &entry{key: fmt.Sprint(i), size: 100}
		c.add(entries[i])
	}
	entries[0].cut = 1     // dirty
	entries[1].pending = 1 // at work
	for _, e := range entries {
		c.rest(e)
	}
	c.use(entries[2]) // used again: the newest now
	c.rest(entries[2])
	if n := c.evict(350); n != 3 {
		t.Fatalf("%d entries went, want 3", n)
	}
	for i, want := range []bool{true, true, true, false, false, false} {
		if got := c.get(fmt.Sprint(i)) != nil; got != want {
			t.Errorf("entry %d in the cache: %v, want %v", i, got, want)
		}
	}
	if n := c.evict(0); n != 1 || c.bytes != 200 {
		t.Errorf("%d more went and %d bytes stay, want 1 and 200: dirty and busy entries stay", n, c.bytes)
	}
}

func TestCacheResize(t *testing.T) {
	c := newCache()
	e := &entry{key: "k", size: 100}
	c.add(e)
	c.resize(e, 250)
	if c.bytes != 250 {
		t.Errorf("%d bytes, want 250", c.bytes)
	}
	c.rest(e)
	c.rest(e)
	c.remove(e)
	if c.bytes != 0 || c.oldest != nil || c.newest != nil {
		t.Errorf("the cache is not empty: %+v", c)
	}
}
