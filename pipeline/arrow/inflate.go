package arrow

import (
	"errors"

	"github.com/klauspost/compress/zstd"
)

// Codecs of a BodyCompression.
const (
	noCodec   = -1
	codecLZ4  = 0
	codecZSTD = 1
)

// asItIs stands for the size of a buffer that was not compressed.
const asItIs = -1

// errCompressed reports compressed bytes that do not become what they say.
var errCompressed = errors.New("compressed buffer does not unpack to its declared size")

// inflater unpacks the buffers of record batches. A compressed buffer opens
// with the size it unpacks to, -1 where it was left as it is.
type inflater struct {
	budget int // bytes that the record may still declare
	zstd   *zstd.Decoder
	rooms  [][]byte // unpacked buffers of the column at hand
	used   int
}

// reset starts a record whose buffers may unpack to budget bytes together.
func (z *inflater) reset(budget int) {
	z.budget = budget
	size := 0
	for _, b := range z.rooms {
		size += cap(b)
	}
	if outgrown(size, 0) {
		z.rooms = nil
	}
}

// next gives up the buffers of the column before.
func (z *inflater) next() { z.used = 0 }

// admit holds the sizes that the buffers of r declare against the budget,
// before any of them is unpacked.
func (z *inflater) admit(r *record) error {
	if r.codec == noCodec {
		return nil
	}
	for i := range len(r.buffers) / 16 {
		b := r.buffer(i)
		if len(b) == 0 {
			continue
		}
		if len(b) < 8 {
			return damaged("compressed buffer of %d bytes", len(b))
		}
		n := int64(le.Uint64(b))
		if n == asItIs {
			n = int64(len(b) - 8)
		}
		if n < 0 || n > int64(z.budget) {
			return damaged("compressed buffers declare more than %d times limits.record", expansion)
		}
		z.budget -= int(n)
	}
	return nil
}

// bytes returns the bytes of buffer i of r, which admit has let pass,
// unpacked. They are valid until next.
func (z *inflater) bytes(r *record, i int) ([]byte, error) {
	b := r.buffer(i)
	if r.codec == noCodec || len(b) == 0 {
		return b, nil
	}
	declared, b := int64(le.Uint64(b)), b[8:]
	if declared == asItIs {
		return b, nil
	}
	dst := z.room(int(declared))
	if r.codec == codecZSTD {
		return dst, z.unzstd(dst, b)
	}
	return dst, unlz4(dst, b)
}

// room returns n bytes that no other buffer of this column has.
func (z *inflater) room(n int) []byte {
	if z.used == len(z.rooms) {
		z.rooms = append(z.rooms, nil)
	}
	r := &z.rooms[z.used]
	z.used++
	if cap(*r) < n {
		*r = make([]byte, n)
	}
	return (*r)[:n:n]
}

// unzstd unpacks src into the whole of dst.
func (z *inflater) unzstd(dst, src []byte) error {
	if z.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
		z.zstd = d
	}
	out, err := unpacked(func() ([]byte, error) { return z.zstd.DecodeAll(src, dst[:0]) })
	if err != nil || len(out) != len(dst) {
		return errCompressed
	}
	return nil
}

// unpacked calls a decompressor. It is other people's code on hostile bytes: that it
// panics on some tells of these, and no more than that.
func unpacked[T any](call func() (T, error)) (out T, err error) {
	defer func() {
		if recover() != nil {
			err = errCompressed
		}
	}()
	return call()
}
