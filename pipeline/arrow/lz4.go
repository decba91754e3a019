package arrow

import "github.com/pierrec/lz4/v4"

// The LZ4 frame format: magic, flags, block size, optional content size,
// header checksum, then blocks of a 4-byte size each, the last of size 0.
const (
	lz4Magic = 0x184D2204

	lz4Version         = 0b01 << 6
	lz4VersionMask     = 0b11 << 6
	lz4Independent     = 1 << 5 // blocks do not refer to earlier ones
	lz4BlockChecksum   = 1 << 4
	lz4ContentSize     = 1 << 3
	lz4ContentChecksum = 1 << 2
	lz4Reserved        = 1 << 1
	lz4Dictionary      = 1 << 0

	lz4Stored = 1 << 31 // in a block's size: the block is not compressed
	lz4Window = 64 << 10
)

// unlz4 unpacks the frame src into the whole of dst. It keeps nothing between
// calls: whether a frame is good depends on its bytes alone, which a frame
// reader that is used again does not promise for damaged ones. Checksums are
// not looked at; Kafka has those of its batches.
func unlz4(dst, src []byte) error {
	if len(src) < 7 || le.Uint32(src) != lz4Magic {
		return errCompressed
	}
	flags, most := src[4], 1<<(8+2*int(src[5]>>4&7))
	if flags&lz4VersionMask != lz4Version || flags&(lz4Reserved|lz4Dictionary) != 0 || most < lz4Window {
		return errCompressed
	}
	src = src[6:]
	if flags&lz4ContentSize != 0 {
		if len(src) < 8 || le.Uint64(src) != uint64(len(dst)) {
			return errCompressed
		}
		src = src[8:]
	}
	if len(src) < 1 {
		return errCompressed
	}
	src = src[1:]
	done := 0
	for {
		if len(src) < 4 {
			return errCompressed
		}
		size := le.Uint32(src)
		src = src[4:]
		if size == 0 {
			break
		}
		stored := size&lz4Stored != 0
		size &^= lz4Stored
		if int64(size) > int64(len(src)) || int64(size) > int64(most) {
			return errCompressed
		}
		n, err := unlz4Block(dst, done, src[:size], stored, flags&lz4Independent != 0)
		if err != nil || n > most {
			return errCompressed
		}
		done += n
		src = src[size:]
		if flags&lz4BlockChecksum != 0 {
			if len(src) < 4 {
				return errCompressed
			}
			src = src[4:]
		}
	}
	trailer := 0
	if flags&lz4ContentChecksum != 0 {
		trailer = 4
	}
	if done != len(dst) || len(src) != trailer {
		return errCompressed
	}
	return nil
}

// unlz4Block unpacks one block behind the first done bytes of dst and returns
// how many bytes it became.
func unlz4Block(dst []byte, done int, block []byte, stored, independent bool) (int, error) {
	if stored {
		if len(block) > len(dst)-done {
			return 0, errCompressed
		}
		return copy(dst[done:], block), nil
	}
	if done == len(dst) { // the library must not be given an empty destination
		return 0, errCompressed
	}
	return unpacked(func() (int, error) {
		if independent {
			return lz4.UncompressBlock(block, dst[done:])
		}
		return lz4.UncompressBlockWithDict(block, dst[done:], dst[max(0, done-lz4Window):done])
	})
}
