package kafka

import (
	"encoding/binary"
	"math"
)

// Requests of versions that kafka-go does not have, and those that carry much, are
// written and read here, field by field. Flexible versions count in varints and end each structure with
// tagged fields.

// message is the body of a request.
type message struct {
	b        []byte
	flexible bool
}

func (m *message) int8(v int8)   { m.b = append(m.b, byte(v)) }
func (m *message) int16(v int16) { m.b = binary.BigEndian.AppendUint16(m.b, uint16(v)) }
func (m *message) int32(v int32) { m.b = binary.BigEndian.AppendUint32(m.b, uint32(v)) }
func (m *message) int64(v int64) { m.b = binary.BigEndian.AppendUint64(m.b, uint64(v)) }
func (m *message) id(v topicID)  { m.b = append(m.b, v[:]...) }

// count begins an array.
func (m *message) count(n int) {
	if m.flexible {
		m.b = binary.AppendUvarint(m.b, uint64(n)+1)
	} else {
		m.int32(int32(n))
	}
}

func (m *message) text(s string) {
	if m.flexible {
		m.b = binary.AppendUvarint(m.b, uint64(len(s))+1)
	} else {
		m.b = binary.BigEndian.AppendUint16(m.b, uint16(len(s)))
	}
	m.b = append(m.b, s...)
}

// end ends a structure, without tagged fields.
func (m *message) end() {
	if m.flexible {
		m.b = append(m.b, 0)
	}
}

// fields reads an answer, either one that is there or one that comes; past the
// end it is short for good.
type fields struct {
	rest     []byte
	short    bool
	flexible bool

	in   *conn // of one that comes
	left int   // bytes of it
	err  error // of in
}

// next returns n bytes, none for the length -1 of a null.
func (f *fields) next(n int) []byte {
	if f.in != nil {
		return f.coming(n)
	}
	if n > len(f.rest) {
		f.short, f.rest = true, nil
		return nil
	}
	n = max(n, 0)
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

// coming is next of an answer that comes: n bytes until the next call.
func (f *fields) coming(n int) []byte {
	n = max(n, 0)
	if f.short || n > f.left {
		f.short = true
		return nil
	}
	b, err := f.in.in.Peek(n)
	if err != nil {
		f.short, f.err = true, err
		return nil
	}
	_, _ = f.in.in.Discard(n) // they are there
	f.left -= n
	return b
}

// skip reads past n bytes of an answer that comes.
func (f *fields) skip(n int) {
	if n <= 0 || f.short {
		return
	}
	if n > f.left {
		f.short = true
		return
	}
	f.left -= n
	if f.err = f.in.discard(n, callTimeout); f.err != nil {
		f.short = true
	}
}

// bits returns the n bytes of an integer, 0 past the end.
func (f *fields) bits(n int) (v uint64) {
	for _, b := range f.next(n) {
		v = v<<8 | uint64(b)
	}
	return v
}

func (f *fields) int8() int8      { return int8(f.bits(1)) }
func (f *fields) int16() int16    { return int16(f.bits(2)) }
func (f *fields) int32() int32    { return int32(f.bits(4)) }
func (f *fields) int64() int64    { return int64(f.bits(8)) }
func (f *fields) id() (v topicID) { copy(v[:], f.next(len(v))); return v }

func (f *fields) uvarint() int {
	v := uint64(0)
	for shift := 0; shift < 35; shift += 7 {
		b := f.bits(1)
		v |= b & 0x7f << shift
		if b < 0x80 && v <= math.MaxInt32 {
			return int(v)
		}
	}
	f.short, f.rest = true, nil
	return 0
}

// count returns the length of an array, -1 for null.
func (f *fields) count() int {
	if f.flexible {
		return f.uvarint() - 1
	}
	return int(f.int32())
}

// bytes aliases the answer.
func (f *fields) bytes() []byte { return f.next(f.count()) }

func (f *fields) text() string {
	if f.flexible {
		return string(f.bytes())
	}
	return string(f.next(int(f.int16())))
}

// end skips the tagged fields of a structure.
func (f *fields) end() {
	if !f.flexible {
		return
	}
	for n := f.uvarint(); n > 0 && !f.short; n-- {
		f.uvarint()
		f.next(f.uvarint())
	}
}
