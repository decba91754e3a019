package sink

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// A letter that would be too large with its record's bytes is small, always
// the same, and enough to find the record, to know it and to send it again.
func TestLetterWithoutItsRecord(t *testing.T) {
	const limit = 16 << 10
	src := pipeline.Partition{Topic: "shards", ID: 1}
	number := pipeline.Header{Key: pipeline.ShardHeader, Value: []byte("r/7")}
	value, large := []byte(strings.Repeat("v", 4<<20)), pipeline.Header{Key: "h", Value: make([]byte, limit)}
	for name, r := range map[string]*pipeline.Record{
		"value":   {Offset: 99, Time: 1234, Key: []byte("k"), Value: value, Headers: []pipeline.Header{{Key: "a", Value: []byte("b")}, number}},
		"headers": {Offset: 99, Time: 1234, Key: []byte("k"), Value: []byte("v"), Headers: []pipeline.Header{large, number}},
		"null":    {Offset: 99, Time: 1234, Key: []byte("k"), Headers: []pipeline.Header{large, number}},
		"key":     {Offset: 99, Time: 1234, Key: make([]byte, limit), Value: []byte("v")},
		"empty":   {Offset: 99, Time: 1234, Key: []byte("k"), Value: []byte{}, Headers: []pipeline.Header{large}},
	} {
		d := DeadLetters{Topic: "dead", Limit: limit}
		o := d.Output(src, r, "check", strings.Repeat("x", 2*maxMessage))
		if o.Size() > limit || len(o.Value) > 0 || o.Time != 1234 || o.Offset != 99 || !reflect.DeepEqual(o, d.Output(src, r, "check", strings.Repeat("x", 2*maxMessage))) {
			t.Errorf("%s: %d bytes: %.300s", name, o.Size(), headers(o))
		}
		l, ok := ParseLetter(o.Headers)
		if !ok || l.LeftOut == nil || l.Source != src || l.Offset != 99 || l.Stage != "check" || !strings.Contains(l.Message, "are in shards/1 at offset 99") {
			t.Fatalf("%s: %t %+v", name, ok, l)
		}
		if n, numbered := r.Header(pipeline.ShardHeader); numbered && (len(l.Headers) != 1 || string(l.Headers[0].Value) != string(n)) {
			t.Errorf("%s: the letter's repeats can't be told: %v", name, l.Headers)
		}
		whole, same := l.Whole(r)
		unbounded := DeadLetters{Topic: "dead"}.Output(src, r, "check", "x")
		plain, _ := ParseLetter(unbounded.Headers)
		if !same || plain.LeftOut != nil || !reflect.DeepEqual(whole.Replay(r), plain.Replay(r)) {
			t.Errorf("%s: not replayed as it was", name)
		}
		other := *r
		other.Value = append(bytes.Clone(r.Value), 'x')
		if _, same := l.Whole(&other); same {
			t.Errorf("%s: another value passes for the record's", name)
		}
		// A copy of the letter that dies itself is another letter.
		again := DeadLetters{}.Output(src, &pipeline.Record{Offset: 120, Headers: o.Headers}, "check", "x")
		if l, ok = ParseLetter(again.Headers); !ok || l.LeftOut != nil || l.Offset != 120 {
			t.Errorf("%s, dead again: %t %+v", name, ok, l)
		}
	}
	r := &pipeline.Record{Key: []byte("k"), Value: make([]byte, limit/2)}
	if o := (DeadLetters{Limit: limit}).Output(src, r, "check", "x"); !bytes.Equal(o.Value, r.Value) {
		t.Error("a letter within the limit has not its record's bytes")
	}
}
