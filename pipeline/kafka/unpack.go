package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/segmentio/kafka-go/compress"
)

// keptScratch is the largest buffer that waits for the next batch.
const keptScratch = 4 << 20

// unpacker decompresses batches up to a limit of bytes. It is safe for
// concurrent use.
type unpacker struct {
	limit   int64
	zstd    *zstd.Decoder
	gzip    sync.Pool // *gzip.Reader
	scratch sync.Pool // *[]byte
}

// newUnpacker returns an unpacker for at least one byte.
func newUnpacker(limit int64) (*unpacker, error) {
	limit = max(limit, 1)
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return &unpacker{
		limit:   limit,
		zstd:    z,
		gzip:    sync.Pool{New: func() any { return new(gzip.Reader) }},
		scratch: sync.Pool{New: func() any { return new([]byte) }},
	}, nil
}

// unpack returns what src was packed from; src itself when it was not. Every
// error means that these bytes will never be unpacked. The result has no
// slack, because records will keep it alive.
func (u *unpacker) unpack(codec compress.Compression, src []byte) ([]byte, error) {
	switch codec {
	case compress.None:
		return src, nil
	case compress.Snappy:
		return u.snappy(src)
	}
	scratch := u.scratch.Get().(*[]byte)
	out, err := u.stream((*scratch)[:0], codec, src)
	if err != nil {
		return nil, err
	}
	if cap(out) > keptScratch {
		return out, nil
	}
	exact := append([]byte(nil), out...)
	*scratch = out
	u.scratch.Put(scratch)
	return exact, nil
}

// stream unpacks the codecs that do not say sizes first, into dst or larger.
func (u *unpacker) stream(dst []byte, codec compress.Compression, src []byte) (_ []byte, err error) {
	switch codec {
	case compress.Gzip:
		z := u.gzip.Get().(*gzip.Reader)
		defer u.gzip.Put(z)
		if err = z.Reset(bytes.NewReader(src)); err == nil {
			dst, err = u.drain(dst, z)
		}
	case compress.Lz4:
		// A reader that is used again resolves references of a damaged frame
		// to what it read before: a replay elsewhere would read another record.
		dst, err = u.drain(dst, lz4.NewReader(bytes.NewReader(src)))
	case compress.Zstd:
		dst, err = u.zstd.DecodeAll(src, dst)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = fmt.Errorf("%w: more than %d bytes", errTooLarge, u.limit)
		}
	default:
		return nil, fmt.Errorf("unknown compression %d", codec)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	return dst, nil
}

// drain reads all of r.
func (u *unpacker) drain(out []byte, r io.Reader) ([]byte, error) {
	for {
		if len(out) == cap(out) {
			grown := make([]byte, len(out), min(2*int64(cap(out))+64<<10, u.limit+1))
			copy(grown, out)
			out = grown
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > u.limit:
			return nil, fmt.Errorf("%w: more than %d bytes", errTooLarge, u.limit)
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
	}
}

// xerial starts the framing that Java puts around snappy blocks: magic, two
// versions, then blocks behind their big-endian lengths. Others send one bare
// block.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

const xerialHeader = 16

func (u *unpacker) snappy(src []byte) ([]byte, error) {
	if !bytes.HasPrefix(src, xerial) {
		return u.blocks([][]byte{src})
	}
	var blocks [][]byte
	for src = src[min(len(src), xerialHeader):]; len(src) > 0; {
		if len(src) < 4 {
			return nil, fmt.Errorf("snappy: %w", io.ErrUnexpectedEOF)
		}
		n := binary.BigEndian.Uint32(src)
		if src = src[4:]; uint64(n) > uint64(len(src)) {
			return nil, fmt.Errorf("snappy: %w", io.ErrUnexpectedEOF)
		}
		blocks = append(blocks, src[:n])
		src = src[n:]
	}
	return u.blocks(blocks)
}

// blocks unpacks blocks one behind the other. Each says its size first, so
// that they are refused before they cost anything.
func (u *unpacker) blocks(blocks [][]byte) ([]byte, error) {
	var total int64
	for _, b := range blocks {
		n, err := snappy.DecodedLen(b)
		if err != nil {
			return nil, fmt.Errorf("snappy: %w", err)
		}
		if total += int64(n); total > u.limit {
			return nil, fmt.Errorf("snappy: %w: more than %d bytes", errTooLarge, u.limit)
		}
	}
	out := make([]byte, total)
	at := 0
	for _, b := range blocks {
		piece, err := snappy.Decode(out[at:], b)
		if err != nil {
			return nil, fmt.Errorf("snappy: %w", err)
		}
		at += len(piece)
	}
	return out, nil
}
