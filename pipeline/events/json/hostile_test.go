package json

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// Records that ask for much are refused for what they ask, with few bytes allocated.
func TestRecordsThatAskForTooMuch(t *testing.T) {
	repeat := func(n int, item func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(item(i))
		}
		return b.String()
	}
	limits := events.Limits{Record: 1 << 20, Rows: 1000, Columns: 100}
	for name, c := range map[string]struct {
		value string
		class error
		why   string
	}{
		"bytes":   {`{"y":"` + strings.Repeat("a", 1<<20) + `"}`, cdf.ErrShard, "limits.record"},
		"rows":    {"[" + strings.Repeat(`{"y":1},`, 1000) + `{"y":1}]`, cdf.ErrShard, "limits.rows (1000)"},
		"fields":  {"{" + repeat(100, func(i int) string { return fmt.Sprintf(`"f%d":1,`, i) }) + `"y":1}`, cdf.ErrSchema, "limits.columns (100)"},
		"objects": {"{" + repeat(101, func(i int) string { return fmt.Sprintf(`"f%d":{},`, i) }) + `"y":1}`, cdf.ErrSchema, "limits.columns (100)"},
		"depth":   {strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), pipeline.ErrDecode, "more than 64 objects"},
		"skipped": {`{"y":` + strings.Repeat("[", 20000), pipeline.ErrDecode, "depth"},
		"path":    {`{"` + strings.Repeat("a", 1025) + `":1}`, cdf.ErrSchema, "a path of 1025 bytes"},
		"sparse": {"[" + repeat(999, func(i int) string { return fmt.Sprintf(`{"f%d":1},`, i%99) }) + `{"y":1}]`,
			cdf.ErrShard, "the same fields in all of them"},
		"number": {`{"y":` + strings.Repeat("9", 1000) + `}`, nil, ""},
	} {
		small := limits
		if name == "sparse" {
			small.Record = 64 << 10
		}
		d := NewDecoder(small, events.Wanted{}, nil)
		var err error
		if n := pipelinetest.Allocated(func() { _, err = d.Decode([]byte(c.value)) }); n > 24<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
		if c.class == nil && err != nil || !errors.Is(err, c.class) || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A record that is cut anywhere is refused, and the next one is read as ever.
func TestTruncatedAtEveryByte(t *testing.T) {
	const value = `[{"y":1.5,"customer":{"age":7,"name":"\u00e9x"},"tags":[1,{"a":null}]},{"y":true}]`
	d := NewDecoder(events.Limits{}, events.Wanted{}, nil)
	for n := range value {
		if _, err := d.Decode([]byte(value[:n])); !errors.Is(err, pipeline.ErrDecode) || !strings.Contains(err.Error(), "too early") {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	if b, err := d.Decode([]byte(value)); err != nil || b.Rows != 2 || len(b.Columns) != 3 || len(b.Skipped) != 1 {
		t.Fatalf("%+v %v", b, err)
	}
}

// A byte order mark before a record, as some programs of Windows write, is passed over; one
// anywhere else is no blank, and the place of what is wrong counts it.
func TestByteOrderMark(t *testing.T) {
	d := NewDecoder(events.Limits{}, events.Wanted{}, nil)
	if b, err := d.Decode([]byte("\uFEFF [{\"y\":1.5},{\"y\":2}]")); err != nil || b.Rows != 2 || b.Columns[0].Number[1] != 2 {
		t.Fatalf("%+v %v", b, err)
	}
	for value, why := range map[string]string{
		"\uFEFF{\"y\":x}":       "at byte 8",
		"{\"y\":x}":             "at byte 5",
		"\uFEFF\uFEFF{\"y\":1}": "at byte 3",
		"{\"y\":1}\uFEFF":       "at byte 7",
		"\uFEFF":                "too early",
	} {
		if _, err := d.Decode([]byte(value)); !errors.Is(err, pipeline.ErrDecode) || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %s", value, err, why)
		}
	}
}

// A large record waits for the memory that all share, and gives it back.
func TestLargeRecordsTakeTurns(t *testing.T) {
	memory := pipeline.NewBudget(1 << 20)
	d := NewDecoder(events.Limits{Memory: memory}, events.Wanted{}, nil)
	value := []byte("[" + strings.Repeat(`{"y":1},`, 20000) + `{"y":1}]`)
	if _, err := d.Decode(value); err != nil || memory.Used() < 2*16*int64(len(value)) {
		t.Fatalf("%d bytes held, %v", memory.Used(), err)
	}
	if !d.Release() || memory.Used() != 0 || d.Release() {
		t.Fatalf("%d bytes held after the release", memory.Used())
	}
	if _, err := d.Decode([]byte(`{"y":1}`)); err != nil || memory.Used() != 0 {
		t.Fatalf("%d bytes held by a small record, %v", memory.Used(), err)
	}
}

// What a column is follows from the record alone.
func TestTypes(t *testing.T) {
	for value, want := range map[string]string{
		`[{"y":1},{"y":null},{}]`: "integers", `[{"y":1},{"y":2.0}]`: "fractions", `{"y":1e3}`: "fractions", `{"y":-9223372036854775808}`: "integers",
		`{"y":9223372036854775808}`: "fractions", `{"y":true}`: "bool", `[{"y":true},{"y":1}]`: "text", `{"y":"1"}`: "text",
		`[{"y":"2024-01-05"},{"y":" 2024-01-05 08:30Z"}]`: "time", `[{"y":"2024/1/05"},{"y":"2024/01/05 8:30 PM"}]`: "time", `{"y":"05/01/2024"}`: "text", `[{"y":"2024-01-05"},{"y":"soon"}]`: "text", `{"y":null}`: "fractions",
	} {
		b, err := NewDecoder(events.Limits{}, events.Wanted{}, nil).Decode([]byte(value))
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		names := map[cdf.ColumnType]string{cdf.Integer: "integers", cdf.Float: "fractions", cdf.Bool: "bool", cdf.Text: "text", cdf.Time: "time"}
		if got := names[b.Columns[0].Type]; got != want {
			t.Errorf("%s: %s", value, got)
		}
	}
}

// Labels count towards what a record may take, also those that are known: whether a
// record is refused must not depend on those before it.
func TestLabelsCountEveryTime(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"y":"a"}`)
	for i := range 3000 {
		fmt.Fprintf(&b, `,{"y":"%04d"}`, i)
	}
	b.WriteString("]")
	d := NewDecoder(events.Limits{Record: 64 << 10, Rows: 5000}, events.Wanted{}, nil)
	for range 3 {
		if _, err := d.Decode([]byte(b.String())); !errors.Is(err, cdf.ErrShard) {
			t.Fatalf("%d bytes: %v", b.Len(), err)
		}
	}
}
