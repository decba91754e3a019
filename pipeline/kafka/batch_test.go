package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// TestRecordsMangled: bytes behind a correct checksum may still be anything.
func TestRecordsMangled(t *testing.T) {
	good := stored(t, 10, Plain, numbered("", 2)...)
	for _, tc := range []struct {
		name  string
		spoil func(b []byte)
	}{
		{"negative count", func(b []byte) { binary.BigEndian.PutUint32(b[57:], 1<<31) }},
		{"count above the bytes", func(b []byte) { binary.BigEndian.PutUint32(b[57:], 1<<30) }},
		{"count above the records", func(b []byte) { binary.BigEndian.PutUint32(b[57:], 3) }},
		{"record longer than the batch", func(b []byte) { b[batchHeader] = 0x7e }},
		{"negative record length", func(b []byte) { b[batchHeader] = 1 }},
		{"record shorter than its fields", func(b []byte) { b[batchHeader] -= 2 }},
		{"offset delta twice", func(b []byte) { b[batchHeader+int(b[batchHeader])/2+1+3] = 0 }},
		{"offset above the last", func(b []byte) { b[batchHeader+3] = 8 }},
		{"negative key length", func(b []byte) { b[batchHeader+4] = 3 }},
		{"key longer than the batch", func(b []byte) { b[batchHeader+4] = 0x7e }},
		{"many headers", func(b []byte) { b[len(b)-1] = 0x7e }},
		{"unfinished number", func(b []byte) { b[len(b)-1] = 0x80 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data := append([]byte(nil), good...)
			tc.spoil(data)
			b, n, err := parseBatch(sealed(data))
			if err != nil || n != len(data) {
				t.Fatalf("header: %v", err)
			}
			kept := make([]pipeline.Record, 1, 8)
			got, _, err := b.records(kept, b.payload, 0, testLimit, nil)
			if !errors.Is(err, errMangled) || len(got) != 1 {
				t.Errorf("%d records, %v", len(got)-1, err)
			}
		})
	}
}

// TestRecordsCost: short records and headers take more memory than bytes.
func TestRecordsCost(t *testing.T) {
	small := stored(t, 0, Plain, make([]pipeline.Output, 1000)...)
	wide := stored(t, 0, Plain, pipeline.Output{Headers: make([]pipeline.Header, 1000)})
	for _, data := range [][]byte{small, wide} {
		b, _, err := parseBatch(data)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err = b.records(nil, b.payload, 0, 20_000, nil)
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, errTooLarge) || spent > 40_000 {
			t.Errorf("%d bytes, limit 20000: %d allocated, %v", len(data), spent, err)
		}
		_, cost, err := b.records(nil, b.payload, 0, 200_000, nil)
		if err != nil || cost < 40_000 {
			t.Errorf("cost %d, %v", cost, err)
		}
	}
}

