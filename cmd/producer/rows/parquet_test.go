package rows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

// sent are the types of columns that Arrow tables in Parquet files have and that are sent.
var sent = []arrow.DataType{
	arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
	arrow.FixedWidthTypes.Timestamp_ms, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Timestamp_ns,
	&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Paris"},
	&arrow.Decimal128Type{Precision: 9, Scale: 2}, &arrow.Decimal128Type{Precision: 18, Scale: 4}, &arrow.Decimal128Type{Precision: 38, Scale: 10},
	&arrow.Decimal256Type{Precision: 60, Scale: 20},
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	arrow.Null,
}

// randomRecord has a column of each type that is sent, with a null in ten where nulls says
// so, and one of each kind that is not.
func randomRecord(t *testing.T, r *rand.Rand, rows int, nulls bool) arrow.Record {
	t.Helper()
	fields := []arrow.Field{}
	var columns []arrow.Array
	add := func(name string, kind arrow.DataType, put func(b array.Builder)) {
		nullable := nulls || kind.ID() == arrow.NULL
		fields = append(fields, arrow.Field{Name: name, Type: kind, Nullable: nullable})
		b := array.NewBuilder(memory.DefaultAllocator, kind)
		for range rows {
			if nullable && r.IntN(10) == 0 {
				b.AppendNull()
			} else {
				put(b)
			}
		}
		columns = append(columns, b.NewArray())
	}
	for i, kind := range sent {
		add(fmt.Sprintf("c%d", i), kind, func(b array.Builder) { appendRandom(t, b, r) })
	}
	add("clock", arrow.FixedWidthTypes.Time64us, func(b array.Builder) { b.(*array.Time64Builder).Append(arrow.Time64(r.IntN(1000))) })       //nolint:forcetypeassert // made for its type
	add("bytes", &arrow.FixedSizeBinaryType{ByteWidth: 3}, func(b array.Builder) { b.(*array.FixedSizeBinaryBuilder).Append([]byte("abc")) }) //nolint:forcetypeassert // made for its type
	add("pair", arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String}), func(b array.Builder) {
		s := b.(*array.StructBuilder) //nolint:forcetypeassert // made for its type
		s.Append(true)
		s.FieldBuilder(0).(*array.Int32Builder).Append(1)    //nolint:forcetypeassert // made for its type
		s.FieldBuilder(1).(*array.StringBuilder).Append("b") //nolint:forcetypeassert // made for its type
	})
	add("tags", arrow.ListOf(arrow.PrimitiveTypes.Int32), func(b array.Builder) {
		l := b.(*array.ListBuilder) //nolint:forcetypeassert // made for its type
		l.Append(true)
		for range r.IntN(3) {
			l.ValueBuilder().(*array.Int32Builder).Append(7) //nolint:forcetypeassert // made for its type
		}
	})
	// Behind what is nested, so that columns and leaves are numbered differently.
	add("last", arrow.PrimitiveTypes.Int64, func(b array.Builder) { b.(*array.Int64Builder).Append(r.Int64()) }) //nolint:forcetypeassert // made for its type
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(rows))
}

func appendRandom(t *testing.T, b array.Builder, r *rand.Rand) {
	t.Helper()
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.Int8Builder:
		b.Append(int8(r.Int64()))
	case *array.Int16Builder:
		b.Append(int16(r.Int64()))
	case *array.Int32Builder:
		b.Append(int32(r.Int64()))
	case *array.Int64Builder:
		b.Append(r.Int64() - r.Int64())
	case *array.Uint8Builder:
		b.Append(uint8(r.Uint64()))
	case *array.Uint16Builder:
		b.Append(uint16(r.Uint64()))
	case *array.Uint32Builder:
		b.Append(r.Uint32())
	case *array.Uint64Builder:
		b.Append(r.Uint64() >> 1)
	case *array.Float16Builder:
		b.Append(float16.New(float32(r.NormFloat64())))
	case *array.Float32Builder:
		b.Append(float32(r.NormFloat64()))
	case *array.Float64Builder:
		b.Append(r.NormFloat64())
	case *array.Date32Builder:
		b.Append(arrow.Date32(r.IntN(40000) - 20000))
	case *array.Date64Builder:
		b.Append(arrow.Date64(86_400_000 * int64(r.IntN(40000)-20000)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(r.Int64N(4e9) - 2e9))
	case *array.Decimal128Builder:
		v := decimal128.FromI64(r.Int64N(1e9) - 5e8)
		if b.Type().(*arrow.Decimal128Type).Precision == 38 { //nolint:forcetypeassert // made for its type
			v = v.Mul(decimal128.FromI64(r.Int64()))
		}
		b.Append(v)
	case *array.Decimal256Builder:
		b.Append(decimal256.FromI64(r.Int64() - r.Int64()).Mul(decimal256.FromI64(r.Int64())))
	case array.StringLikeBuilder:
		b.Append([]string{"", "a", "é", "longer than the others", fmt.Sprint(r.IntN(1000))}[r.IntN(5)])
	case *array.BinaryBuilder:
		b.AppendString(fmt.Sprint(r.IntN(50)))
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(string(rune('a' + r.IntN(9)))); err != nil {
			t.Fatal(err)
		}
	case *array.NullBuilder:
		b.AppendNull()
	default:
		t.Fatalf("no random value for %s", b.Type())
	}
}

