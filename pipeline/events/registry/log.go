package registry

import (
	"context"

	"github.com/credence-stream/credence/pipeline"
)

// Log is a log whose records come with their schemas.
type Log struct {
	pipeline.Log
	registry *Registry
}

var _ pipeline.Log = (*Log)(nil)

// NewLog returns a log that adds the schemas of a registry to the records of another.
func NewLog(l pipeline.Log, r *Registry) *Log { return &Log{l, r} }

// maxAsked is how many schemas are asked for before the records up to there are handed
// on: a topic of many schemas is read in small steps, and none of them is asked for in
// vain because the last took too long.
const maxAsked = 64

// Follow implements pipeline.Log. A registry that does not answer is an outage, unless
// there are records before the one whose schema it was asked for: these are handed on.
func (l *Log) Follow(ctx context.Context, p pipeline.Partition, at pipeline.Position, maxBytes int, room *pipeline.Room) (pipeline.Fetched, error) {
	f, err := l.Log.Follow(ctx, p, at, maxBytes, room)
	if err != nil || len(f.Records) == 0 {
		return f, err
	}
	n, err := l.registry.Learn(ctx, f.Records)
	switch {
	case n == len(f.Records):
		return f, nil
	case n == 0:
		if f.Free != nil {
			f.Free()
		}
		return pipeline.Fetched{}, err
	}
	clear(f.Records[n:])
	f.Records = f.Records[:n]
	last := &f.Records[n-1]
	f.Next = last.Offset + 1
	f.Epoch, f.Read = last.Epoch, f.Next
	return f, nil
}

// Learn adds their schemas to records and returns how many have theirs: all, or those
// before one whose schema an outage or the number of questions stands before.
func (r *Registry) Learn(ctx context.Context, records []pipeline.Record) (n int, err error) {
	asked := 0
	absent := map[uint32]*Schema{}
	for i := range records {
		record := &records[i]
		if record.Refused != nil || record.Value == nil {
			continue
		}
		id, _, err := cut(record.Value)
		if err != nil {
			continue // the decoder says so
		}
		if s, ok := absent[id]; ok {
			record.Schema = s
			continue
		}
		if asked == maxAsked && r.cache.get(id) == nil {
			return i, nil
		}
		s, new, err := r.schema(ctx, id)
		if err != nil {
			return i, err
		}
		if new {
			asked++
		}
		if s.form == nil {
			absent[id] = s
		}
		record.Schema = s
	}
	return len(records), nil
}
