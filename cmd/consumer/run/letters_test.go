package run

import (
	"context"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// letterLog is a dead letter topic in memory.
type letterLog struct {
	pipeline.Log
	parts   [][]pipeline.Record
	start   int64
	fetched int
}

func (l *letterLog) Bounds(_ context.Context, p pipeline.Partition) (int64, int64, error) {
	return l.start, int64(len(l.parts[p.ID])), nil
}

func (l *letterLog) Fetch(_ context.Context, p pipeline.Partition, from int64, _ int) (pipeline.Fetched, error) {
	f := pipeline.Fetched{Next: from, End: int64(len(l.parts[p.ID]))}
	for _, r := range l.parts[p.ID][from:] {
		if f.Next++; len(f.Records) == 10 {
			f.Next--
			break
		}
		f.Records = append(f.Records, r)
		l.fetched++
	}
	return f, nil
}

func TestNewestLetters(t *testing.T) {
	dead := sink.DeadLetters{Topic: "shards.dead"}
	log := &letterLog{parts: make([][]pipeline.Record, 3), start: 5}
	for i := range 600 {
		part := i % 2
		r := &pipeline.Record{Offset: int64(i), Time: int64(1000 + i), Key: []byte("k"), Value: []byte("value")}
		o := dead.Output(pipeline.Partition{Topic: "shards", ID: 3}, r, "schema", "why")
		log.parts[part] = append(log.parts[part], pipeline.Record{Offset: int64(len(log.parts[part])), Time: o.Time, Key: o.Key, Value: o.Value, Headers: o.Headers})
	}
	log.parts[1][299].Headers = nil // somebody else's
	got, err := newestLetters(t.Context(), log, "shards.dead", 3, 7)
	if err != nil || len(got) != 7 {
		t.Fatalf("%d letters, %v", len(got), err)
	}
	for i, l := range got {
		want := int64(599 - i)
		if l.Time != 1000+want || l.Offset != want/2 || l.Partition != int32(want%2) {
			t.Errorf("letter %d: %+v", i, l)
		}
		if i > 0 && (l.Stage != "schema" || l.Reason != "why" || l.SourceOffset != want || l.Source.ID != 3) {
			t.Errorf("letter %d: %+v", i, l)
		}
	}
	if l := got[0]; l.Stage != "" || l.Reason == "" || l.SourceOffset != -1 {
		t.Errorf("no dead letter: %+v", l)
	}
	if log.fetched > 2*(letterBlock+10) {
		t.Errorf("%d records read for 7 letters", log.fetched)
	}
	if got, err = newestLetters(t.Context(), log, "shards.dead", 3, 1000); err != nil || len(got) != 590 {
		t.Errorf("all: %d letters, %v; 10 were trimmed", len(got), err)
	}
}
