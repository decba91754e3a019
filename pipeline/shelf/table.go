package shelf

import (
	"unsafe"

	"github.com/credence-stream/credence/internal/offheap"
)

// table finds records by the hash of their key: open addressing, the next place where one
// is taken. It has no pointers, and a large one lies outside the heap.
type table struct {
	places []place        // a power of two, or none
	block  *offheap.Block // that they lie in, nil: in the heap
	n      int            // that are taken
}

// place is where a record lies.
type place struct {
	hash uint32
	seg  uint32 // id of the segment, 0: the place is free
	off  uint32 // in it
}

const (
	placeBytes = int64(unsafe.Sizeof(place{}))
	// placeShare is what a record takes of a table that is as full as it may be.
	placeShare = placeBytes * 4 / 3
	fewPlaces  = 64
	// heapPlaces is the most of a table in the heap: a mapping has whole pages.
	heapPlaces = 4096
)

func (t *table) bytes() int64 { return int64(len(t.places)) * placeBytes }

// home returns the place where the search for a hash begins.
func (t *table) home(hash uint32) int { return int(hash) & (len(t.places) - 1) }

func (t *table) next(i int) int { return (i + 1) & (len(t.places) - 1) }

// taken reports whether there is a record at i; not in a table without places.
func (t *table) taken(i int) bool { return len(t.places) > 0 && t.places[i].seg != 0 }

// add adds a record that is not there.
func (t *table) add(p place) {
	if 4*(t.n+1) > 3*len(t.places) {
		t.resize(max(fewPlaces, 2*len(t.places)))
	}
	t.put(p)
	t.n++
}

func (t *table) put(p place) {
	i := t.home(p.hash)
	for t.taken(i) {
		i = t.next(i)
	}
	t.places[i] = p
}

func (t *table) resize(n int) {
	old, block := t.places, t.block
	if t.block = nil; n > heapPlaces {
		t.block = offheap.New(n * int(placeBytes))
		t.places = unsafe.Slice((*place)(unsafe.Pointer(&t.block.Bytes[0])), n)
	} else {
		t.places = make([]place, n)
	}
	for _, p := range old {
		if p.seg != 0 {
			t.put(p)
		}
	}
	if block != nil {
		block.Release()
	}
}

// at returns the place of a record that is there.
func (t *table) at(hash, id, from uint32) int {
	i := t.home(hash)
	for ; t.places[i].seg != id || t.places[i].off != from; i = t.next(i) {
		if !t.taken(i) {
			panic("shelf: a record has no place in the table")
		}
	}
	return i
}

// remove frees a place. Those that it kept from their home move up.
func (t *table) remove(i int) {
	mask := len(t.places) - 1
	for j := t.next(i); t.taken(j); j = t.next(j) {
		if (j-t.home(t.places[j].hash))&mask >= (j-i)&mask {
			t.places[i] = t.places[j]
			i = j
		}
	}
	t.places[i] = place{}
	t.n--
	if len(t.places) > fewPlaces && 8*t.n < len(t.places) {
		t.resize(len(t.places) / 2)
	}
}
