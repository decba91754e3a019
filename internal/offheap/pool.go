package offheap

import (
	"container/list"
	"encoding/binary"
	"unsafe"
)

// SlotBytes is the size of a slot.
const SlotBytes = 128

// ID names a slot of a pool; 0 is none.
type ID uint32

// Pool hands out slots of SlotBytes. They lie in slabs, of which a new one is made only when
// no slot is free: a pool never has more than one slab beside what was in use at once. A slab
// without a slot in use is given back, unless it is the last one with room beside others that are
// full. One goroutine at a time uses a pool.
type Pool struct {
	slots int     // of a slab
	slabs []*slab // by number, from 1 on; nil: free
	free  []uint32
	open  list.List // of slabs with a free slot
	used  int64     // slots
	bytes int64     // of slabs
}

// slab is a block of slots.
type slab struct {
	*Block
	number      uint32
	used, fresh int           // slots in use; those from fresh on never were
	freed       int           // 1 + the slot that became free last, which tells of the one before; 0: none
	open        *list.Element // of the pool, while a slot is free
}

// NewPool returns a pool whose slabs have about so many bytes: between 16 KiB and 512 KiB.
func NewPool(slabBytes int64) *Pool {
	return &Pool{slots: int(min(max(slabBytes, 16<<10), 512<<10)) / SlotBytes, slabs: make([]*slab, 1)}
}

// Bytes returns what the pool has of memory, slots that are free included.
func (p *Pool) Bytes() int64 { return p.bytes }

// Slab returns the bytes of a slab.
func (p *Pool) Slab() int64 { return int64(p.slots) * SlotBytes }

// Used returns the number of slots in use.
func (p *Pool) Used() int64 { return p.used }

// Alloc returns a slot of zeroes.
func (p *Pool) Alloc() ID {
	if p.open.Len() == 0 {
		p.grow()
	}
	s := p.open.Front().Value.(*slab)
	i := s.fresh
	if s.freed > 0 {
		i = s.freed - 1
		b := s.slot(i)
		s.freed = int(binary.LittleEndian.Uint32(b))
		clear(b)
	} else {
		s.fresh++
	}
	s.used++
	p.used++
	if s.used == p.slots {
		p.open.Remove(s.open)
	}
	return ID(s.number*uint32(p.slots) + uint32(i))
}

// grow adds a slab.
func (p *Pool) grow() {
	s := &slab{Block: newSlab(p.slots * SlotBytes)}
	if n := len(p.free); n > 0 {
		s.number, p.free = p.free[n-1], p.free[:n-1]
		p.slabs[s.number] = s
	} else {
		s.number = uint32(len(p.slabs))
		p.slabs = append(p.slabs, s)
	}
	p.bytes += p.Slab()
	s.open = p.open.PushBack(s)
}

// Free takes a slot back. Its bytes say nothing from then on, or are memory that nobody has.
func (p *Pool) Free(id ID) {
	s, i := p.slabs[int(id)/p.slots], int(id)%p.slots
	binary.LittleEndian.PutUint32(s.slot(i), uint32(s.freed))
	s.freed = i + 1
	if s.used == p.slots {
		s.open = p.open.PushBack(s)
	}
	s.used--
	p.used--
	if s.used == 0 && (p.used == 0 || p.open.Len() > 1) {
		p.release(s)
	}
}

// release gives a slab back, and once no slot is in use, all of them.
func (p *Pool) release(s *slab) {
	p.open.Remove(s.open)
	p.slabs[s.number] = nil
	p.free = append(p.free, s.number)
	p.bytes -= p.Slab()
	s.Release()
	if p.used == 0 && p.open.Len() > 0 {
		p.release(p.open.Front().Value.(*slab))
	}
}

// Slot returns the bytes of a slot, of the pool's memory; nil where the pool has no such slab.
// It may be used while the slot is not freed and the pool is reachable.
func (p *Pool) Slot(id ID) []byte {
	n := int(id) / p.slots
	if n >= len(p.slabs) || p.slabs[n] == nil {
		return nil
	}
	return p.slabs[n].slot(int(id) % p.slots)
}

func (s *slab) slot(i int) []byte { return s.Bytes[i*SlotBytes:][:SlotBytes:SlotBytes] }

// View returns a slot as a T, which has no pointers and at most SlotBytes; as Slot otherwise.
func View[T any](p *Pool, id ID) *T { return (*T)(unsafe.Pointer(&p.Slot(id)[0])) }
