package pipeline

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

func TestCacheEvictsOnlyCleanIdleEntriesOldestFirst(t *testing.T) {
	c := newCache()
	const each = entryOverhead + 1
	entries := make([]*entry, 6)
	for i := range entries {
		entries[i] = &entry{key: fmt.Sprint(i), size: each, state: &keyState{}}
		c.add(entries[i])
	}
	entries[0].cut = 1     // dirty
	entries[1].pending = 1 // at work
	for _, e := range entries {
		c.rest(e)
	}
	c.use(entries[2]) // used again: the newest now
	c.rest(entries[2])
	if n := c.evict(7 * each / 2); n != 3 {
		t.Fatalf("%d entries went, want 3", n)
	}
	for i, want := range []bool{true, true, true, false, false, false} {
		if got := c.get(fmt.Sprint(i)) != nil; got != want {
			t.Errorf("entry %d in the cache: %v, want %v", i, got, want)
		}
	}
	if n := c.evict(0); n != 1 || c.bytes != 2*each {
		t.Errorf("%d more went and %d bytes stay, want 1 and those of two: dirty and busy entries stay", n, c.bytes)
	}
}

func TestCacheResize(t *testing.T) {
	c := newCache()
	e := &entry{key: "k", size: 100, state: &keyState{}}
	c.add(e)
	c.resize(e, 250)
	if c.bytes != 250 {
		t.Errorf("%d bytes, want 250", c.bytes)
	}
	c.rest(e)
	c.rest(e)
	c.remove(e)
	if c.bytes != 0 || c.open != (list{}) {
		t.Errorf("the cache is not empty: %+v", c)
	}
}

// TestModelsAtRestArePacked: of models that were not used for longest the stored
// bytes are kept, from which they are opened to the same state.
func TestModelsAtRestArePacked(t *testing.T) {
	const n = 8
	spec, ok := toyRules().Match("k0")
	if !ok {
		t.Fatal("no model")
	}
	c, room := newCache(), []byte(nil) // of a lane
	values, open := map[string]Stored{}, int64(0)
	for i := range n {
		key := fmt.Sprint("k", i)
		s := &keyState{spec: spec, filter: cdf.NewFilter(spec, key), env: Envelope{Offset: int64(i)}}
		for range i + 1 {
			if _, err := s.filter.Update(&cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{1}}}}); err != nil {
				t.Fatal(err)
			}
		}
		value, err := s.encode(&room)
		if err != nil {
			t.Fatal(err)
		}
		s.saved, values[key] = value, value
		e := &entry{key: key, state: s, size: s.size(key)}
		open = e.size
		c.add(e)
		c.rest(e)
	}
	limit := openShare * 3 * open // room for three models at hand and all that are packed
	if gone := c.evict(limit); gone != 0 || c.bytes > limit {
		t.Fatalf("%d states went, %d bytes are left of %d", gone, c.bytes, limit)
	}
	held := int64(0)
	for i := range n {
		key := fmt.Sprint("k", i)
		e := c.get(key)
		held += e.state.size(key)
		if packed := e.state.filter == nil; packed != (i < n-3) {
			t.Errorf("state %d is packed: %v", i, packed)
		}
		if err := e.state.open(key, cdf.NewWorkspace()); err != nil {
			t.Fatal(err)
		}
		if value, err := e.state.encode(&room); err != nil || !bytes.Equal(value, values[key]) {
			t.Errorf("state %d is another one after it was packed (%v)", i, err)
		}
	}
	if held != c.bytes {
		t.Errorf("the cache says that it holds %d bytes, and holds %d", c.bytes, held)
	}
}

// TestChangedStateIsNotPacked: what the store does not have yet is kept as it is.
func TestChangedStateIsNotPacked(t *testing.T) {
	e := &entry{state: &keyState{saved: Stored{1}, stored: Stored{1}}, size: 1000}
	l := &lane{}
	l.touch(e)
	if e.state.pack(e.size) {
		t.Error("a change is lost")
	}
}

// TestModelsUsedOnceArePacked: where models at hand crowd the cache, a cut leaves
// only those that were used more than once, and what it hands over is no other.
func TestModelsUsedOnceArePacked(t *testing.T) {
	spec, ok := toyRules().Match("k")
	if !ok {
		t.Fatal("no model")
	}
	for _, pack := range []bool{false, true} {
		l := &lane{rules: toyRules(), part: simPartition, clock: func() float64 { return 0 },
			tools: &tools{decoder: &toyDecoder{takes: func() {}}, outputs: toyOutputs{}, work: cdf.NewWorkspace()}}
		entries := map[string]*entry{}
		offset := int64(0)
		for _, key := range []string{"k1", "k2", "k1"} {
			e := entries[key]
			if e == nil {
				e = &entry{key: key, state: &keyState{spec: spec}}
				entries[key] = e
			}
			r := &Record{Offset: offset, Key: []byte(key), Value: []byte("1")}
			if err := l.one(&task{record: r, entry: e, spec: spec}); err != nil || !e.state.dirty {
				t.Fatalf("offset %d was not applied: %v", offset, err)
			}
			offset++
		}
		part, failed := l.cut(pack)
		if failed != nil || len(part.changes) != 2 {
			t.Fatalf("%d changes, %+v", len(part.changes), failed)
		}
		for i, key := range []string{"k1", "k2"} {
			s := entries[key].state
			if packed := s.filter == nil; packed != (pack && key == "k2") {
				t.Errorf("%s is packed: %v", key, packed)
			}
			if err := s.open(key, l.work); err != nil {
				t.Fatal(err)
			}
			if value, err := s.encode(&l.room); err != nil || !bytes.Equal(value, part.changes[i].Value) {
				t.Errorf("%s is another state after the cut (%v)", key, err)
			}
		}
	}
	c := newCache()
	c.open.bytes = 75
	if !c.crowded(100*openShare) || c.crowded(102*openShare) {
		t.Error("three quarters of what models at hand may take are not where they crowd it")
	}
}
