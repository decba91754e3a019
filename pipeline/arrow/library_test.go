package arrow

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/credence-stream/credence/cdf"
)

// library reads a stream with the Arrow library and lays it out as Decoder
// is to do.
func library(t testing.TB, value []byte) *cdf.Batch {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(value))
	if err != nil {
		t.Fatalf("library: %v", err)
	}
	defer r.Release()
	out := &cdf.Batch{}
	codes := map[string]map[string]int32{}
	for _, f := range r.Schema().Fields() {
		dt := f.Type
		if d, ok := dt.(*arrow.DictionaryType); ok {
			dt = d.ValueType
		}
		c := cdf.Column{Name: f.Name}
		switch dt.ID() {
		case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
			c.Type = cdf.Integer
		case arrow.BOOL:
			c.Type = cdf.Bool
		case arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP:
			c.Type = cdf.Time
		case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
			c.Type = cdf.Text
			codes[f.Name] = map[string]int32{}
		case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.NULL:
		default:
			out.Skipped = append(out.Skipped, cdf.Skipped{Name: f.Name})
			continue
		}
		out.Columns = append(out.Columns, c)
	}
	for r.Next() {
		rec := r.Record()
		out.Rows += int(rec.NumRows())
		for k := range out.Columns {
			c := &out.Columns[k]
			arr := rec.Column(rec.Schema().FieldIndices(c.Name)[0])
			for i := range arr.Len() {
				add(t, c, codes[c.Name], arr, i)
			}
		}
	}
	if r.Err() != nil {
		t.Fatalf("library: %v", r.Err())
	}
	return out
}

// add appends value i of arr to c.
func add(t testing.TB, c *cdf.Column, codes map[string]int32, arr arrow.Array, i int) {
	null := arr.IsNull(i) || arr.DataType().ID() == arrow.NULL
	if d, ok := arr.(*array.Dictionary); ok && !null {
		arr, i = d.Dictionary(), d.GetValueIndex(i)
		null = arr.IsNull(i)
	}
	if c.Type == cdf.Text {
		code := int32(-1)
		if !null {
			s := arr.ValueStr(i)
			var ok bool
			if code, ok = codes[s]; !ok {
				code = int32(len(c.Levels))
				codes[s] = code
				c.Levels = append(c.Levels, s)
			}
		}
		c.Code = append(c.Code, code)
		return
	}
	v, n := math.NaN(), int64(0)
	if !null {
		switch a := arr.(type) {
		case *array.Int8:
			n = int64(a.Value(i))
			v = float64(n)
		case *array.Int16:
			n = int64(a.Value(i))
			v = float64(n)
		case *array.Int32:
			n = int64(a.Value(i))
			v = float64(n)
		case *array.Int64:
			n = a.Value(i)
			v = float64(n)
		case *array.Uint8:
			n = int64(a.Value(i))
			v = float64(n)
		case *array.Uint16:
			n = int64(a.Value(i))
			v = float64(n)
		case *array.Uint32:
			n = int64(a.Value(i))
			v = float64(n)
		case *array.Uint64:
			n = int64(a.Value(i))
			v = float64(a.Value(i))
		case *array.Float16:
			v = float64(a.Value(i).Float32())
		case *array.Float32:
			v = float64(a.Value(i))
		case *array.Float64:
			v = a.Value(i)
		case *array.Boolean:
			v = 0
			if a.Value(i) {
				v = 1
			}
		case *array.Date32:
			v = float64(a.Value(i)) * 86400
		case *array.Date64:
			v = float64(a.Value(i)) / 1000
		case *array.Timestamp:
			unit := a.DataType().(*arrow.TimestampType).Unit
			tm := a.Value(i).ToTime(unit)
			v = float64(tm.Unix()) + float64(tm.Nanosecond())/1e9
		default:
			t.Fatalf("library: %T", arr)
		}
	}
	c.Number = append(c.Number, v)
	if c.Type == cdf.Integer {
		c.Int = append(c.Int, n)
	}
}

// same fails the test where two batches differ. Times may differ by rounding.
func same(t testing.TB, what string, got, want *cdf.Batch) {
	t.Helper()
	if got.Rows != want.Rows || len(got.Columns) != len(want.Columns) || len(got.Skipped) != len(want.Skipped) {
		t.Fatalf("%s: %d rows, %d columns, %d skipped; want %d, %d, %d", what,
			got.Rows, len(got.Columns), len(got.Skipped), want.Rows, len(want.Columns), len(want.Skipped))
	}
	for k := range want.Columns {
		g, w := &got.Columns[k], &want.Columns[k]
		id := fmt.Sprintf("%s: column %d %q", what, k, w.Name)
		if g.Name != w.Name || g.Type != w.Type || len(g.Number) != len(w.Number) || len(g.Int) != len(w.Int) ||
			len(g.Code) != len(w.Code) || len(g.Levels) != len(w.Levels) {
			t.Fatalf("%s: %q type %d, %d numbers, %d ints, %d codes, %d levels; want type %d, %d, %d, %d, %d", id, g.Name, g.Type,
				len(g.Number), len(g.Int), len(g.Code), len(g.Levels), w.Type, len(w.Number), len(w.Int), len(w.Code), len(w.Levels))
		}
		for i, v := range w.Number {
			tolerance := 0.0
			if w.Type == cdf.Time {
				tolerance = 1e-6
			}
			if g := g.Number[i]; !(math.Abs(g-v) <= tolerance) && (!math.IsNaN(g) || !math.IsNaN(v)) && g != v {
				t.Fatalf("%s row %d: %v, want %v", id, i, g, v)
			}
		}
		for i, v := range w.Int {
			if g.Int[i] != v {
				t.Fatalf("%s row %d: %d, want %d", id, i, g.Int[i], v)
			}
		}
		for i, v := range w.Code {
			if g.Code[i] != v {
				t.Fatalf("%s row %d: code %d, want %d", id, i, g.Code[i], v)
			}
		}
		for i, v := range w.Levels {
			if g.Levels[i] != v {
				t.Fatalf("%s level %d: %q, want %q", id, i, g.Levels[i], v)
			}
		}
	}
}

