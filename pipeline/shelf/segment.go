package shelf

import (
	"encoding/binary"

	"github.com/credence-stream/credence/internal/offheap"
)

// segment is a piece of memory in which records lie one behind the other.
type segment struct {
	*offheap.Block
	id           uint32
	used         int64 // up to where records lie
	top          int64 // up to where any did
	first        int64 // the first one that is there
	live         int64 // bytes of those that are there
	older, newer *segment
}

// A record is a header, the key, the value, and what makes its length a multiple of 8:
//
//	0  length of the value, as it is stored, uint32
//	4  length of the key, uint16
//	6  flags, uint16
//	8  tag, uint64
//	16 turn, uint64
const (
	headerBytes = 24

	gone   = 1 // flag of a record that was taken
	empty  = 2 // flag of a value of no bytes that is not nil
	folded = 4 // flag of a value that is stored as its difference to a pattern
)

// recordSize is what a record takes.
func recordSize(key, value int) int64 { return int64(headerBytes+key+value+7) &^ 7 }

// write appends a record, whose value may be a folded one.
func (s *segment) write(key string, v Value, flags uint16) {
	b := s.Bytes[s.used:]
	binary.LittleEndian.PutUint32(b, uint32(len(v.Bytes)))
	binary.LittleEndian.PutUint16(b[4:], uint16(len(key)))
	if len(v.Bytes) == 0 && v.Bytes != nil {
		flags |= empty
	}
	binary.LittleEndian.PutUint16(b[6:], flags)
	binary.LittleEndian.PutUint64(b[8:], v.Tag)
	binary.LittleEndian.PutUint64(b[16:], v.Turn)
	copy(b[headerBytes:], key)
	copy(b[headerBytes+len(key):], v.Bytes)
	n := recordSize(len(key), len(v.Bytes))
	if s.live == 0 {
		s.first = s.used
	}
	s.used += n
	s.top = max(s.top, s.used)
	s.live += n
}

// lengths returns those of the key and of the value at an offset.
func (s *segment) lengths(off int64) (key, value int) {
	b := s.Bytes[off:]
	return int(binary.LittleEndian.Uint16(b[4:])), int(binary.LittleEndian.Uint32(b))
}

func (s *segment) flags(off int64) uint16 { return binary.LittleEndian.Uint16(s.Bytes[off+6:]) }

func (s *segment) turn(off int64) uint64 { return binary.LittleEndian.Uint64(s.Bytes[off+16:]) }

// record returns the bytes of a record, and whether it was taken.
func (s *segment) record(off int64) (size int64, taken bool) {
	key, value := s.lengths(off)
	return recordSize(key, value), s.flags(off)&gone != 0
}

// key returns the bytes of a key, of the segment's memory.
func (s *segment) key(off int64) []byte {
	n, _ := s.lengths(off)
	return s.Bytes[off+headerBytes:][:n]
}

// stored returns what is stored of a value, of the segment's memory, and whether that is folded.
func (s *segment) stored(off int64) (b []byte, fold bool) {
	key, n := s.lengths(off)
	return s.Bytes[off+headerBytes+int64(key):][:n], s.flags(off)&folded != 0
}

// value returns a copy of a value.
func (s *segment) value(off int64, p *patterns) Value {
	v := Value{Tag: binary.LittleEndian.Uint64(s.Bytes[off+8:]), Turn: s.turn(off)}
	switch b, fold := s.stored(off); {
	case fold:
		v.Bytes = p.unfold(b)
	case len(b) > 0 || s.flags(off)&empty != 0:
		v.Bytes = make([]byte, len(b))
		copy(v.Bytes, b)
	}
	return v
}

// leave marks a record as taken and returns its bytes.
func (s *segment) leave(off int64) int64 {
	binary.LittleEndian.PutUint16(s.Bytes[off+6:], gone)
	n, _ := s.record(off)
	s.live -= n
	for s.first < s.used {
		n, taken := s.record(s.first)
		if !taken {
			break
		}
		s.first += n
	}
	return n
}

// chain is some segments in the order of their records.
type chain struct{ oldest, newest *segment }

func (c *chain) add(s *segment) {
	if s.older = c.newest; s.older != nil {
		s.older.newer = s
	} else {
		c.oldest = s
	}
	c.newest = s
}

func (c *chain) remove(s *segment) {
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		c.oldest = s.newer
	}
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		c.newest = s.older
	}
	s.older, s.newer = nil, nil
}
