package avro

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

func parsed(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wide is a record of so many fields of a type.
func wide(fields int, kind string) string {
	var b strings.Builder
	for i := range fields {
		fmt.Fprintf(&b, `{"name":"f%d","type":%s},`, i, kind)
	}
	return `{"type":"record","name":"Wide","fields":[` + strings.TrimSuffix(b.String(), ",") + `]}`
}

// claim is the count of a block: 2^41.
const claim = "\x80\x80\x80\x80\x80\x80\x01"

// Records that ask for much, or claim to have it, are refused for that, with few bytes
// allocated.
func TestRecordsThatAskForTooMuch(t *testing.T) {
	limits := events.Limits{Record: 1 << 20, Rows: 1000, Columns: 100}
	row := `{"type":"record","name":"R","fields":[{"name":"y","type":"long"},{"name":"tags","type":{"type":"array","items":%s}}]}`
	list := `{"type":"record","name":"L","fields":[{"name":"y","type":"int"},{"name":"next","type":["null","L"]},{"name":"all","type":{"type":"array","items":"L"}}]}`
	for name, c := range map[string]struct {
		schema, value string
		class         error
		why           string
	}{
		"bytes":               {`{"type":"map","values":"string"}`, strings.Repeat("a", 1<<20+1), cdf.ErrShard, "limits.record"},
		"items claimed":       {fmt.Sprintf(row, `"string"`), "\x02" + claim, pipeline.ErrDecode, "$.tags: 2199023255552 items are claimed, and 0 bytes are left"},
		"rows claimed":        {`{"type":"array","items":` + wide(1, `"long"`) + `}`, claim + "\x02", pipeline.ErrDecode, "items are claimed"},
		"entries claimed":     {`{"type":"map","values":"null"}`, claim + "\x02a", pipeline.ErrDecode, "items are claimed"},
		"block claimed":       {fmt.Sprintf(row, `"string"`), "\x02\x01" + claim, pipeline.ErrDecode, "a block of 2199023255552 bytes"},
		"least count":         {fmt.Sprintf(row, `"string"`), "\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", pipeline.ErrDecode, "9223372036854775808 items are claimed"},
		"text claimed":        {`{"type":"map","values":"string"}`, "\x02" + claim, pipeline.ErrDecode, "2199023255552 bytes are claimed"},
		"rows of nothing":     {`{"type":"array","items":{"type":"record","name":"N","fields":[]}}`, claim + "\x00", pipeline.ErrDecode, "rows that take no bytes"},
		"items of nothing":    {fmt.Sprintf(row, `"null"`), "\x02" + claim + "\x00", nil, ""},
		"rows":                {`{"type":"array","items":` + wide(1, `"long"`) + `}`, "\xd2\x0f" + strings.Repeat("\x02", 1001) + "\x00", cdf.ErrShard, "limits.rows (1000)"},
		"fields":              {wide(101, `"long"`), strings.Repeat("\x02", 101), cdf.ErrSchema, "limits.columns (100)"},
		"entries":             {`{"type":"map","values":"long"}`, entries(101), cdf.ErrSchema, "limits.columns (100)"},
		"depth":               {list, strings.Repeat("\x02\x02", 65) + "\x02\x00" + strings.Repeat("\x00", 66), pipeline.ErrDecode, "more than 64 records"},
		"depth of arrays":     {list, strings.Repeat("\x02\x00\x02", 20000), pipeline.ErrDecode, "1000 deep"},
		"decimal":             {`{"type":"record","name":"D","fields":[{"name":"y","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}}]}`, "\x80\x08" + strings.Repeat("\x01", 512), pipeline.ErrDecode, "a decimal of 512 bytes"},
		"null where a row is": {`["null",` + wide(1, `"long"`) + `]`, "\x00", pipeline.ErrDecode, "null where a row"},
		"no utf-8":            {wide(1, `"string"`), "\x02\xff", pipeline.ErrDecode, "$.f0: text that is not UTF-8"},
		"symbol":              {wide(1, `{"type":"enum","name":"E","symbols":["A"]}`), "\x02", pipeline.ErrDecode, "$.f0: symbol 1 of an enum of 1"},
		"branch":              {wide(1, `["null","long"]`), "\x04", pipeline.ErrDecode, "$.f0: branch 2 of a union of 2"},
	} {
		limits := limits
		if name == "depth" {
			limits.Columns = 1000
		}
		d := parsed(t, c.schema).NewDecoder(limits, events.Wanted{}, nil)
		var err error
		if n := pipelinetest.Allocated(func() { _, err = d.Decode([]byte(c.value)) }); n > 24<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
		if c.class == nil && err != nil || !errors.Is(err, c.class) || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// entries is a map of so many.
func entries(n int) string {
	b := string([]byte{byte(2*n)&0x7f | 0x80, byte(2 * n >> 7)})
	for i := range n {
		b += fmt.Sprintf("\x08k%03d\x02", i)
	}
	return b + "\x00"
}

// Schemas that are too large, too deep, or of which no value is finite are refused, and
// one whose types refer to each other often costs what its text does.
func TestSchemasThatAskForTooMuch(t *testing.T) {
	var chain strings.Builder
	chain.WriteString(`{"type":"record","name":"R0","fields":[]}`)
	for i := 1; i < 100; i++ {
		fmt.Fprintf(&chain, `,{"type":"record","name":"R%d","fields":[{"name":"a","type":"R%d"},{"name":"b","type":"R%d"}]}`, i, i-1, i-1)
	}
	for name, c := range map[string]struct{ text, why string }{
		"bytes":    {strings.Repeat(" ", MaxSchema+1), "bytes, of which"},
		"deep":     {strings.Repeat(`{"type":"array","items":`, 20000) + `"int"` + strings.Repeat("}", 20000), "schema of Avro: "},
		"infinite": {`{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}`, "schema of Avro: "},
		"unknown":  {`{"type":"record","name":"R","fields":[{"name":"r","type":"Q"}]}`, "schema of Avro: "},
		"no JSON":  {`{`, "schema of Avro: "},
		"chain":    {"[" + chain.String() + "]", ""},
	} {
		_, err := Parse(c.text)
		if c.why == "" && err != nil || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why) || len(err.Error()) > 500) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A record that is cut anywhere is refused, and the next one is read as ever.
func TestTruncatedAtEveryByte(t *testing.T) {
	const schema = `{"type":"array","items":{"type":"record","name":"R","fields":[{"name":"y","type":"double"},{"name":"c","type":["null",{"type":"record","name":"C","fields":[
	  {"name":"age","type":"int"},{"name":"name","type":"string"}]}]},{"name":"tags","type":{"type":"array","items":"string"}},{"name":"m","type":{"type":"map","values":"float"}}]}}`
	const value = "\x04" + "\x00\x00\x00\x00\x00\x00\xf8\x3f" + "\x02\x0e\x04\xc3\xa9" + "\x02\x02a\x00" + "\x02\x02k\x00\x00\x80\x3f\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x40" + "\x00" + "\x00" + "\x00" + "\x00"
	d := parsed(t, schema).NewDecoder(events.Limits{}, events.Wanted{}, nil)
	for n := range len(value) {
		if _, err := d.Decode([]byte(value[:n])); !errors.Is(err, pipeline.ErrDecode) || !strings.Contains(err.Error(), "too early") && !strings.Contains(err.Error(), "items are claimed") {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	b, err := d.Decode([]byte(value))
	if err != nil || b.Rows != 2 || len(b.Columns) != 4 || len(b.Skipped) != 1 {
		t.Fatalf("%+v %v", b, err)
	}
}

// A large record waits for the memory that all share, and gives it back.
func TestLargeRecordsTakeTurns(t *testing.T) {
	memory := pipeline.NewBudget(1 << 20)
	d := parsed(t, `{"type":"array","items":`+wide(1, `"long"`)+`}`).NewDecoder(events.Limits{Memory: memory}, events.Wanted{}, nil)
	const rows = 50_000
	value := []byte("\xa0\x8d\x06" + strings.Repeat("\x02", rows) + "\x00")
	if b, err := d.Decode(value); err != nil || b.Rows != rows || memory.Used() < 2*timesRows*rows {
		t.Fatalf("%d bytes held, %v", memory.Used(), err)
	}
	if !d.Release() || memory.Used() != 0 || d.Release() {
		t.Fatalf("%d bytes held after the release", memory.Used())
	}
}

// Decimals are the nearest number to what they say, also those of many digits.
func TestDecimals(t *testing.T) {
	s := func(scale int) *Schema {
		return parsed(t, fmt.Sprintf(`{"type":"record","name":"D","fields":[{"name":"y","type":{"type":"bytes","logicalType":"decimal","precision":60,"scale":%d}}]}`, scale))
	}
	for _, c := range []struct {
		scale int
		bytes string
		want  float64
		whole bool
	}{
		{2, "\x04\xcf\xc7", -123.45, false}, {2, "\x00", 0, false}, {0, "\x02\x85", -123, true}, {0, "\x12\x01\x00\x00\x00\x00\x00\x00\x00\x00", 18446744073709551616, false},
		{1, "\x10\x00\x20\x00\x00\x00\x00\x00\x01", 900719925474099.3, false}, {23, "\x02\x01", 1e-23, false}, {30, "\x1a\x0c\x9f\x2c\x9c\xd0\x46\x74\xed\xea\x40\x00\x00\x00", 1, false},
	} {
		b, err := s(c.scale).NewDecoder(events.Limits{}, events.Wanted{}, nil).Decode([]byte(c.bytes))
		if err != nil || b.Columns[0].Number[0] != c.want || (b.Columns[0].Type == cdf.Integer) != c.whole {
			t.Errorf("%x with %d places: %+v %v", c.bytes, c.scale, b, err)
		}
	}
}
