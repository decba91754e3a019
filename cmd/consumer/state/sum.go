package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// An Arrow stream has no checksums. Snapshots have their own, and what stands beside them, as
// the offset of a row or the watermark of a partition, looks right with any bit turned; with one
// of a length, the library ends the process for want of memory. Therefore a file ends with the
// CRC-32C of all before, behind the end of the stream, where readers of Arrow do not look. Files of
// before have none.
const trailer = "credence-crc32c:"

var errDamagedFile = errors.New("the file is damaged or cut: copy it again, or use another one")

func newSum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// writeTrailer ends a file whose bytes sum has seen.
func writeTrailer(w io.Writer, sum hash.Hash32) error {
	_, err := w.Write(binary.LittleEndian.AppendUint32([]byte(trailer), sum.Sum32()))
	return err
}

// checkTrailer reads a file of so many bytes and reports whether it has a checksum.
func checkTrailer(r io.ReaderAt, size int64) (bool, error) {
	end := make([]byte, len(trailer)+4)
	at := size - int64(len(end))
	if at < 0 {
		return false, nil
	}
	if _, err := r.ReadAt(end, at); err != nil {
		return false, err
	}
	want, ok := bytes.CutPrefix(end, []byte(trailer))
	if !ok {
		return false, nil
	}
	sum := newSum()
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(r, 0, at), make([]byte, 1<<20)); err != nil {
		return false, err
	}
	if sum.Sum32() != binary.LittleEndian.Uint32(want) {
		return false, errDamagedFile
	}
	return true, nil
}
