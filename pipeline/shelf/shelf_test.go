package shelf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/testenv/probe"
)

// kept is what the tests believe to be on a shelf, in order.
type kept struct {
	order  []placed // those that were taken are still there
	values map[string]Value
	size   int64
}

type placed struct {
	key  string
	turn uint64
}

func (k *kept) put(key string, v Value) {
	k.order = append(k.order, placed{key, v.Turn})
	k.values[key] = v
	k.size += SizeOf(key, len(v.Bytes))
}

func (k *kept) leave(key string) {
	k.size -= SizeOf(key, len(k.values[key].Bytes))
	delete(k.values, key)
}

// first returns the key that was put first of those that are there.
func (k *kept) first() (string, bool) {
	for len(k.order) > 0 {
		if first := k.order[0]; k.values[first.key].Turn == first.turn {
			return first.key, true
		}
		k.order = k.order[1:]
	}
	return "", false
}

func same(a, b Value) bool {
	return a.Tag == b.Tag && a.Turn == b.Turn && bytes.Equal(a.Bytes, b.Bytes) && (a.Bytes == nil) == (b.Bytes == nil)
}

// TestShelf puts, takes and drops at random, with values of all lengths and in several
// moods: what is there is what was put, the oldest goes first, and what is held beside the
// values is bounded at every moment.
func TestShelf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	s, want, turn, fresh := New(), kept{values: map[string]Value{}}, uint64(0), 0
	var known []string // keys that were there at some time
	for step := range 75_000 {
		mood := step / 7_500 % 5 // growing, turning over, shrinking, few, growing
		put := [...]int{70, 50, 10, 30, 60}[mood]
		switch p := r.IntN(100); {
		case p < put:
			key := fmt.Sprint("key-", fresh)
			fresh++
			known = append(known, key)
			turn++
			v := Value{Tag: r.Uint64(), Turn: turn, Bytes: value(r, step)}
			s.Put(key, v)
			want.put(key, v)
		case p < 95 && len(known) > 0:
			i := r.IntN(len(known))
			key := known[i]
			v, there := want.values[key]
			got, ok := s.Take(key)
			if ok != there || !same(got, v) {
				t.Fatalf("step %d: %s: taken %v, there %v, or another value", step, key, ok, there)
			}
			if ok {
				want.leave(key)
				turn++
				v.Turn = turn
				if r.IntN(2) == 0 {
					s.Put(key, v)
					want.put(key, v)
					break
				}
			}
			known[i] = known[len(known)-1]
			known = known[:len(known)-1]
		default:
			key, there := want.first()
			got, ok := s.Oldest()
			if ok != there || got != want.values[key].Turn {
				t.Fatalf("step %d: the oldest is of turn %d (%v), want that of %s, %d", step, got, ok, key, want.values[key].Turn)
			}
			if s.Drop(); there {
				want.leave(key)
			}
		}
		if s.Len() != len(want.values) || s.Size() > want.size {
			t.Fatalf("step %d: %d values of %d bytes, want %d of at most %d", step, s.Len(), s.Size(), len(want.values), want.size)
		}
		if step%500 == 0 {
			checkBooks(t, s)
		}
		if most := 3*s.Size()/7 + 2*segmentBytes + 2*fewPlaces*placeBytes + patternBytes; s.Gaps() < 0 || s.Gaps() > most {
			t.Fatalf("step %d: %d bytes beside %d, at most %d are allowed", step, s.Gaps(), s.Size(), most)
		}
	}
	for key, v := range want.values {
		if got, ok := s.Take(key); !ok || !same(got, v) {
			t.Fatalf("%s is not what it was", key)
		}
	}
	checkBooks(t, s)
	if s.Len() != 0 || s.Size() != 0 {
		t.Errorf("%d values of %d bytes are left", s.Len(), s.Size())
	}
	if _, ok := s.Oldest(); ok {
		t.Error("an empty shelf has an oldest value")
	}
	s.Drop()
}

// checkBooks compares what a shelf says of itself with what lies in its segments.
func checkBooks(t *testing.T, s *Shelf) {
	t.Helper()
	size, room, used := int64(0), int64(0), [numPatterns]int{}
	for _, seg := range s.segs {
		if seg == nil {
			continue
		}
		for off := seg.first; off < seg.used; {
			n, taken := seg.record(off)
			if !taken {
				size += n + placeShare
				if b, fold := seg.stored(off); fold {
					used[b[0]]++
				}
			}
			off += n
		}
	}
	for i, p := range s.common.slots {
		if room += int64(cap(p.bytes)); p.used != used[i] {
			t.Fatalf("pattern %d: %d values are said to need it, want %d", i, p.used, used[i])
		}
	}
	if size != s.Size() || room != s.common.bytes || room > patternBytes {
		t.Fatalf("values take %d bytes, said are %d; patterns %d of %d at most, said are %d", size, s.Size(), room, patternBytes, s.common.bytes)
	}
}

// value returns the bytes of a value: none, few, some thousand or more than fit among
// others. Two thirds are like others of their length in half of their bytes.
func value(r *rand.Rand, step int) []byte {
	n := 0
	switch p := r.IntN(1000); {
	case p < 20:
		return nil
	case p < 40:
	case p < 42:
		n = largest + r.IntN(5*segmentBytes)
	case p < 200:
		n = r.IntN(largest)
	default:
		n = r.IntN(2000)
	}
	b := random(r, n)
	for i := step % 3 * 20; i < n && step%3 < 2; i += 40 {
		for j := i; j < min(n, i+20); j++ {
			b[j] = byte(j)
		}
	}
	return b
}

