package redis

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

func changes(n, size int) ([]string, []pipeline.Change) {
	keys, list := make([]string, n), make([]pipeline.Change, n)
	for i := range list {
		keys[i] = fmt.Sprintf("flights/%06d", i)
		list[i] = pipeline.Change{Key: keys[i], Value: bytes.Repeat([]byte{byte(i)}, size)}
	}
	return keys, list
}

// Saves on a real server with its append-only file on, loopback.
func BenchmarkSave(b *testing.B) {
	for _, c := range []struct{ n, size int }{{1, 500}, {100, 500}, {1000, 500}, {100, 10 << 10}, {1, 1 << 20}} {
		b.Run(fmt.Sprintf("%dx%d", c.n, c.size), func(b *testing.B) {
			s := openServer(b).store(b, "credence")
			claim(b, s, "a")
			_, list := changes(c.n, c.size)
			at := int64(-1)
			for b.Loop() {
				check := put(at, at+1)
				check.Changes = list
				save(b, s, "a", check)
				at++
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	s := openServer(b).store(b, "credence")
	claim(b, s, "a")
	keys, list := changes(100, 500)
	check := put(-1, 0)
	check.Changes = list
	save(b, s, "a", check)
	for b.Loop() {
		if _, err := s.Load(b.Context(), lease("a"), []int64{0}, keys, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClaim(b *testing.B) {
	s := openServer(b).store(b, "credence")
	for b.Loop() {
		claim(b, s, "a")
	}
}

// What a claim waits for where a prefix has many keys.
func BenchmarkWeigh(b *testing.B) {
	const keys = 100_000
	s := openServer(b).store(b, "credence")
	claim(b, s, "a")
	_, list := changes(keys, 500)
	at := int64(-1)
	for some := range slices.Chunk(list, 1000) {
		check := put(at, at+1)
		check.Changes = some
		save(b, s, "a", check)
		at++
	}
	for b.Loop() {
		if sum, err := s.Weigh(b.Context(), part, "flights/", keys); err != nil || sum != (quota.Sum{Keys: keys, Bytes: keys * 500}) {
			b.Fatalf("%+v, %v", sum, err)
		}
	}
}
