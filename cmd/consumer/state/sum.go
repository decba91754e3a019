package state

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"maps"
	"slices"

	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// part is what an export says of a partition. Sum is the digest of its rows, empty in
// files of releases that wrote none.
type part struct {
	admin.Export
	Sum string `json:"sum,omitempty"`
}

// errDamaged is of a file that holds something else than export wrote. A snapshot has a
// checksum of its own; a watermark, an offset, the rows that wait for a shard have not, and
// a state that goes on from another one is wrong without a word.
var errDamaged = errors.New("it is damaged: its checksum does not match what it holds; copy it again from where it was written, or export again")

// rowSum digests rows.
type rowSum struct {
	hash.Hash
	buf []byte
}

func newRowSum() *rowSum { return &rowSum{Hash: sha256.New()} }

// add takes all of a row in.
func (s *rowSum) add(row *arrow.State) {
	b := s.buf[:0]
	for _, n := range []int64{row.T, row.N, int64(row.Partition), row.Offset, row.Time, row.Gaps, row.Outlier} {
		b = binary.AppendVarint(b, n)
	}
	for _, text := range []string{row.Key, row.Kind, row.Variant, row.Fingerprint} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	for _, value := range [][]byte{row.Snapshot, row.Summary, row.Repeats, row.Sections} {
		b = append(binary.AppendUvarint(b, uint64(len(value))), value...)
	}
	s.buf = b
	_, _ = s.Write(b) // a hash takes everything
}

func (s *rowSum) text() string { return hex.EncodeToString(s.Sum(nil)) }

// aboutSum digests what is said of the file, but for the digest itself.
func aboutSum(about map[string]string) string {
	var b []byte
	for _, key := range slices.Sorted(maps.Keys(about)) {
		if key == exportSum {
			continue
		}
		for _, text := range []string{key, about[key]} {
			b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
