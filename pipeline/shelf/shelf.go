package shelf

import (
	"hash/maphash"
	"runtime"

	"github.com/credence-stream/credence/internal/offheap"
)

// Shelf holds values by their keys, in the order in which they were put there. One
// goroutine uses it. Its memory goes back to the system as values are taken, and all of
// it some time after the shelf became unreachable.
//
// Values lie one behind the other in segments, each as its difference to a value like it where
// that is smaller. What was taken leaves gaps: of
// neighbouring segments one is given back as soon as the others have room for
// all, so that values take at least 70 % of all segments but the one that is written to.
type Shelf struct {
	seed   maphash.Seed
	table  table
	common patterns
	segs   []*segment // by id, from 1 on; nil: free
	free   []uint32   // ids
	small  chain      // segments of segmentBytes
	large  chain      // of one value each
	size   int64      // of what is there
	mapped int64      // bytes of all segments
}

const (
	segmentBytes = 512 << 10
	// largest is the most that a record among others takes. A larger one has
	// memory of its own: between others it would leave the ends of segments empty.
	largest = segmentBytes / 16
	// run is of how many neighbours one is given back when the others have room for all:
	// to give back a segment costs to copy as many as run less one.
	run = 4
)

// Value is what is on a shelf under a key.
type Value struct {
	Tag   uint64 // whatever the owner wants to know of it again
	Turn  uint64 // same; of values that were put later it must be greater
	Bytes []byte // nil where there are none
}

// New returns an empty shelf.
func New() *Shelf { return &Shelf{seed: maphash.MakeSeed(), segs: make([]*segment, 1)} }

// Len returns the number of values.
func (s *Shelf) Len() int { return s.table.n }

// Size returns the bytes that values, keys and what finds them take, gaps aside.
func (s *Shelf) Size() int64 { return s.size }

// Gaps returns the bytes that are held beside Size: what values that were taken have left,
// room for more places in the table, and patterns. Of the segment that is written to counts what was
// ever written.
func (s *Shelf) Gaps() int64 {
	n := s.mapped + s.table.bytes() + s.common.bytes - s.size
	if seg := s.small.newest; seg != nil {
		n -= segmentBytes - seg.top
	}
	return n
}

// Excess returns the bytes of Gaps that values have left in segments, beyond two of these: a
// shelf of any size may have so many. It falls as values are dropped, for that empties one
// segment after the other.
func (s *Shelf) Excess() int64 {
	n := s.mapped - (s.size - int64(s.table.n)*placeShare)
	if seg := s.small.newest; seg != nil {
		n -= segmentBytes - seg.top
	}
	return max(0, n-2*segmentBytes)
}

// SizeOf returns what Size grows by with a value of n bytes, at most: it is less where others
// have much in common with it.
func SizeOf(key string, n int) int64 { return recordSize(len(key), n) + placeShare }

// Put copies a value to the end. The key, of at most 64 KiB, must not be there.
func (s *Shelf) Put(key string, v Value) {
	flags := uint16(0)
	if b := s.common.fold(v.Bytes); b != nil {
		v.Bytes, flags = b, folded
	}
	n := recordSize(len(key), len(v.Bytes))
	seg := s.room(n)
	at := place{hash: s.hash(key), seg: seg.id, off: uint32(seg.used)}
	seg.write(key, v, flags)
	s.table.add(at)
	s.size += n + placeShare
	runtime.KeepAlive(s)
}

// room returns the segment in which the next record of n bytes lies.
func (s *Shelf) room(n int64) *segment {
	c, whole := &s.small, int64(segmentBytes)
	if n > largest {
		c, whole = &s.large, n
	}
	if seg := c.newest; seg != nil && seg.used+n <= int64(len(seg.Bytes)) {
		return seg
	}
	seg := &segment{Block: offheap.New(int(whole))}
	s.mapped += whole
	if n := len(s.free); n > 0 {
		seg.id, s.free = s.free[n-1], s.free[:n-1]
		s.segs[seg.id] = seg
	} else {
		seg.id = uint32(len(s.segs))
		s.segs = append(s.segs, seg)
	}
	c.add(seg)
	return seg
}

// Take returns a copy of the value of a key, which is gone then; false: there is none.
func (s *Shelf) Take(key string) (v Value, ok bool) {
	i, ok := s.find(key)
	if !ok {
		return v, false
	}
	at := s.table.places[i]
	v = s.segs[at.seg].value(int64(at.off), &s.common)
	s.remove(i)
	runtime.KeepAlive(s)
	return v, true
}

