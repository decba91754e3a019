package arrow

import (
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// Header types of a Message.
const (
	headerSchema     = 1
	headerDictionary = 2
	headerRecord     = 3
)

// continuation opens a message since format 0.15; before, a message began
// with its length.
const continuation = 0xFFFFFFFF

// Metadata versions that can be read: 0.8 and later.
const (
	versionV4 = 3
	versionV5 = 4
)

// frame is one encapsulated message.
type frame struct {
	meta    flat
	head    table // Schema, DictionaryBatch or RecordBatch
	kind    byte
	version int
	body    []byte
	size    int // bytes of the whole message
}

// damaged reports bytes that are not an Arrow stream.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", pipeline.ErrDecode, fmt.Sprintf(format, args...))
}

// next reads the message that b starts with. end says that the stream is
// over: by its marker, or because there are no bytes left; marked tells
// which, and then frame.size is the size of the marker.
func next(b []byte) (f frame, end, marked bool, err error) {
	end, marked, err = f.read(b)
	return f, end, marked, err
}

// read is next into f.
func (f *frame) read(b []byte) (end, marked bool, err error) {
	*f = frame{}
	if len(b) == 0 {
		return true, false, nil
	}
	if len(b) < 4 {
		return false, false, damaged("truncated message")
	}
	prefix, n := 4, le.Uint32(b)
	if n == continuation {
		if len(b) < 8 {
			return false, false, damaged("truncated message")
		}
		prefix, n = 8, le.Uint32(b[4:])
	}
	if n == 0 {
		f.size = prefix
		return true, true, nil
	}
	if uint64(n) > uint64(len(b)-prefix) {
		return false, false, damaged("message metadata of %d bytes, %d present", n, len(b)-prefix)
	}
	rest := b[prefix+int(n):]
	f.meta.b = b[prefix : prefix+int(n)]
	m := f.meta.root()
	f.version = int(f.meta.i16(m, 0, 0))
	f.kind = f.meta.u8(m, 1, 0)
	f.head, _ = f.meta.sub(m, 2)
	length := f.meta.i64(m, 3)
	if f.meta.bad {
		return false, false, damaged("message metadata does not fit its bytes")
	}
	if f.version != versionV4 && f.version != versionV5 {
		return false, false, damaged("metadata version %d", f.version+1)
	}
	if length < 0 || uint64(length) > uint64(len(rest)) {
		return false, false, damaged("message body of %d bytes, %d present", length, len(rest))
	}
	f.body = rest[:length]
	f.size = prefix + int(n) + int(length)
	return false, false, nil
}

// record is a RecordBatch, also the one within a DictionaryBatch. The
// vectors lie within the metadata; every buffer lies within the body.
type record struct {
	rows     int
	nodes    []byte // FieldNode structs, 16 bytes each: length, null count
	buffers  []byte // Buffer structs, 16 bytes each: offset, length
	variadic []byte // int64 each: data buffers of every view column
	codec    int    // noCodec, codecLZ4, codecZSTD
	body     []byte
}

// readRecord reads table t of f and holds every buffer against the body.
func readRecord(f *flat, t table, body []byte) (record, error) {
	r := record{codec: noCodec, body: body}
	rows := f.i64(t, 0)
	r.nodes, _ = f.vector(t, 1, 16)
	r.buffers, _ = f.vector(t, 2, 16)
	if c, ok := f.sub(t, 3); ok {
		r.codec = int(f.u8(c, 0, codecLZ4))
		if f.u8(c, 1, 0) != 0 || r.codec != codecLZ4 && r.codec != codecZSTD {
			f.bad = true
		}
	}
	r.variadic, _ = f.vector(t, 4, 8)
	if f.bad {
		return r, damaged("record batch metadata does not fit its bytes")
	}
	if rows < 0 || rows > 1<<40 {
		return r, damaged("record batch of %d rows", rows)
	}
	r.rows = int(rows)
	for b := r.buffers; len(b) >= 16; b = b[16:] {
		off, n := le.Uint64(b), le.Uint64(b[8:])
		if off > uint64(len(body)) || n > uint64(len(body))-off {
			return r, damaged("buffer at %d of %d bytes in a body of %d", int64(off), int64(n), len(body))
		}
	}
	return r, nil
}

// buffer returns the bytes of buffer i, as they lie in the body.
func (r *record) buffer(i int) []byte {
	b := r.buffers[16*i:]
	off, n := le.Uint64(b), le.Uint64(b[8:])
	return r.body[off : off+n : off+n]
}

// node returns length and null count of node i.
func (r *record) node(i int) (rows, nulls int64) {
	b := r.nodes[16*i:]
	return int64(le.Uint64(b)), int64(le.Uint64(b[8:]))
}