func TestParseBatchHeader(t *testing.T) {
	good := stored(t, 10, Plain, numbered("", 2)...)
	for cut := range good {
		if _, _, err := parseBatch(good[:cut]); !errors.Is(err, errPartial) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	for name, spoil := range map[string]func(b []byte){
		"short":       func(b []byte) { binary.BigEndian.PutUint32(b[8:], 3) },
		"negative":    func(b []byte) { binary.BigEndian.PutUint32(b[8:], 1<<31) },
		"base offset": func(b []byte) { b[0] = 0x80 },
		"last offset": func(b []byte) { binary.BigEndian.PutUint32(b[23:], 1<<31); sealed(b) },
		"overflow":    func(b []byte) { binary.BigEndian.PutUint64(b, math.MaxInt64) },
		"format":      func(b []byte) { b[magicAt] = 3 },
		"checksum":    func(b []byte) { b[len(b)-1]++ },
	} {
		data := append([]byte(nil), good...)
		spoil(data)
		if _, _, err := parseBatch(data); err == nil || errors.Is(err, errPartial) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBatchOverAnotherOne: what a set was before is no part of a batch.
func TestBatchOverAnotherOne(t *testing.T) {
	o := pipeline.Output{Key: []byte("k"), Value: []byte("v"), Headers: []pipeline.Header{{Key: "a", Value: []byte("b")}}}
	long := pipeline.Output{Key: []byte("k"), Value: bytes.Repeat([]byte("v"), ownPiece), Headers: o.Headers}
	for c := Plain; c <= Zstd; c++ {
		var used recordSet
		for _, outputs := range [][]*pipeline.Output{{&o, {}, &o}, {&long, {}, &long}, {&o, {}, &o}, {&o, &long, &long}} {
			var fresh recordSet
			if err := errors.Join(fresh.put(outputs, c), used.put(outputs, c)); err != nil {
				t.Fatal(err)
			}
			got, want := bytes.Join(used.pieces, nil), bytes.Join(fresh.pieces, nil)
			if !bytes.Equal(got, want) || used.size != len(want) {
				t.Errorf("compression %d: %x, want %x", c, got, want)
			}
		}
	}
}

// TestPieces: a value of some length is not copied, the batch is what it is without pieces, and
// nothing of it is kept.
func TestPieces(t *testing.T) {
	value := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, n) }
	headers := []pipeline.Header{{Key: "a", Value: []byte("b")}, {Key: "none"}}
	var list []*pipeline.Output
	for i, n := range []int{ownPiece, 3, ownPiece - 1, 3000, 0, ownPiece + 1} {
		list = append(list, &pipeline.Output{Key: []byte("k"), Value: value(n), Headers: headers[:i%3], Time: int64(i)})
	}
	list = append(list, &pipeline.Output{})
	var set recordSet
	if err := set.put(list, Plain); err != nil {
		t.Fatal(err)
	}
	if n := len(set.pieces); n != 7 {
		t.Fatalf("%d pieces", n)
	}
	for i, of := range []int{0, 3, 5} {
		if p := set.pieces[2*i+1]; &p[0] != &list[of].Value[0] {
			t.Errorf("the value of record %d is copied", of)
		}
	}
	session{7, 8, 9}.stamp(set.pieces...)
	flat := bytes.Join(set.pieces, nil)
	if content := contentOf(flat); content != contentOf(set.pieces...) {
		t.Error("pieces are another content")
	}
	b, n, err := parseBatch(flat)
	if err != nil || n != len(flat) || n != set.size {
		t.Fatalf("%d of %d bytes, %d counted: %v", n, len(flat), set.size, err)
	}
	got, _, err := b.records(nil, b.payload, 0, testLimit, nil)
	if err != nil || len(got) != len(list) {
		t.Fatalf("%d records, %v", len(got), err)
	}
	for i, r := range got {
		o := list[i]
		if !bytes.Equal(r.Key, o.Key) || !bytes.Equal(r.Value, o.Value) || len(r.Headers) != len(o.Headers) || r.Time != timeOf(o) {
			t.Errorf("record %d: %+v", i, r)
		}
	}
	set.leave()
	for _, p := range set.pieces[:7] {
		if p != nil {
			t.Fatal("a value is kept")
		}
	}
}

func FuzzRecords(f *testing.F) {
	full := pipeline.Output{Key: []byte("k"), Value: []byte("v"), Headers: []pipeline.Header{{Key: "a", Value: []byte("b")}}}
	for c := Plain; c <= Zstd; c++ {
		f.Add(stored(f, 0, c, full, pipeline.Output{}, full))
	}
	u, err := newUnpacker(1 << 20)
	if err != nil {
		f.Fatal(err)
	}
	l := &Log{unpack: u, limit: u.limit, record: u.limit}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < batchHeader {
			return
		}
		binary.BigEndian.PutUint32(data[8:], uint32(len(data)-batchPrefix))
		data[magicAt] = 2
		a := answer{stable: math.MaxInt64, records: sealed(data)}
		got, err := l.decode(&a, 0, nil)
		if err != nil {
			return
		}
		last := int64(-1)
		var size int64
		for _, r := range got.Records {
			if r.Offset <= last || r.Offset >= got.Next {
				t.Fatalf("offset %d after %d, next %d", r.Offset, last, got.Next)
			}
			last = r.Offset
			if r.Refused == nil {
				size += r.Size()
			}
		}
		if size > 2*u.limit+int64(len(data)) {
			t.Fatalf("%d bytes of records from %d", size, len(data))
		}
	})
}