// storeParquet writes records, each as a row group, with the given properties.
func storeParquet(t *testing.T, all []arrow.Record, props ...parquet.WriterProperty) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(all[0].Schema(), f, parquet.NewWriterProperties(props...), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range all {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// linesOf are the rows of records that never were in a file.
func linesOf(t *testing.T, all []arrow.Record) (lines []string, notes int) {
	t.Helper()
	s, err := newRecordSource("memory", Selection{Key: "k"}, all[0].Schema())
	if err != nil {
		t.Fatal(err)
	}
	s.next = func() (rec arrow.Record, err error) {
		if len(all) == 0 {
			return nil, io.EOF
		}
		rec, all = all[0], all[1:]
		return rec, nil
	}
	return rowLines(t, s), len(s.notes)
}

func rowLines(t *testing.T, s *recordSource) (lines []string) {
	t.Helper()
	for {
		_, row, err := s.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%+v", row))
	}
}

// Every type, encoding, codec and size of page and row group: what was written by the
// Arrow library is read, to the bit.
func TestParquetAsWritten(t *testing.T) {
	const rows = 100
	r := rand.New(rand.NewPCG(1, 16))
	for _, c := range []struct {
		name   string
		nulls  bool
		groups int
		props  []parquet.WriterProperty
	}{
		{"plain", true, 1, []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}},
		{"plain, required", false, 1, []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithDataPageVersion(parquet.DataPageV2)}},
		{"dictionaries", true, 1, []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy)}},
		{"small pages", true, 1, []parquet.WriterProperty{parquet.WithDataPageSize(200), parquet.WithBatchSize(64), parquet.WithCompression(compress.Codecs.Zstd)}},
		{"small pages, required", false, 1, []parquet.WriterProperty{parquet.WithDataPageSize(200), parquet.WithBatchSize(64), parquet.WithStoreDecimalAsInteger(true)}},
		{"version 2", true, 1, []parquet.WriterProperty{parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithDataPageSize(300), parquet.WithBatchSize(64), parquet.WithCompression(compress.Codecs.Gzip)}},
		{"small groups", true, 20, []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Brotli)}},
		{"dictionary left", true, 1, []parquet.WriterProperty{parquet.WithDictionaryPageSizeLimit(64), parquet.WithBatchSize(16)}},
	} {
		var all []arrow.Record
		for range c.groups {
			all = append(all, randomRecord(t, r, rows/c.groups, c.nulls))
		}
		want, notes := linesOf(t, all)
		s, err := openParquet(storeParquet(t, all, c.props...), Selection{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		got := rowLines(t, s)
		if len(got) != rows || len(want) != rows || s.Rows() != rows || len(s.notes) != notes || notes != 4 {
			t.Fatalf("%s: %d rows of %d, %d notes of %d: %q", c.name, len(got), len(want), len(s.notes), notes, s.notes)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: row %d\n%s, written was\n%s", c.name, i, got[i], want[i])
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// More rows than are read at a time, and only some columns, in another order.
func TestParquetSelected(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 16))
	all := []arrow.Record{randomRecord(t, r, parquetRows+3, true), randomRecord(t, r, parquetRows+2, true)}
	path := storeParquet(t, all)
	want, _ := linesOf(t, all)
	s, err := openParquet(path, Selection{KeyColumn: "c4", Columns: []string{"last", "c0", "c4"}, NoKey: "-"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; ; n++ {
		key, row, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if whole := want[n]; !strings.HasSuffix(whole, fmt.Sprintf(" %+v]", row[0])) || !strings.HasPrefix(whole, fmt.Sprintf("[%+v ", row[1])) || key == "" {
			t.Fatalf("row %d: key %q, %+v of %s", n, key, row, whole)
		}
	}
	if n != 2*parquetRows+5 {
		t.Errorf("%d rows", n)
	}
}

// Times of 96 bits, which Impala and older Spark write, are the times that they say, also those
// that stand for no time. What is none is refused.
func TestParquetTimesOf96Bits(t *testing.T) {
	utc := func(year, month, day, hour, minute, second, nano int) (v parquet.Int96) {
		at := time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC)
		of := (at.Unix()%86400 + 86400) % 86400
		binary.LittleEndian.PutUint64(v[:8], uint64(of*1e9)+uint64(nano))
		binary.LittleEndian.PutUint32(v[8:], uint32(2440588+(at.Unix()-of)/86400)) // the Julian day
		return v
	}
	read := func(values ...parquet.Int96) (string, error) {
		name := clitest.WriteFile(t, "in.parquet", parquet96(t, values))
		if err := firstError(t, name, Selection{Key: "k"}); err != nil {
			return "", err
		}
		return fmt.Sprint(readAll(t, opened(t, name, Selection{Key: "k"}))), nil
	}
	got, err := read(utc(1970, 1, 1, 0, 0, 0, 0), utc(2026, 4, 13, 17, 5, 9, 250e6), utc(1969, 12, 31, 23, 59, 59, 5e8), utc(9999, 12, 31, 0, 0, 0, 0), utc(1, 1, 1, 0, 0, 0, 0))
	if err != nil || got != "[k 0 k 1.77609990925e+09 k -0.5 k 2.534022144e+11 k -6.21355968e+10 k null]" {
		t.Errorf("rows are %s, %v", got, err)
	}
	for _, none := range []parquet.Int96{{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff}, {7: 0xff}, {6: 0xff, 8: 0x8c, 9: 0x3d, 10: 0x25}} {
		if _, err := read(none); err == nil || !strings.Contains(err.Error(), `row 1: column "at": unusable input`) {
			t.Errorf("%x: %v", none, err)
		}
	}
}

// parquet96 is a file of one column of times of 96 bits, and a null behind them.
func parquet96(t *testing.T, values []parquet.Int96) []byte {
	t.Helper()
	at, err := schema.NewPrimitiveNode("at", parquet.Repetitions.Optional, parquet.Types.Int96, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{at}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	column, err := w.AppendRowGroup().NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	levels := append(slices.Repeat([]int16{1}, len(values)), 0)
	if _, err := column.(*file.Int96ColumnChunkWriter).WriteBatch(values, levels, nil); err != nil { //nolint:forcetypeassert // by its schema
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file with any byte changed is read or refused, and neither panics nor reads on and on.
func TestParquetDamagedAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 16))
	good, err := os.ReadFile(storeParquet(t, []arrow.Record{randomRecord(t, r, 60, true)}, parquet.WithDataPageSize(100), parquet.WithBatchSize(16)))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	const tries = 100
	for range tries {
		bad := bytes.Clone(good)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		if err := firstError(t, clitest.WriteFile(t, "in.parquet", bad), Selection{Key: "k"}); err != nil {
			if refused++; !errors.Is(err, ErrInput) {
				t.Errorf("error is %v", err)
			}
		}
	}
	if refused == 0 || refused == tries {
		t.Errorf("%d of %d damaged files were refused", refused, tries)
	}
}

// TestParquetThatIsNotRead: what the library does not read is refused before a row is sent,
// with what to do. The files are of pyarrow 26.
func TestParquetThatIsNotRead(t *testing.T) {
	for name, want := range map[string]string{
		"lz4":   `column "y": unusable input: it is packed by LZ4_RAW, which is not read: write the file with zstd, snappy or gzip`,
		"split": `column "y": unusable input: its encoding is BYTE_STREAM_SPLIT, which is not read: write the file with PLAIN or a dictionary`,
	} {
		file := "testdata/" + name + ".parquet"
		if _, err := Open(t.Context(), file, Selection{Key: "k"}, Watch{}); !errors.Is(err, ErrInput) || err.Error() != file+": "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