// random returns bytes that have nothing in common with others.
func random(r *rand.Rand, n int) []byte {
	b := make([]byte, 0, n+7)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return b[:n]
}

// TestSizeIsTheMemory: what a shelf says it has is what the process has, and what a value
// says it takes is nearly all of it, unless values have much in common. No test runs beside it.
func TestSizeIsTheMemory(t *testing.T) {
	const n = 10_000
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, c := range []struct{ size, own int }{{100, 100}, {529, 529}, {1195, 1195}, {1195, 800}, {3000, 3000}, {3000, 100}} {
		probe.Eventually(t, "earlier shelves to go", func() bool { runtime.GC(); return offheap.Mapped() == 0 })
		r := rand.New(rand.NewPCG(uint64(c.size), uint64(c.own)))
		value, before := random(r, c.size), heap()
		s, most := New(), int64(0)
		for i := range n {
			key := fmt.Sprint("key-", i)
			copy(value, random(r, c.own))
			s.Put(key, Value{Bytes: value})
			most += SizeOf(key, c.size)
		}
		checkBooks(t, s)
		takes, says := float64(heap()-before+offheap.Mapped()), float64(s.Size()+s.Gaps())
		if float64(s.Size()) < .8*says {
			t.Errorf("values of %d bytes, %d of them their own, take %d, and the shelf holds %.0f", c.size, c.own, s.Size(), says)
		}
		if saved := (c.size - c.own) * n; s.Size() > most-int64(saved)/10*9 || saved == 0 && s.Size() < most*999/1000 {
			t.Errorf("values of %d bytes, %d of them their own, take %d, at most %d", c.size, c.own, s.Size(), most)
		}
		if says > 1.05*takes || says < .95*takes-segmentBytes { // of the last segment not all is written
			t.Errorf("%d values of %d bytes take %.0f, and the shelf says %.0f", n, c.size, takes, says)
		}
		runtime.KeepAlive(s)
	}
}

// TestValuesComeBack: whatever a value has in common with the one before it, also where one of
// them ends, it comes back as it was, and what is of the other is not stored again.
func TestValuesComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 31))
	for range 20_000 {
		first := random(r, 64+r.IntN(200))
		second := bytes.Clone(first)
		if n := len(first) + numPatterns*(r.IntN(7)-3); n >= 64 { // its pattern is of the same slot
			second = append(second, random(r, max(0, n-len(first)))...)[:n]
		}
		own := 0
		for range r.IntN(4) {
			from := r.IntN(len(second))
			own += copy(second[from:min(len(second), from+1+r.IntN(40))], random(r, 40))
		}
		var p patterns
		for _, v := range [][]byte{first, second} {
			folded := p.fold(v)
			if folded == nil {
				if own += max(0, len(v)-len(first)); own*4 < len(v) {
					t.Fatalf("%d of %d bytes are its own, and it is stored whole", own, len(v))
				}
				continue
			}
			if got := p.unfold(bytes.Clone(folded)); !bytes.Equal(got, v) || cap(got) != len(v) {
				t.Fatalf("%x came back as %x, after %x", v, got, first)
			}
		}
	}
}

// TestTakenIsACopy: neither what was put nor what is taken shares memory with the shelf,
// which writes over its own.
func TestTakenIsACopy(t *testing.T) {
	s, b := New(), []byte("first")
	s.Put("k", Value{Bytes: b})
	copy(b, "wrong")
	got, _ := s.Take("k")
	for i := range 3 * segmentBytes / 100 {
		s.Put(fmt.Sprint(i), Value{Bytes: bytes.Repeat([]byte{'x'}, 100)})
	}
	for s.Len() > 0 {
		s.Drop()
	}
	if string(got.Bytes) != "first" || cap(got.Bytes) != len("first") {
		t.Errorf("%q with room for %d was taken, want a copy of what was put", got.Bytes, cap(got.Bytes))
	}
}

// TestMemoryGoesBack: to the system while values are taken and dropped, all of it when the
// shelf is forgotten. A segment that was given back cannot be used.
func TestMemoryGoesBack(t *testing.T) {
	runtime.GC()
	const n, each = 40_000, 500
	before, r := offheap.Mapped(), rand.New(rand.NewPCG(19, 23))
	s := New()
	for i := range n {
		s.Put(fmt.Sprint(i), Value{Bytes: random(r, each)})
	}
	if s.mapped < n*each {
		t.Fatalf("%d bytes are held of %d that were put", s.mapped, n*each)
	}
	first := s.small.oldest
	for i := range n / 10 * 9 {
		s.Take(fmt.Sprint(i * 7 % n)) // here and there
	}
	if got, most := s.mapped, s.Size()*10/7+2*segmentBytes; got > most {
		t.Errorf("%d bytes are held for %d, at most %d are allowed", got, s.Size(), most)
	}
	for s.Len() > n/100 {
		s.Drop()
	}
	if s.mapped > 3*segmentBytes {
		t.Errorf("%d bytes are held for %d values", s.mapped, s.Len())
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a segment that was given back is read")
			}
		}()
		first.turn(0)
	}()
	if offheap.Mapped() == before {
		t.Log("this system has no memory beside the heap")
		return
	}
	runtime.KeepAlive(s)
	s, first = nil, nil
	probe.Eventually(t, "the memory of a forgotten shelf to go back", func() bool { runtime.GC(); return offheap.Mapped() <= before })
}