// Oldest returns the turn of the value that was put first; false: there is none.
func (s *Shelf) Oldest() (turn uint64, ok bool) {
	seg := s.oldest()
	if seg == nil {
		return 0, false
	}
	turn = seg.turn(seg.first)
	runtime.KeepAlive(s)
	return turn, true
}

// oldest returns the segment in which the value that was put first lies, nil: there is none.
func (s *Shelf) oldest() *segment {
	a, b := s.small.oldest, s.large.oldest
	if a != nil && a.live == 0 { // it is written to
		a = nil
	}
	if a == nil || b != nil && b.turn(b.first) < a.turn(a.first) {
		return b
	}
	return a
}

// Drop lets the value go that was put first, if there is one.
func (s *Shelf) Drop() {
	if seg := s.oldest(); seg != nil {
		s.remove(s.table.at(s.hashOf(seg, seg.first), seg.id, uint32(seg.first)))
	}
	runtime.KeepAlive(s)
}

func (s *Shelf) hash(key string) uint32 { return uint32(maphash.String(s.seed, key)) }

func (s *Shelf) hashOf(seg *segment, off int64) uint32 {
	return uint32(maphash.Bytes(s.seed, seg.key(off)))
}

// find returns the index of a key's place in the table.
func (s *Shelf) find(key string) (i int, ok bool) {
	sum := s.hash(key)
	for i = s.table.home(sum); s.table.taken(i); i = s.table.next(i) {
		if at := s.table.places[i]; at.hash == sum && string(s.segs[at.seg].key(int64(at.off))) == key {
			return i, true
		}
	}
	return 0, false
}

// remove forgets what lies at a place of the table.
func (s *Shelf) remove(i int) {
	at := s.table.places[i]
	seg := s.segs[at.seg]
	s.table.remove(i)
	if b, fold := seg.stored(int64(at.off)); fold {
		s.common.leave(b)
	}
	n := seg.leave(int64(at.off))
	s.size -= n + placeShare
	switch {
	case seg == s.small.newest:
		if seg.used >= segmentBytes/2 && seg.used >= 2*seg.live {
			s.pack(seg, 1)
		}
	case seg.live == 0:
		s.giveBack(seg)
	default:
		s.merge(seg)
	}
}

// giveBack gives the memory of an empty segment back.
func (s *Shelf) giveBack(seg *segment) {
	s.mapped -= int64(len(seg.Bytes))
	s.segs[seg.id] = nil
	s.free = append(s.free, seg.id)
	if len(seg.Bytes) == segmentBytes {
		s.small.remove(seg)
	} else {
		s.large.remove(seg)
	}
	seg.Release()
}

// merge gives one of a segment and its neighbours back if the others have room for all. The
// one that is written to is none of them: it has room, but no gaps.
func (s *Shelf) merge(seg *segment) {
	first := seg
	for i := 1; i < run && first.older != nil; i++ {
		first = first.older
	}
	for ; first != seg.newer; first = first.newer {
		n, live := 0, int64(0)
		for at := first; at != s.small.newest && n < run; at = at.newer {
			n, live = n+1, live+at.live
			if n > 1 && live <= int64(n-1)*(segmentBytes-largest) {
				s.pack(first, n)
				return
			}
		}
	}
}

// pack moves what lies in n neighbours to the front of them, in the same order, and gives
// those back that are empty then.
func (s *Shelf) pack(to *segment, n int) {
	from, end := to, int64(0)
	for i := range n {
		off := from.first
		if i == 0 {
			to.first = 0
		}
		for off < from.used {
			size, taken := from.record(off)
			if !taken {
				if end+size > segmentBytes { // never where to is from: there it only moves to the front
					to.used = end
					to, end = to.newer, 0
					to.first = 0
				}
				s.move(from, off, size, to, end)
				end += size
			}
			off += size
		}
		from = from.newer
	}
	to.used = end
	for to.newer != from {
		s.giveBack(to.newer)
	}
}

// move moves a record.
func (s *Shelf) move(from *segment, off, size int64, to *segment, end int64) {
	i := s.table.at(s.hashOf(from, off), from.id, uint32(off))
	copy(to.Bytes[end:end+size], from.Bytes[off:off+size])
	s.table.places[i].seg, s.table.places[i].off = to.id, uint32(end)
	from.live -= size
	to.live += size
}
