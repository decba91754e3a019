package offheap

import (
	"encoding/binary"
	"runtime"
)

// Queue is records in the order in which they were pushed, one behind the other in slots of a
// pool. The zero value is empty. It has no pointers, so that it may itself lie in a slot.
type Queue struct {
	first, last ID     // slots
	from, to    uint16 // where the oldest record begins in the first, where the newest ends in the last
	n, slots    uint32
}

// Mark is where a record of a queue begins. It holds while the record is in the queue.
type Mark struct {
	slot ID
	off  uint16
}

// A slot of a queue is the ID of the next one, 0 for none, and bytes of records. A record is
// its length, as a uvarint, and its bytes.
const (
	linkBytes = 4
	roomBytes = SlotBytes - linkBytes
)

// Len returns the number of records.
func (q *Queue) Len() int { return int(q.n) }

// Bytes returns what the queue has of its pool.
func (q *Queue) Bytes() int64 { return int64(q.slots) * SlotBytes }

// Oldest returns the mark of the oldest record, if there is one.
func (q *Queue) Oldest() Mark { return Mark{q.first, q.from} }

// Push appends a copy of a record.
func (p *Pool) Push(q *Queue, record []byte) Mark {
	var head [binary.MaxVarintLen64]byte
	if q.slots == 0 || q.to == roomBytes {
		p.extend(q)
	}
	at := Mark{q.last, q.to}
	p.write(q, head[:binary.PutUvarint(head[:], uint64(len(record)))])
	p.write(q, record)
	q.n++
	runtime.KeepAlive(p)
	return at
}

// Replace makes a record the only one of a queue, in the slots that the queue has as far as they go.
func (p *Pool) Replace(q *Queue, record []byte) {
	q.last, q.from, q.to, q.n = q.first, 0, 0, 0
	p.Push(q, record)
	for rest := p.next(q.last); rest != 0; q.slots-- {
		gone := rest
		rest = p.next(gone)
		p.Free(gone)
	}
	p.link(q.last, 0)
	runtime.KeepAlive(p)
}

// extend goes on in the next slot, a new one if there is none.
func (p *Pool) extend(q *Queue) {
	id := ID(0)
	if q.slots > 0 {
		id = p.next(q.last)
	}
	if id == 0 {
		if id = p.Alloc(); q.slots == 0 {
			q.first, q.from = id, 0
		} else {
			p.link(q.last, id)
		}
		q.slots++
	}
	q.last, q.to = id, 0
}

func (p *Pool) write(q *Queue, b []byte) {
	for len(b) > 0 {
		if q.to == roomBytes {
			p.extend(q)
		}
		n := copy(p.Slot(q.last)[linkBytes+int(q.to):], b)
		q.to += uint16(n)
		b = b[n:]
	}
}

// Read appends the record at a mark to dst and returns the mark of the next one.
func (p *Pool) Read(dst []byte, at Mark) (record []byte, next Mark) {
	n, at := p.length(at)
	dst, at = p.read(dst, at, n)
	at = p.settle(at)
	runtime.KeepAlive(p)
	return dst, at
}

// Head appends the first n bytes of the record at a mark to dst, or all of it where it has fewer.
func (p *Pool) Head(dst []byte, at Mark, n int) []byte {
	all, at := p.length(at)
	dst, _ = p.read(dst, at, min(n, all))
	runtime.KeepAlive(p)
	return dst
}

// read appends the n bytes from a mark on and returns where they end.
func (p *Pool) read(dst []byte, at Mark, n int) ([]byte, Mark) {
	for n > 0 {
		at = p.settle(at)
		part := p.Slot(at.slot)[linkBytes+int(at.off):]
		part = part[:min(len(part), n)]
		dst = append(dst, part...)
		at.off += uint16(len(part))
		n -= len(part)
	}
	return dst, at
}

// Skip returns the mark of the next record.
func (p *Pool) Skip(at Mark) Mark {
	n, at := p.length(at)
	for ; n > roomBytes-int(at.off); at.off = 0 {
		n -= roomBytes - int(at.off)
		at.slot = p.next(at.slot)
	}
	at.off += uint16(n)
	at = p.settle(at)
	runtime.KeepAlive(p)
	return at
}

// length reads the length of a record and returns where its bytes begin.
func (p *Pool) length(at Mark) (n int, bytes Mark) {
	for shift := 0; ; shift += 7 {
		at = p.settle(at)
		b := p.Slot(at.slot)[linkBytes+int(at.off)]
		at.off++
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n, at
		}
	}
}

// settle moves a mark from the end of a slot to the beginning of the next one, if there is one.
func (p *Pool) settle(at Mark) Mark {
	if at.off == roomBytes {
		if next := p.next(at.slot); next != 0 {
			return Mark{next, 0}
		}
	}
	return at
}

func (p *Pool) link(id, next ID) { binary.LittleEndian.PutUint32(p.Slot(id), uint32(next)) }

func (p *Pool) next(id ID) ID { return ID(binary.LittleEndian.Uint32(p.Slot(id))) }

// Pop takes the oldest record out. There must be one.
func (p *Pool) Pop(q *Queue) {
	if q.n == 1 {
		p.Clear(q)
		return
	}
	next := p.Skip(q.Oldest())
	for q.first != next.slot {
		p.drop(q)
	}
	q.from = next.off
	q.n--
}

// Clear takes all records out.
func (p *Pool) Clear(q *Queue) {
	for q.slots > 0 {
		p.drop(q)
	}
	*q = Queue{}
}

// drop frees the first slot.
func (p *Pool) drop(q *Queue) {
	next := p.next(q.first)
	p.Free(q.first)
	q.first = next
	q.slots--
}
