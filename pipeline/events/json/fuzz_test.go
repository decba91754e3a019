package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

var small = events.Limits{Record: 64 << 10, Rows: 1000, Columns: 100}

// oracle reads one flat row by encoding/json: the value of every field by its path,
// and whether the record has a path twice.
func oracle(value []byte) (row map[string]any, ok bool) {
	d := stdjson.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var top map[string]any
	if !stdjson.Valid(value) || d.Decode(&top) != nil || top == nil {
		return nil, false
	}
	return pipelinetest.Flatten(top), true
}

// What is accepted is JSON for encoding/json too, and one row has the values that it
// finds; what is refused as no JSON is none, or has what is forbidden here.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"y":1,"x":2.5}`, `[{"y":1},{"y":-0,"x":{"a":"b","c":[1]}}]`, `{"y":"2024-01-05T08:30:00.25+02:00"}`,
		`{"y":1e999,"x":9223372036854775808}`, `{"y":"\u00e9\ud83d\ude00\n","z":null,"b":true}`, `{"a.b":1,"a":{"b":2}}`,
		`{"y":1,"y":2}`, `{"y":NaN}`, "{\"y\":\"\xff\"}", `{"y":"\ud800"}`, `[]`, `{}`, `null`, `{"y":1} 2`, `[{"y":1},2]`, "\xff\xff\xff\xff", "\uFEFF{\"y\":1}",
	} {
		f.Add([]byte(s))
	}
	d := NewDecoder(small, events.Wanted{}, nil)
	f.Fuzz(func(t *testing.T, value []byte) {
		b, err := pipelinetest.Decoded(t, d, NewDecoder(small, events.Wanted{}, nil), value)
		if err != nil {
			pipelinetest.Refusal(t, err)
			return
		}
		if value = bytes.TrimPrefix(value, mark); !stdjson.Valid(value) {
			t.Fatal("encoding/json refuses it")
		}
		if row, ok := oracle(value); ok {
			compare(t, b, row)
		}
	})
}

// compare holds a batch of one row against the oracle's.
func compare(t *testing.T, b *cdf.Batch, row map[string]any) {
	t.Helper()
	for _, s := range b.Skipped {
		if _, ok := row[s.Name].([]any); !ok {
			t.Fatalf("%q is skipped, and is %v", s.Name, row[s.Name])
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
		switch v := v.(type) {
		case nil:
			if c.Type != cdf.Float || !math.IsNaN(c.Number[0]) {
				t.Fatalf("null is %+v", c)
			}
		case bool:
			if c.Type != cdf.Bool || (c.Number[0] == 1) != v {
				t.Fatalf("%v is %+v", v, c)
			}
		case string:
			if label, _ := c.Label(0); c.Type == cdf.Text && label != v || c.Type != cdf.Text && c.Type != cdf.Time {
				t.Fatalf("%q is %+v", v, c)
			}
		case stdjson.Number:
			if n, err := v.Int64(); err == nil {
				if c.Type != cdf.Integer || c.Int[0] != n || c.Number[0] != float64(n) {
					t.Fatalf("%v is %+v", v, c)
				}
			} else if f, _ := v.Float64(); c.Type != cdf.Float || c.Number[0] != f {
				t.Fatalf("%v is %+v", v, c)
			}
		default:
			t.Fatalf("%q is %T", c.Name, v)
		}
	}
}

// With columns that models name, and rows at a path, a decoder finds in each of them
// what it finds without, and refuses nothing that it would read but for their sake.
func FuzzNamed(f *testing.F) {
	for _, s := range []string{
		`{"after":{"y":1,"g":"a","z":[1]},"op":"c"}`, `{"after":[{"y":1,"g":2},{"g":null,"x":{"a":true}}]}`, `{"after":null}`, `{"after":{"q":1}}`,
		`{"b":{"after":1},"after":{"y":"2024-01-05"}}`, `{"after":{"y":1},"after":{}}`, `{"after":{"g":{"h":1}}}`,
	} {
		f.Add([]byte(s))
	}
	wanted := events.Wanted{Only: true, Columns: []events.Named{{Name: "y", Number: true}, {Name: "g"}, {Name: "x.a"}}}
	named, whole := NewDecoder(small, wanted, []string{"after"}), NewDecoder(small, events.Wanted{}, []string{"after"})
	f.Fuzz(func(t *testing.T, value []byte) {
		b, err := named.Decode(value)
		all, errAll := whole.Decode(value)
		if err != nil && errAll == nil && !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
			t.Fatalf("%v, and without columns it is read", err)
		}
		if err != nil || errAll != nil {
			return
		}
		if len(b.Columns)+len(b.Skipped) != len(wanted.Columns) || b.Rows != all.Rows {
			t.Fatalf("%+v", b)
		}
		for i := range b.Columns {
			c := &b.Columns[i]
			j := slices.IndexFunc(all.Columns, func(o cdf.Column) bool { return o.Name == c.Name })
			for row := range b.Rows {
				switch {
				case j < 0:
					if !math.IsNaN(c.Number[row]) {
						t.Fatalf("%q has %v", c.Name, c.Number)
					}
				case c.Type == cdf.Text:
					x, okX := c.Label(row)
					y, okY := all.Columns[j].Label(row)
					if x != y || okX != okY {
						t.Fatalf("%q is %q, and %q", c.Name, x, y)
					}
				default:
					if x, y := c.Number[row], all.Columns[j].Number[row]; math.Float64bits(x) != math.Float64bits(y) {
						t.Fatalf("%q is %v, and %v", c.Name, x, y)
					}
				}
			}
		}
	})
}
