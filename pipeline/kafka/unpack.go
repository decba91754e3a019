package kafka

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/segmentio/kafka-go/compress"

	"github.com/credence-stream/credence/pipeline"
)

// scratchBytes is room to unpack an ordinary batch in.
const scratchBytes = 4 << 20

// unpacker decompresses batches up to a limit of bytes, as many at a time as there
// are cores. It is safe for concurrent use.
type unpacker struct {
	limit   int64
	zstd    *zstd.Decoder
	benches chan *bench
}

// bench is what one batch is unpacked with.
type bench struct {
	gzip    gzip.Reader
	scratch []byte
}

// newUnpacker returns an unpacker for at least one byte.
func newUnpacker(limit int64) (*unpacker, error) {
	limit = max(limit, 1)
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	u := &unpacker{limit: limit, zstd: z, benches: make(chan *bench, runtime.GOMAXPROCS(0))}
	for range cap(u.benches) {
		u.benches <- new(bench)
	}
	return u, nil
}

// unpack returns what src was packed from; src itself when it was not. The
// result has no slack, because records will keep it alive. A *pipeline.ShortError
// says that there is no room for it at present; every other error means that
// these bytes will never be unpacked.
func (u *unpacker) unpack(codec compress.Compression, src []byte, room *pipeline.Room) ([]byte, error) {
	switch codec {
	case compress.None:
		return src, nil
	case compress.Snappy:
		return u.snappy(src, room)
	}
	b := <-u.benches
	defer func() { u.benches <- b }()
	if b.scratch == nil {
		b.scratch = make([]byte, 0, min(scratchBytes, u.limit))
	}
	out, err := u.stream(b, b.scratch, codec, src)
	extra := int64(0) // bytes of a larger scratch
	for size := int64(cap(b.scratch)); errors.Is(err, errFull) && size < u.limit; {
		room.Give(extra)
		size = min(2*size, u.limit)
		if err := room.Take(size); err != nil {
			return nil, err
		}
		extra = size
		out, err = u.stream(b, make([]byte, 0, size), codec, src)
	}
	if errors.Is(err, errFull) {
		err = fmt.Errorf("%w: more than %d bytes", errTooLarge, u.limit)
	}
	if err != nil {
		room.Give(extra)
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	if err := room.Take(int64(len(out))); err != nil {
		return nil, err
	}
	exact := append([]byte(nil), out...)
	room.Give(extra)
	return exact, nil
}

// errFull says that what was packed is larger than the buffer.
var errFull = errors.New("does not fit")

// stream unpacks the codecs that do not say sizes first, into dst.
func (u *unpacker) stream(b *bench, dst []byte, codec compress.Compression, src []byte) ([]byte, error) {
	switch codec {
	case compress.Gzip:
		if err := b.gzip.Reset(bytes.NewReader(src)); err != nil {
			return nil, err
		}
		return drain(dst, &b.gzip)
	case compress.Lz4:
		// A reader that is used again resolves references of a damaged frame
		// to what it read before: a replay elsewhere would read another record.
		return drain(dst, lz4.NewReader(bytes.NewReader(src)))
	case compress.Zstd:
		out, err := u.zstd.DecodeAll(src, dst)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = errFull
		}
		return out, err
	}
	return nil, fmt.Errorf("unknown compression %d", codec)
}

// drain reads all of r into what out has room for.
func drain(out []byte, r io.Reader) ([]byte, error) {
	for {
		if len(out) == cap(out) {
			var one [1]byte
			if _, err := io.ReadFull(r, one[:]); !errors.Is(err, io.EOF) {
				return nil, cmp.Or(err, errFull)
			}
			return out, nil
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
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

func (u *unpacker) snappy(src []byte, room *pipeline.Room) ([]byte, error) {
	if !bytes.HasPrefix(src, xerial) {
		return u.blocks([][]byte{src}, room)
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
	return u.blocks(blocks, room)
}

// blocks unpacks blocks one behind the other. Each says its size first, so
// that they are refused before they cost anything.
func (u *unpacker) blocks(blocks [][]byte, room *pipeline.Room) ([]byte, error) {
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
	if err := room.Take(total); err != nil {
		return nil, err
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
