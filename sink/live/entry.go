package live

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/pipeline"
)

// level says what is left of an entry: entries of the lowest go first when
// there is too much.
type level uint8

const (
	hasHistory level = iota
	hasNewest
	hasSums
	levels
)

// entry is what is remembered of a key. It lies in a slot of the feed's pool, and has no pointers.
type entry struct {
	points offheap.Queue // bytes of points, oldest first
	rows   offheap.Queue // bytes of observed rows, see appendRows
	about  offheap.Queue // one record: the key, and the sums where a row was scored
	newest offheap.Mark  // of the points
	t      int64         // of the newest shard
	born   uint64        // how many entries there had been
	// older and newer are its neighbours in the order of its level, twin is the next one of its
	// chain in the index.
	older, newer, twin offheap.ID
	hash               uint32 // of the key
	place              uint32 // in the feed's list of entries
	kind               wordsID
	partition          int32
	level              level
	complete           bool // the points reach back to the first shard
	crowded            bool // points had to go for other keys, or it was forgotten for them
	scored             bool // some row was
}

// An entry fits in a slot.
var _ [offheap.SlotBytes - unsafe.Sizeof(entry{})]byte

// placeBytes is the most that finds an entry: the heads of its chains, and the list of entries, both at
// most half empty.
const placeBytes = 24

// bytes returns what the points and rows of an entry take.
func (e *entry) bytes() int64 { return e.points.Bytes() + e.rows.Bytes() }

func (f *Feed) entry(id offheap.ID) *entry { return offheap.View[entry](f.pool, id) }

// find returns the entry of a key, nil: there is none. What is told of the key is at hand then.
func (f *Feed) find(key string) (offheap.ID, *entry) {
	sum := f.hash(key)
	for id := *f.index.chain(sum); id != 0; {
		e := f.entry(id)
		if e.hash == sum && string(f.keyOf(e)) == key {
			return id, e
		}
		id = e.twin
	}
	return 0, nil
}

// add makes an entry without points.
func (f *Feed) add(o *pipeline.Point) (offheap.ID, *entry) {
	id := f.pool.Alloc()
	e := f.entry(id)
	f.born++
	*e = entry{
		born: f.born, hash: f.hash(o.Key), place: uint32(len(f.entries)), kind: f.words.hold(useKind, []string{o.Kind, o.Variant}),
		partition: o.Partition, complete: o.T == 1, crowded: o.T > 1 && f.crowded, level: hasSums,
	}
	f.entries = append(f.entries, id)
	f.fit(len(f.entries))
	f.link(id, e)
	f.order[e.level].add(f, id, e)
	f.sums += offheap.SlotBytes
	f.tell(e, o.Key, nil, inside{})
	return id, e
}

// remove forgets an entry.
func (f *Feed) remove(id offheap.ID, e *entry) {
	for e.points.Len() > 0 {
		f.shift(e)
	}
	if e.scored {
		f.kind(e.partition, f.words.get(e.kind)[0]).Keys--
	}
	f.order[e.level].remove(f, e)
	f.unlink(id, e)
	last := f.entries[len(f.entries)-1]
	f.entries[e.place] = last
	f.entry(last).place = e.place
	f.entries = f.entries[:len(f.entries)-1]
	f.fit(len(f.entries))
	f.words.leave(e.kind)
	f.sums -= offheap.SlotBytes + e.about.Bytes()
	f.pool.Clear(&e.about)
	f.pool.Free(id)
}

// keyOf returns the key of an entry, in a buffer of the feed.
func (f *Feed) keyOf(e *entry) []byte {
	f.about, _ = f.pool.Read(f.about[:0], e.about.Oldest())
	r := reader(f.about)
	return r.bytes()
}

// sumsOf returns the key of an entry, in a buffer of the feed, its sums and what is inside.
func (f *Feed) sumsOf(e *entry) (key []byte, s Sums, in inside) {
	f.keyOf(e)
	return readSums(f.about)
}

// readSums takes apart what tell writes.
func readSums(r reader) (key []byte, s Sums, in inside) {
	key = r.bytes()
	if len(r) == 0 {
		return key, s, in
	}
	for _, n := range s.counts() {
		*n = r.int()
	}
	for i := range s.PIT {
		s.PIT[i] = int64(r.uint())
	}
	var list [4]float64
	r.numbers(list[:0], r.there(len(list)), len(list))
	s.logs, s.squares, in = list[0], list[1], inside{list[2], list[3]}
	return key, s, in
}

// counts are the whole numbers of the sums of a key, transforms aside.
func (s *Sums) counts() [5]*int64 {
	return [...]*int64{&s.Shards, &s.Rows, &s.counted, &s.logRows, &s.residualRows}
}

// tell writes what an entry says of its key; s is nil before the first row is scored.
func (f *Feed) tell(e *entry, key string, s *Sums, in inside) {
	b := append(binary.AppendUvarint(f.buf[:0], uint64(len(key))), key...)
	if s != nil {
		for _, n := range s.counts() {
			b = binary.AppendVarint(b, *n)
		}
		for _, n := range s.PIT {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = appendNumbers(b, []float64{s.logs, s.squares, in.rows, in.held})
	}
	f.sums -= e.about.Bytes()
	f.pool.Replace(&e.about, b)
	f.sums += e.about.Bytes()
	f.buf = b
}

// each calls visit for the entries of owned partitions, some at a time: the
// worker waits for none of it long. Those that come while it goes on are left out. A panic of visit,
// which may be a request's, does not leave the feed locked.
func (f *Feed) each(visit func(e *entry)) {
	f.mu.Lock()
	list, born := append(make([]offheap.ID, 0, len(f.entries)), f.entries...), f.born
	f.mu.Unlock()
	const some = 500
	for part := range slices.Chunk(list, some) {
		f.visit(part, born, visit)
	}
}

// visit calls visit for the entries in some slots that were born by then.
func (f *Feed) visit(some []offheap.ID, born uint64, visit func(e *entry)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range some {
		if e := f.still(id, born); e != nil && f.owned(e.partition) {
			visit(e)
		}
	}
}

// still returns the entry of a slot, nil where the slot is of something else now, or of an entry
// that was born later.
func (f *Feed) still(id offheap.ID, born uint64) *entry {
	if f.pool.Slot(id) == nil {
		return nil
	}
	e := f.entry(id)
	if int(e.place) >= len(f.entries) || f.entries[e.place] != id || e.born > born {
		return nil
	}
	return e
}

// line is entries of a level, longest without change first.
type line struct{ oldest, newest offheap.ID }

func (l *line) add(f *Feed, id offheap.ID, e *entry) {
	e.older, e.newer = l.newest, 0
	if l.newest != 0 {
		f.entry(l.newest).newer = id
	} else {
		l.oldest = id
	}
	l.newest = id
}

func (l *line) remove(f *Feed, e *entry) {
	if e.older != 0 {
		f.entry(e.older).newer = e.newer
	} else {
		l.oldest = e.newer
	}
	if e.newer != 0 {
		f.entry(e.newer).older = e.older
	} else {
		l.newest = e.older
	}
	e.older, e.newer = 0, 0
}
