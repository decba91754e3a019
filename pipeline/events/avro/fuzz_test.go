package avro

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/twmb/avro"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

var small = events.Limits{Record: 64 << 10, Rows: 1000, Columns: 100}

// schemas are those that fuzzing reads by.
var schemas = []string{
	`{"type":"record","name":"Flat","fields":[{"name":"y","type":"double"},{"name":"n","type":"long"},{"name":"i","type":"int"},{"name":"f","type":"float"},
	  {"name":"b","type":"boolean"},{"name":"s","type":"string"},{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}}]}`,
	`{"type":"record","name":"Opt","fields":[{"name":"y","type":["null","double"]},{"name":"u","type":["long","string","null","boolean"]},
	  {"name":"c","type":["null",{"type":"record","name":"C","fields":[{"name":"age","type":["null","int"]},{"name":"tags","type":{"type":"array","items":"C2"}}]}]},
	  {"name":"z","type":["null",{"type":"record","name":"C2","fields":[{"name":"x","type":"null"}]}]}]}`,
	`{"type":"record","name":"Log","fields":[{"name":"d","type":{"type":"int","logicalType":"date"}},{"name":"ms","type":{"type":"long","logicalType":"timestamp-millis"}},
	  {"name":"us","type":{"type":"long","logicalType":"timestamp-micros"}},{"name":"dec","type":{"type":"bytes","logicalType":"decimal","precision":40,"scale":2}},
	  {"name":"fd","type":{"type":"fixed","name":"F8","size":8,"logicalType":"decimal","precision":18,"scale":0}},{"name":"raw","type":"bytes"},{"name":"fx","type":{"type":"fixed","name":"F4","size":4}},
	  {"name":"t","type":{"type":"int","logicalType":"time-millis"}}]}`,
	`{"type":"record","name":"Rec","fields":[{"name":"y","type":"int"},{"name":"next","type":["null","Rec"]},{"name":"m","type":{"type":"map","values":["null","long","Rec"]}},
	  {"name":"all","type":{"type":"array","items":"Rec"}}]}`,
	`{"type":"array","items":{"type":"record","name":"Row","fields":[{"name":"y","type":["null","double","int"]},{"name":"g","type":["null","string"]}]}}`,
	`{"type":"map","values":"double"}`,
}

