package redis

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestBuckets: the hash of a key is part of the format.
func TestBuckets(t *testing.T) {
	key := ""
	for i := range 300 {
		if want := int(crc32.Checksum([]byte(key), crc32.MakeTable(crc32.Castagnoli)) % 256); bucket(key) != want {
			t.Fatalf("%q: %d, want %d", key, bucket(key), want)
		}
		key += string([]byte{byte(i * 37)})
	}
}

// TestChangesByBucket: each change is in the arguments of a save once, behind the
// number of its bucket.
func TestChangesByBucket(t *testing.T) {
	var changes []pipeline.Change
	want := map[string]string{}
	for i := range 1000 {
		c := pipeline.Change{Key: fmt.Sprint("key-", i)}
		want[c.Key] = ""
		if i%7 > 0 {
			c.Value = []byte(strings.Repeat("v", i%11))
			want[c.Key] = "\x00" + string(c.Value)
		}
		changes = append(changes, c)
	}
	blobs := []int{1, 500}
	for _, i := range blobs {
		want[changes[i].Key] = "\x01ref"
	}
	text := func(arg any) string { return *arg.(*string) }
	before := -1
	_, room := cellsOf(nil, changes, blobs, "another")
	cells, all := cellsOf(room, changes, blobs, "ref")
	if &room[0] != &all[0] {
		t.Error("the room of cells of the same size is not used again")
	}
	for args := appendChanges(nil, changes, cells); len(args) > 0; {
		b, set, del := args[0].(int), args[1].(int), args[2].(int)
		if args = args[3:]; b <= before || set+del == 0 {
			t.Fatalf("bucket %d after %d has %d values and %d deletions", b, before, set, del)
		}
		before = b
		for i := range set + del {
			key, cell := text(args[0]), ""
			if args = args[1:]; i < set {
				cell, args = text(args[0]), args[1:]
			}
			if v, ok := want[key]; !ok || v != cell || bucket(key) != b {
				t.Errorf("%q, in bucket %d: %q, want %q", key, b, cell, v)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d changes are missing: %q", len(want), want)
	}
}
