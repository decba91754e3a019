package sink

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/credence-stream/credence/pipeline"
)

// The headers that a dead letter without its record's value has after all
// others, in order.
const (
	bytesHeader = prefix + "value.bytes"
	sumHeader   = prefix + "value.sha256"
)

// LeftOut tells the value that a dead letter has not: it stays where the
// record was.
type LeftOut struct {
	Bytes int64 // -1: null
	sum   [sha256.Size]byte
}

func leftOut(value []byte) LeftOut {
	l := LeftOut{Bytes: int64(len(value)), sum: sha256.Sum256(value)}
	if value == nil {
		l.Bytes = -1
	}
	return l
}

// headers are those of a letter that leaves this value out.
func (l LeftOut) headers() []pipeline.Header {
	return []pipeline.Header{
		{Key: bytesHeader, Value: strconv.AppendInt(nil, l.Bytes, 10)},
		{Key: sumHeader, Value: hex.AppendEncode(nil, l.sum[:])},
	}
}

// parseLeftOut returns what the last headers say is left out, and the others.
// It returns nil and all of them where they say nothing.
func parseLeftOut(headers []pipeline.Header) (*LeftOut, []pipeline.Header) {
	own := len(headers) - 2
	if own < 0 || headers[own].Key != bytesHeader || headers[own+1].Key != sumHeader {
		return nil, headers
	}
	var l LeftOut
	var err error
	if l.Bytes, err = strconv.ParseInt(string(headers[own].Value), 10, 64); err != nil {
		return nil, headers
	}
	if n, err := hex.Decode(l.sum[:], headers[own+1].Value[:min(len(headers[own+1].Value), 2*sha256.Size)]); err != nil || n != sha256.Size {
		return nil, headers
	}
	return &l, headers[:own:own]
}

// Whole returns the letter with the headers of r and reports whether r is the
// record that it was written for.
func (l Letter) Whole(r *pipeline.Record) (Letter, bool) {
	if r.Offset != l.Offset || leftOut(r.Value) != *l.LeftOut {
		return l, false
	}
	l.Headers, l.LeftOut = r.Headers, nil
	return l, true
}

// spare returns record r without its bytes, for a letter that would be too
// large with them. It keeps a key that a model can have, the number by
// which repeats are told, and the context of its trace; message says where the rest is.
func spare(src pipeline.Partition, r *pipeline.Record, message string) (*pipeline.Record, string) {
	s := &pipeline.Record{Offset: r.Offset, Time: r.Time}
	if len(r.Key) <= pipeline.MaxKey {
		s.Key = bytes.Clone(r.Key)
	}
	if v, ok := r.Header(pipeline.ShardHeader); ok {
		if _, _, ok := pipeline.ParseShard(v); ok {
			s.Headers = []pipeline.Header{{Key: pipeline.ShardHeader, Value: bytes.Clone(v)}}
		}
	}
	s.Headers = append(s.Headers, TraceOf(r).headers()...)
	return s, fmt.Sprintf("%s; the record's %d bytes are left out (limits.dead_letter): they are in %s at offset %d while that keeps them",
		printable(message), r.Size(), src, r.Offset)
}