// types are those that a random schema is made of.
var types = []arrow.DataType{
	arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float64,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.FixedWidthTypes.Boolean,
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
	arrow.FixedWidthTypes.Timestamp_s, arrow.FixedWidthTypes.Timestamp_ms, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Timestamp_ns,
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.Null,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.String},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Float64},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.PrimitiveTypes.Uint8},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.FixedWidthTypes.Timestamp_us},
	// Not read, stepped over.
	arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 3}, &arrow.Decimal128Type{Precision: 10, Scale: 2},
	arrow.ListOf(arrow.PrimitiveTypes.Int32), arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32),
	arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}),
	arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Duration_ms,
	arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int16),
}

// stream is what a random stream is made of.
type stream struct {
	columns, rows, batches int
	types                  []arrow.DataType
	nulls                  float64
	options                []ipc.Option
}

// write makes a random stream with the Arrow library.
func write(t testing.TB, rng *rand.Rand, s stream) []byte {
	t.Helper()
	fields := make([]arrow.Field, s.columns)
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprintf("c%d", i), Type: s.types[rng.IntN(len(s.types))], Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, append([]ipc.Option{ipc.WithSchema(schema)}, s.options...)...)
	for range s.batches {
		extra := rng.IntN(3)
		rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := range fields {
			for range s.rows + extra {
				appendRandom(rng, rb.Field(i), s.nulls)
			}
		}
		rec := rb.NewRecord()
		from := int64(rng.IntN(extra + 1))
		slice := rec.NewSlice(from, from+int64(s.rows))
		if err := w.Write(slice); err != nil {
			t.Fatal(err)
		}
		slice.Release()
		rec.Release()
		rb.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// appendRandom appends a random value.
func appendRandom(rng *rand.Rand, b array.Builder, nulls float64) {
	if rng.Float64() < nulls {
		b.AppendNull()
		return
	}
	text := []string{"", "a", "b", "north", "a text that is longer than twelve bytes", "é"}[rng.IntN(6)]
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(rng.Uint64()))
	case *array.Int16Builder:
		b.Append(int16(rng.Uint64()))
	case *array.Int32Builder:
		b.Append(int32(rng.Uint64()))
	case *array.Int64Builder:
		b.Append(int64(rng.Uint64()))
	case *array.Uint8Builder:
		b.Append(uint8(rng.Uint64()))
	case *array.Uint16Builder:
		b.Append(uint16(rng.Uint64()))
	case *array.Uint32Builder:
		b.Append(uint32(rng.Uint64()))
	case *array.Uint64Builder:
		b.Append(rng.Uint64() >> 1)
	case *array.Float16Builder:
		b.Append(float16.New(float32(rng.NormFloat64())))
	case *array.Float32Builder:
		b.Append(float32(rng.NormFloat64()))
	case *array.Float64Builder:
		b.Append(rng.NormFloat64())
	case *array.BooleanBuilder:
		b.Append(rng.IntN(2) == 0)
	case *array.Date32Builder:
		b.Append(arrow.Date32(rng.IntN(40000) - 20000))
	case *array.Date64Builder:
		b.Append(arrow.Date64(rng.Int64N(1e13) - 5e12))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(rng.Int64N(4e9) - 1e9))
	case *array.StringBuilder:
		b.Append(text)
	case *array.LargeStringBuilder:
		b.Append(text)
	case *array.BinaryDictionaryBuilder:
		_ = b.AppendString(text)
	case *array.Float64DictionaryBuilder:
		_ = b.Append(float64(rng.IntN(5)))
	case *array.Uint8DictionaryBuilder:
		_ = b.Append(uint8(rng.IntN(200)))
	case *array.TimestampDictionaryBuilder:
		_ = b.Append(arrow.Timestamp(rng.IntN(1e6)))
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(rng, b.FieldBuilder(i), nulls)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range rng.IntN(3) {
			appendRandom(rng, b.ValueBuilder(), nulls)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range rng.IntN(3) {
			appendRandom(rng, b.KeyBuilder(), 0)
			appendRandom(rng, b.ItemBuilder(), nulls)
		}
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for range 2 {
			appendRandom(rng, b.ValueBuilder(), nulls)
		}
	default:
		b.AppendEmptyValue()
	}
}
