package live

import (
	"math/bits"
	"unsafe"

	"github.com/credence-stream/credence/internal/offheap"
)

// index finds entries by the hashes of their keys. It has chains of entries whose hashes end alike,
// linked by their twins; one is split or joined at a time as entries come and go (linear hashing:
// Litwin, VLDB 1980), so that no key waits for a table of all to be built anew.
type index struct {
	heads []offheap.ID   // of the chains, at least one; 0: a chain without entries
	block *offheap.Block // that they lie in, nil: in the heap
}

// An entry has two chains: in half of all cases one that is looked for and is not there costs no look
// at another. fewChains lie in the heap, as a mapping has whole pages.
const (
	chainsPerEntry = 2
	fewChains      = 4096
)

func newIndex() index { return index{heads: make([]offheap.ID, 1)} }

// chain returns the head of the chain of a hash.
func (x *index) chain(hash uint32) *offheap.ID {
	n := uint32(len(x.heads))
	half := top(n)
	at := hash & (2*half - 1)
	if at >= n {
		at = hash & (half - 1)
	}
	return &x.heads[at]
}

// top returns the highest bit of n, which is not 0.
func top(n uint32) uint32 { return 1 << (bits.Len32(n) - 1) }

// fit makes as many chains as a number of entries has.
func (f *Feed) fit(entries int) {
	x, n := &f.index, max(1, chainsPerEntry*entries)
	if c := cap(x.heads); n > c {
		x.move(2 * n)
	} else if c > fewChains && 8*n < c {
		x.move(2 * n)
	}
	for len(x.heads) < n {
		f.split()
	}
	for len(x.heads) > n {
		f.join()
	}
}

// move gives the heads other memory, of so many.
func (x *index) move(places int) {
	old, block := x.heads, x.block
	if x.block = nil; places > fewChains {
		x.block = offheap.New(places * int(unsafe.Sizeof(old[0])))
		x.heads = unsafe.Slice((*offheap.ID)(unsafe.Pointer(&x.block.Bytes[0])), places)
	} else {
		x.heads = make([]offheap.ID, places)
	}
	x.heads = x.heads[:copy(x.heads, old)]
	if block != nil {
		block.Release()
	}
}

// split adds a chain, of entries of the one that had them so far.
func (f *Feed) split() {
	x := &f.index
	n := uint32(len(x.heads))
	x.heads = x.heads[:n+1]
	x.heads[n] = 0
	from := &x.heads[n&^top(n)]
	id := *from
	for *from = 0; id != 0; {
		e := f.entry(id)
		head := x.chain(e.hash)
		next := e.twin
		e.twin, *head = *head, id
		id = next
	}
}

// join gives the entries of the last chain to the one that they came from.
func (f *Feed) join() {
	x := &f.index
	n := uint32(len(x.heads) - 1)
	at := &x.heads[n&^top(n)]
	for *at != 0 {
		at = &f.entry(*at).twin
	}
	*at = x.heads[n]
	x.heads = x.heads[:n]
}

// link makes an entry the first of its chain, unlink takes it out.
func (f *Feed) link(id offheap.ID, e *entry) {
	head := f.index.chain(e.hash)
	e.twin, *head = *head, id
}

func (f *Feed) unlink(id offheap.ID, e *entry) {
	at := f.index.chain(e.hash)
	for *at != id {
		at = &f.entry(*at).twin
	}
	*at = e.twin
}