func compiled(tb testing.TB) (all []*Schema) {
	for _, text := range schemas {
		s, err := Parse(text)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// What is accepted is a datum for the library that parses the schema, whole, and a
// row has the values that it finds; what it reads and is refused here has a reason
// that is not one of the encoding.
func FuzzDecode(f *testing.F) {
	ours := compiled(f)
	var theirs []*avro.Schema
	for i, text := range schemas {
		s := avro.MustParse(text)
		theirs = append(theirs, s)
		for _, v := range samples[i] {
			b, err := s.Encode(v)
			if err != nil {
				f.Fatal(i, err)
			}
			f.Add(uint8(i), b)
		}
	}
	// Blocks with their size, blocks that claim more than there is, and none.
	f.Add(uint8(4), []byte{1, 24, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 'a', 0})
	f.Add(uint8(4), []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40})
	f.Add(uint8(1), []byte{0, 0, 2, 2, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0, 0})
	var used []pipeline.Decoder
	for _, s := range ours {
		used = append(used, s.NewDecoder(small, events.Wanted{}, nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, value []byte) {
		n := int(which) % len(schemas)
		b, err := pipelinetest.Decoded(t, used[n], ours[n].NewDecoder(small, events.Wanted{}, nil), value)
		// The library also reads what is in an array, which is passed over here by the
		// size of its blocks.
		skips := strings.Contains(schemas[n], `"array","items":"`)
		var v any
		rest, errTheirs := theirs[n].Decode(value, &v)
		if err != nil {
			refusal(t, err, errTheirs == nil && len(rest) == 0 && !skips)
			return
		}
		if errTheirs != nil || len(rest) > 0 {
			if !skips {
				t.Fatalf("read here, and there: %v, %d bytes left", errTheirs, len(rest))
			}
			return
		}
		entry := func(name string) bool { return strings.Contains(name, "m.") }
		if n == 3 && (slices.ContainsFunc(b.Columns, func(c cdf.Column) bool { return entry(c.Name) }) ||
			slices.ContainsFunc(b.Skipped, func(s cdf.Skipped) bool { return entry(s.Name) })) {
			return // the last of two entries of a name counts there, and may be null
		}
		if row, ok := v.(map[string]any); ok {
			compare(t, b, pipelinetest.Flatten(row))
		}
	})
}

// refusal checks what an error says; whether the library reads the record.
func refusal(t *testing.T, err error, read bool) {
	t.Helper()
	pipelinetest.Refusal(t, err)
	if !read || !errors.Is(err, pipeline.ErrDecode) {
		return
	}
	for _, why := range []string{"is there twice", "UTF-8", "is no boolean", "in each other", "a decimal of", "rows that take no bytes", "items are claimed", "a block of"} {
		if strings.Contains(err.Error(), why) {
			return
		}
	}
	t.Fatalf("the library reads it: %v", err)
}

// compare holds a batch of one row against what the library has found.
func compare(t *testing.T, b *cdf.Batch, row map[string]any) {
	t.Helper()
	for _, s := range b.Skipped {
		switch row[s.Name].(type) {
		case []any, []byte, time.Duration:
		default:
			t.Fatalf("%q is skipped, and is %T", s.Name, row[s.Name])
		}
	}
	for name, v := range row {
		if v == nil && !slices.ContainsFunc(b.Columns, func(c cdf.Column) bool { return c.Name == name }) {
			delete(row, name) // of an object that is not there
		}
	}
	if len(b.Columns)+len(b.Skipped) != len(row) {
		t.Fatalf("%d columns of %v", len(b.Columns), row)
	}
	for i := range b.Columns {
		c := &b.Columns[i]
		v, ok := row[c.Name]
		if !ok {
			t.Fatalf("column %q is not there", c.Name)
		}
		var number float64
		want := cdf.Float
		switch v := v.(type) {
		case nil:
			number = math.NaN()
		case bool:
			want = cdf.Bool
			if v {
				number = 1
			}
		case int32:
			want, number = cdf.Integer, float64(v)
		case int64:
			want, number = cdf.Integer, float64(v)
			if c.Type == want && c.Int[0] != v {
				t.Fatalf("%d is %d", v, c.Int[0])
			}
		case float32:
			number = float64(v)
		case float64:
			number = v
		case time.Time:
			want, number = cdf.Time, seconds(v)
		case *big.Rat:
			number, _ = v.Float64()
			if c.Name == "fd" {
				want = cdf.Integer
			}
		case string:
			if label, _ := c.Label(0); c.Type == cdf.Text && label != v || c.Type != cdf.Text && c.Type != cdf.Time {
				t.Fatalf("%q is %+v", v, c)
			}
			continue
		default:
			t.Fatalf("%q is %T", c.Name, v)
		}
		if c.Type != want || c.Number[0] != number && !(math.IsNaN(number) && math.IsNaN(c.Number[0])) {
			t.Fatalf("%q: %v is %+v", c.Name, v, c)
		}
	}
}

// seconds is a time as the library has it, of at most microseconds.
func seconds(t time.Time) float64 {
	whole, rest := t.Unix(), t.Nanosecond()/1000
	if whole < 0 && rest > 0 {
		whole, rest = whole+1, rest-1_000_000
	}
	return float64(whole) + float64(rest)/1e6
}

// samples are values that the corpus begins with, by schema.
var samples = [][]any{
	{map[string]any{"y": 1.5, "n": int64(1) << 60, "i": int32(-7), "f": float32(0.1), "b": true, "s": "north", "e": "B"},
		map[string]any{"y": math.NaN(), "n": int64(math.MinInt64), "i": int32(0), "f": float32(2), "b": false, "s": "2024-01-05T08:30:00Z", "e": "A"}},
	{map[string]any{"y": nil, "u": "a", "c": map[string]any{"age": int32(3), "tags": []any{map[string]any{"x": nil}}}, "z": nil},
		map[string]any{"y": 2.5, "u": true, "c": nil, "z": map[string]any{"x": nil}}},
	{map[string]any{"d": time.Unix(86400*300, 0), "ms": time.UnixMilli(1_700_000_000_123), "us": time.UnixMicro(-1), "dec": big.NewRat(-12345, 100), "fd": big.NewRat(77, 1),
		"raw": []byte{1, 2}, "fx": []byte{1, 2, 3, 4}, "t": time.Second}},
	{map[string]any{"y": int32(1), "next": map[string]any{"y": int32(2), "next": nil, "m": map[string]any{}, "all": []any{}}, "m": map[string]any{"k": int64(5), "l": nil}, "all": []any{}}},
	{[]any{map[string]any{"y": 1.5, "g": "a"}, map[string]any{"y": nil, "g": nil}, map[string]any{"y": int32(3), "g": "b"}}},
	{map[string]any{"a": 1.0, "b": 2.5}},
}

// Any text is a schema or is refused as one, and any value is read by it or refused.
func FuzzSchema(f *testing.F) {
	for _, text := range schemas {
		f.Add(text, []byte{2, 4, 0, 6, 'a', 'b', 'c', 0, 2})
	}
	f.Add(`{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}`, []byte{0})
	f.Add(strings.Repeat(`{"type":"array","items":`, 300)+`"int"`+strings.Repeat("}", 300), []byte{1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, text string, value []byte) {
		s, err := Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "unreadable") || len(err.Error()) > 2000 || !utf8.ValidString(err.Error()) {
				t.Fatal(err)
			}
			return
		}
		if _, err := s.NewDecoder(small, events.Wanted{}, nil).Decode(value); err != nil {
			refusal(t, err, false)
		}
		if _, err := s.NewDecoder(small, events.Wanted{Only: true, Columns: []events.Named{{Name: "y"}}}, []string{"after"}).Decode(value); err != nil {
			refusal(t, err, false)
		}
		_ = s.Column(nil, "y.x")
	})
}
