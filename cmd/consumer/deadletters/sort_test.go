package deadletters

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

func TestProgress(t *testing.T) {
	p := parseProgress(-1, "")
	for _, v := range []struct {
		offset int64
		done   bool
	}{{0, true}, {2, true}, {3, false}, {5, true}, {6, true}, {8, false}, {9, true}} {
		p.visit(v.offset, v.done)
	}
	if note := p.note(10, parseProgress(3, "20-22")); p.base != 3 || note != "5-7,9-10,20-22" {
		t.Fatalf("base %d, note %q", p.base, note)
	}
	again := parseProgress(p.base, p.note(10, &progress{}))
	for o, want := range map[int64]bool{0: true, 2: true, 3: false, 4: false, 5: true, 6: true, 7: false, 8: false, 9: true, 10: false} {
		if again.done(o) != want {
			t.Errorf("offset %d: done %t", o, !want)
		}
	}
	// A note that is too long forgets letters, and never makes one up.
	long := &progress{base: 1}
	for o := int64(1); o < 4000; o++ {
		long.visit(o, o%2 == 0)
	}
	note := long.note(4000, &progress{})
	read := parseProgress(long.base, note)
	if len(note) > maxNote || read.done(3) || !read.done(2) || read.done(3998) {
		t.Errorf("%d bytes: %.60s", len(note), note)
	}
}

// A sorter lets no letter pass that a worker would then apply twice, or never.
func TestSorter(t *testing.T) {
	letter := func(offset int64, key, stage string, headers ...pipeline.Header) *pipeline.Record {
		r := &pipeline.Record{Offset: offset, Key: []byte(key), Value: []byte("v"), Headers: headers}
		o := sink.DeadLetters{}.Output(pipeline.Partition{Topic: "in", ID: 0}, r, stage, "why")
		return &pipeline.Record{Key: r.Key, Value: r.Value, Headers: o.Headers}
	}
	sent := func(id string) pipeline.Header {
		return pipeline.Header{Key: pipeline.ShardHeader, Value: []byte(id)}
	}
	ordered := map[string]bool{"k": false, "l": false, "m": false, "d": true}
	s := &sorter{
		input: "in", stage: "schema", left: -1, watermarks: []int64{100},
		ordered: func(key string) (bool, bool) { o, ok := ordered[key]; return o, ok },
		done:    []*progress{{base: 1}},
	}
	for i, c := range []struct {
		r    *pipeline.Record
		want verdict
	}{
		{letter(5, "k", "schema", sent("r/1")), verdictDone},
		{letter(6, "k", "schema", sent("r/1")), verdictRepeat}, // sent twice by its producer
		{letter(5, "k", "schema", sent("r/1")), verdictRepeat}, // a letter written twice
		{letter(7, "k", "schema", sent("r/2")), verdictSend},   //
		{letter(8, "l", "check"), verdictOther},                //
		{letter(9, "l", "schema"), verdictBehind},              // a worker would take 8 for a repeat of it
		{letter(10, "d", "schema"), verdictOrder},              //
		{letter(11, "x", "schema"), verdictNobody},             //
		{letter(100, "k", "schema"), verdictAhead},             //
		{letter(120, "k", "schema", sent("r/1"), sent("dlq.in.0/5")), verdictBehind},
		{letter(121, "k", "schema", sent("r/1"), sent("dlq.in.0/5")), verdictRepeat}, // replayed twice, died twice
		{&pipeline.Record{Key: []byte("k")}, verdictForeign},
		{letter(30, "", "check"), verdictKeyless},
		{letter(40, "m", "schema"), verdictSend},
		{&pipeline.Record{Refused: errors.New("too large")}, verdictRefused}, // of whatever key
		{letter(42, "m", "schema"), verdictAfter},
	} {
		c.r.Offset = int64(i)
		if got, _ := s.judge(pipeline.Partition{Topic: "in.dead"}, c.r); got != c.want {
			t.Errorf("letter %d: verdict %d, want %d", i, got, c.want)
		}
	}
	if b, err := json.Marshal(newLetterLine(pipeline.Partition{}, &pipeline.Record{}, &sink.Letter{}, "")); err != nil || !strings.Contains(string(b), `"key":null`) {
		t.Errorf("%s and error %v", b, err)
	}
}
