package admin

import (
	"crypto/sha256"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// asRounded is the essence of the recomputed state with the snapshot that is stored, if both come from the same sums. What
// that snapshot judged otherwise, and where, is beside it.
func (s *slice) asRounded(key string, stored pipeline.Stored, got *pipeline.StoredState) (sum [sha256.Size]byte) {
	spec, ok := s.v.Rules.Match(key)
	if !ok || stored == nil {
		return sum
	}
	was, err := pipeline.ParseStored(key, stored)
	if err != nil || !spec.SameSums(was.Snapshot, got.Snapshot) {
		return sum
	}
	e := got.Envelope
	if string(e.Snapshot) != string(was.Snapshot) {
		e.Snapshot, e.Outlier = was.Snapshot, was.Outlier
	}
	return essence(&e)
}

// difference says in what a stored value differs from the recomputed state.
func difference(key string, stored pipeline.Stored, got *pipeline.StoredState) string {
	if stored == nil {
		return "the stored state has gone meanwhile"
	}
	was, err := pipeline.ParseStored(key, stored)
	switch {
	case err != nil:
		return err.Error()
	case was.Offset != got.Offset:
		return fmt.Sprintf("the last record applied is at offset %d, and by the log at %d", was.Offset, got.Offset)
	case was.T != got.T || was.N != got.N:
		return fmt.Sprintf("%d shards and %d rows are stored, the log gives %d and %d", was.T, was.N, got.T, got.N)
	case string(was.Snapshot) != string(got.Snapshot):
		i := 0
		for i < min(len(was.Snapshot), len(got.Snapshot)) && was.Snapshot[i] == got.Snapshot[i] {
			i++
		}
		return fmt.Sprintf("the snapshot differs from byte %d of %d on (recomputed: %d bytes)", i, len(was.Snapshot), len(got.Snapshot))
	case was.Outlier != got.Outlier:
		return fmt.Sprintf("the last outlier is stored as of offset %d, by the log it is of %d", was.Outlier, got.Outlier)
	case was.Time != got.Time:
		return fmt.Sprintf("the last record's time is stored as %d, in the log it is %d", was.Time, got.Time)
	}
	if string(was.Repeats()) != string(got.Repeats()) {
		return "the table of producers' runs differs"
	}
	return fmt.Sprintf("the rows that wait for a shard differ: %d are stored, the log gives %d", was.Waiting.Tell().Rows, got.Waiting.Tell().Rows)
}
