package kafka

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/segmentio/kafka-go/compress"

	"github.com/credence-stream/credence/pipeline"
)

// Compression names how batches are packed.
type Compression int8

// The compressions of batches. The bytes of a batch depend on its outputs
// alone, whichever is chosen.
const (
	Plain  Compression = Compression(compress.None)
	Gzip   Compression = Compression(compress.Gzip)
	Snappy Compression = Compression(compress.Snappy)
	LZ4    Compression = Compression(compress.Lz4)
	Zstd   Compression = Compression(compress.Zstd)
)

// sizeOf is an upper bound of the bytes of an output in a plain batch.
func sizeOf(o *pipeline.Output) int {
	n := 4*binary.MaxVarintLen32 + 2*binary.MaxVarintLen64 + len(o.Key) + len(o.Value)
	for i := range o.Headers {
		n += 2*binary.MaxVarintLen32 + len(o.Headers[i].Key) + len(o.Headers[i].Value)
	}
	return n
}

// timeOf avoids 0 and less, which clients and brokers take for "none".
func timeOf(o *pipeline.Output) int64 { return max(o.Time, 1) }

// recordSet is one record batch of format 2 on its way, in pieces that are written one behind
// the other: values of some length stay where they are.
type recordSet struct {
	room   []byte   // what is no such value
	pieces [][]byte // of the room and such values in turn; the first begins with the header
	size   int      // of all pieces
}

// ownPiece is the length from which on a value is a piece of its own.
const ownPiece = 512

// put makes it the batch of outputs, at least one, which a session has to stamp.
func (s *recordSet) put(outputs []*pipeline.Output, c Compression) error {
	own := func(o *pipeline.Output) bool { return c == Plain && len(o.Value) >= ownPiece }
	size := batchHeader
	for _, o := range outputs {
		if size += sizeOf(o); own(o) {
			size -= len(o.Value)
		}
	}
	if cap(s.room) < size {
		s.room = make([]byte, 0, max(size, 2*cap(s.room)))
	}
	first := timeOf(outputs[0])
	greatest := first
	dst := s.room[:batchHeader]
	clear(dst)
	s.pieces, s.size = s.pieces[:0], 0
	add := func(piece []byte) { s.pieces, s.size = append(s.pieces, piece), s.size+len(piece) }
	var body []byte
	from := 0
	for i, o := range outputs {
		t := timeOf(o)
		greatest = max(greatest, t)
		body = appendRecord(body[:0], o, int64(i), t-first)
		dst = binary.AppendVarint(dst, int64(len(body)+valueSize(o)))
		dst = append(dst, body...)
		if own(o) {
			dst = binary.AppendVarint(dst, int64(len(o.Value)))
			add(dst[from:])
			add(o.Value)
			from = len(dst)
		} else {
			dst = appendBytes(dst, o.Value)
		}
		dst = appendHeaders(dst, o)
	}
	if c != Plain {
		packed, err := pack(dst[batchHeader:], c)
		if err != nil {
			return err
		}
		dst = append(dst[:batchHeader], packed...)
	}
	s.room = dst
	add(dst[from:])
	h := s.pieces[0]
	binary.BigEndian.PutUint32(h[8:], uint32(s.size-batchPrefix))
	binary.BigEndian.PutUint32(h[12:], 0xffffffff) // leader epoch: the broker's business
	h[magicAt] = 2
	binary.BigEndian.PutUint16(h[attrsAt:], uint16(c))
	binary.BigEndian.PutUint32(h[23:], uint32(len(outputs)-1))
	binary.BigEndian.PutUint64(h[27:], uint64(first))
	binary.BigEndian.PutUint64(h[35:], uint64(greatest))
	binary.BigEndian.PutUint32(h[recordsAt:], uint32(len(outputs)))
	return nil
}

// leave lets go of values, and of room that few batches need.
func (s *recordSet) leave() {
	if cap(s.room) > 2*batchBytes {
		s.room = nil
	}
	clear(s.pieces)
}

// appendRecord appends a record without its length up to the key; valueSize is the size
// of the rest.
func appendRecord(dst []byte, o *pipeline.Output, offset, time int64) []byte {
	dst = append(dst, 0) // attributes
	dst = binary.AppendVarint(dst, time)
	dst = binary.AppendVarint(dst, offset)
	return appendBytes(dst, o.Key)
}

func appendHeaders(dst []byte, o *pipeline.Output) []byte {
	dst = binary.AppendVarint(dst, int64(len(o.Headers)))
	for _, h := range o.Headers {
		dst = binary.AppendVarint(dst, int64(len(h.Key)))
		dst = appendBytes(append(dst, h.Key...), h.Value)
	}
	return dst
}

func valueSize(o *pipeline.Output) int {
	n := bytesSize(o.Value) + varintSize(int64(len(o.Headers)))
	for _, h := range o.Headers {
		n += varintSize(int64(len(h.Key))) + len(h.Key) + bytesSize(h.Value)
	}
	return n
}

func appendBytes(dst, b []byte) []byte {
	if b == nil {
		return binary.AppendVarint(dst, -1)
	}
	return append(binary.AppendVarint(dst, int64(len(b))), b...)
}

func bytesSize(b []byte) int {
	if b == nil {
		return 1
	}
	return varintSize(int64(len(b))) + len(b)
}

func varintSize(v int64) int {
	n := 1
	for u := uint64(v<<1) ^ uint64(v>>63); u >= 0x80; u >>= 7 {
		n++
	}
	return n
}

func pack(src []byte, c Compression) ([]byte, error) {
	codec := compress.Compression(c).Codec()
	if codec == nil {
		return nil, fmt.Errorf("unknown compression %d", c)
	}
	var out bytes.Buffer
	w := codec.NewWriter(&out)
	if _, err := w.Write(src); err != nil {
		return nil, fmt.Errorf("%s: %w", codec.Name(), err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("%s: %w", codec.Name(), err)
	}
	return out.Bytes(), nil
}
