package pipeline

import (
	"bytes"
	"testing"
)

// TestPagesAreBounded: a cut of few outputs takes no page, and what is large has
// memory of its own.
func TestPagesAreBounded(t *testing.T) {
	pool := &pagePool{size: 800, own: 300}
	p := Pages{pool: pool}
	for given := 0; given < 300; given += 100 {
		if room := p.Take(100); cap(room) != 100 || len(p.full) != 0 {
			t.Fatalf("room for %d bytes and %d pages after %d bytes", cap(room), len(p.full), given)
		}
	}
	p.Take(101)
	if len(p.full) != 0 {
		t.Error("an output that takes much of a page lies in one")
	}
	var all [][]byte
	for i := range 20 {
		room := p.Take(100)
		all = append(all, append(room, bytes.Repeat([]byte{byte(i)}, 100)...))
	}
	if len(p.full) != 3 {
		t.Errorf("2000 bytes lie in %d pages of 800", len(p.full))
	}
	for i, b := range all {
		if !bytes.Equal(b, bytes.Repeat([]byte{byte(i)}, 100)) {
			t.Errorf("output %d was written over", i)
		}
	}
	if room := p.Take(100); cap(append(room, make([]byte, 101)...)) == cap(room) {
		t.Error("an output grows into the next one's room")
	}
	if all := p.cut(); len(all.full) != 3 || len(p.full) != 0 || cap(p.Take(10)) != 10 || len(p.full) != 0 {
		t.Error("the next cut begins with a page")
	}
	if room := (*Pages)(nil).Take(7); cap(room) != 7 {
		t.Error("no memory without pages")
	}
}
