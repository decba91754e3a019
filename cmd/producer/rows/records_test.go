package rows

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/credence-stream/credence/cmd/internal/clitest"
	wire "github.com/credence-stream/credence/pipeline/arrow"
)

// jsonRecord builds a record from one JSON object per row.
func jsonRecord(t *testing.T, schema *arrow.Schema, rows string) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows), array.WithUseNumber())
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// store writes records in the format that the name's extension says; Parquet
// in row groups of three rows.
func store(t *testing.T, name string, records ...arrow.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	schema := records[0].Schema()
	var w interface {
		Write(arrow.Record) error
		Close() error
	}
	switch filepath.Ext(name) {
	case ".arrow":
		w, err = ipc.NewFileWriter(f, ipc.WithSchema(schema), ipc.WithZstd())
	case ".arrows":
		w = ipc.NewWriter(f, ipc.WithSchema(schema), ipc.WithLZ4())
	default:
		w, err = pqarrow.NewFileWriter(schema, f,
			parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(3), parquet.WithCompression(compress.Codecs.Snappy)),
			pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// Some of the writers have closed it.
	_ = f.Close()
	return path
}

// TestFormatsGiveTheSameShards sends one table from five formats.
func TestFormatsGiveTheSameShards(t *testing.T) {
	const text = `g,i,f,b,t,d,s
a,1,0.1,true,2001-01-01T00:47:00.123456,2001-01-01,x
b,-9007199254740993,,false,2001-01-01T00:48,2001-01-02,y
a,,1e300,,,,
a,4,-0.5,true,1969-12-31T23:59:59.999,1969-12-31,é
b,5,2,false,2001-01-01T00:50:00.5,2001-01-05,y
c,6,3,true,2001-01-01T00:51,2001-01-06,x
a,7,4,true,2001-01-01T00:52,2001-01-07,x
`
	const rows = `[
{"g":"a","i":1,"f":0.1,"b":true,"t":"2001-01-01T00:47:00.123456","d":"2001-01-01","s":"x"},
{"g":"b","i":-9007199254740993,"f":null,"b":false,"t":"2001-01-01T00:48","d":"2001-01-02","s":"y"},
{"g":"a","i":null,"f":1e300,"b":null,"t":null,"d":null,"s":null},
{"g":"a","i":4,"f":-0.5,"b":true,"t":"1969-12-31T23:59:59.999","d":"1969-12-31","s":"é"},
{"g":"b","i":5,"f":2,"b":false,"t":"2001-01-01T00:50:00.5","d":"2001-01-05","s":"y"},
{"g":"c","i":6,"f":3,"b":true,"t":"2001-01-01T00:51","d":"2001-01-06","s":"x"},
{"g":"a","i":7,"f":4,"b":true,"t":"2001-01-01T00:52","d":"2001-01-07","s":"x"}]`
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "g", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "t", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "d", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	whole := jsonRecord(t, schema, rows)
	lines := strings.NewReplacer("[\n", "", "},", "}", "]", "").Replace(rows)
	fill := func(s string) string { return strings.Replace(s, `"i":null`, `"i":3`, 1) }
	filled := jsonRecord(t, schema, fill(rows))
	tests := []struct {
		name string
		sel  Selection
		text string
		json string // lines
		rec  arrow.Record
	}{
		{"all columns", Selection{KeyColumn: "g"}, text, lines, whole},
		// A null can't be a key.
		{"integer key, prefix, other order", Selection{KeyColumn: "i", Columns: []string{"s", "i", "f"}, Prefix: "p/"},
			strings.Replace(text, "a,,1e300", "a,3,1e300", 1), fill(lines), filled},
		{"one key", Selection{Key: "k", Columns: []string{"t"}}, text, lines, whole},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := shardSums(t, clitest.WriteFile(t, "in.csv", []byte(tt.text)), tt.sel, 2)
			if len(want) < 4 {
				t.Fatalf("only %d shards", len(want))
			}
			r := tt.rec
			files := []string{
				store(t, "in.arrow", r.NewSlice(0, 2), r.NewSlice(2, 2), r.NewSlice(2, 7)),
				store(t, "in.arrows", r.NewSlice(0, 5), r.NewSlice(5, 7)),
				store(t, "in.parquet", r),
				// The extension may be wrong about file or stream.
				rename(t, store(t, "in.arrows", r), "stream.arrow"),
				rename(t, store(t, "in.arrow", r), "file.arrows"),
				clitest.WriteFile(t, "in.csv.gz", clitest.Gzip(t, tt.text)),
				clitest.WriteFile(t, "in.jsonl", []byte(tt.json)),
			}
			for _, file := range files {
				got := shardSums(t, file, tt.sel, 2)
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%s gives\n%s\nwant\n%s", filepath.Base(file), strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

func rename(t *testing.T, path, name string) string {
	t.Helper()
	to := filepath.Join(filepath.Dir(path), name)
	if err := os.Rename(path, to); err != nil {
		t.Fatal(err)
	}
	return to
}

// shardSums returns, for each shard of a file, its key, number and columns, and
// the checksum of its value.
func shardSums(t *testing.T, file string, sel Selection, rows int) []string {
	t.Helper()
	src := opened(t, file, sel)
	defer func() { _ = src.Close() }()
	var all []string
	for sh, err := range Shards(src, rows) {
		if err != nil {
			t.Fatal(err)
		}
		value, err := wire.Encode(sh.Batch)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s/%d %+v %x", sh.Key, sh.N, sh.Batch.Columns, sha256.Sum256(value)))
	}
	return all
}

func TestArrowTypes(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	tests := []struct {
		typ  arrow.DataType
		json string
		want string
	}{
		{arrow.PrimitiveTypes.Int8, "-7", "-7"},
		{arrow.PrimitiveTypes.Int16, "-7", "-7"},
		{arrow.PrimitiveTypes.Int32, "-7", "-7"},
		{arrow.PrimitiveTypes.Uint8, "7", "7"},
		{arrow.PrimitiveTypes.Uint16, "7", "7"},
		{arrow.PrimitiveTypes.Uint32, "4294967295", "4294967295"},
		{arrow.PrimitiveTypes.Uint64, "9223372036854775807", "9223372036854775807"},
		{arrow.FixedWidthTypes.Float16, "0.5", "0.5"},
		{arrow.PrimitiveTypes.Float32, "0.5", "0.5"},
		{&arrow.Decimal128Type{Precision: 10, Scale: 2}, `"12.25"`, "12.25"},
		{&arrow.Decimal128Type{Precision: 10, Scale: 1}, `"0.3"`, "0.3"},
		{&arrow.Decimal128Type{Precision: 38, Scale: -2}, `"1200"`, "1200"},
		{&arrow.Decimal256Type{Precision: 50, Scale: 2}, `"-12.25"`, "-12.25"},
		{&arrow.Decimal256Type{Precision: 50, Scale: 1}, `"-0.3"`, "-0.3"},
		{arrow.FixedWidthTypes.Date32, `"1970-01-02"`, "86400"},
		{arrow.FixedWidthTypes.Date64, `"1970-01-02"`, "86400"},
		{arrow.FixedWidthTypes.Timestamp_s, `"1970-01-01 00:01:00"`, "60"},
		{arrow.FixedWidthTypes.Timestamp_ms, `"1970-01-01 00:00:00.25"`, "0.25"},
		{arrow.FixedWidthTypes.Timestamp_ns, `"1970-01-01 00:00:00.25"`, "0.25"},
		{arrow.BinaryTypes.LargeString, `"x"`, `"x"`},
		{arrow.BinaryTypes.Binary, `"eA=="`, `"x"`},
		{arrow.BinaryTypes.LargeBinary, `"eA=="`, `"x"`},
		{arrow.BinaryTypes.StringView, `"x"`, `"x"`},
		{arrow.BinaryTypes.StringView, `"more than twelve bytes"`, `"more than twelve bytes"`},
		{arrow.BinaryTypes.BinaryView, `"eA=="`, `"x"`},
		{dict, `"x"`, `"x"`},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.PrimitiveTypes.Int32}, "5", "5"},
		{arrow.Null, "null", "null"},
		{arrow.BinaryTypes.String, `"NA"`, "null"},
	}
	for _, tt := range tests {
		t.Run(tt.typ.String(), func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: tt.typ, Nullable: true}}, nil)
			rec := jsonRecord(t, schema, `[{"x":`+tt.json+`},{"x":null}]`)
			src := opened(t, store(t, "in.arrows", rec), Selection{Key: "k", Null: []string{"NA"}})
			if got, want := fmt.Sprint(readAll(t, src)), fmt.Sprintf("[k %s k null]", tt.want); got != want {
				t.Errorf("rows are %s, want %s", got, want)
			}
		})
	}
}

func TestArrowErrorsNameFileAndRow(t *testing.T) {
	column := func(typ arrow.DataType, rows string) arrow.Record {
		schema := arrow.NewSchema([]arrow.Field{
			{Name: "x", Type: typ, Nullable: true}, {Name: "y", Type: arrow.PrimitiveTypes.Int8},
		}, nil)
		return jsonRecord(t, schema, rows)
	}
	key := Selection{KeyColumn: "x", NoKey: "error"}
	tests := []struct {
		name string
		rec  arrow.Record
		sel  Selection
		want string
	}{
		{"list", column(arrow.ListOf(arrow.PrimitiveTypes.Int8), `[{"x":[1],"y":1}]`), Selection{Key: "k", Columns: []string{"x", "y"}},
			`unusable input: column "x" is list<item: int8, nullable>, neither numbers nor text`},
		{"nothing but a list", column(arrow.ListOf(arrow.PrimitiveTypes.Int8), `[{"x":[1],"y":1}]`), Selection{KeyColumn: "y"},
			"unusable input: no column is left to send"},
		{"key of numbers", column(arrow.PrimitiveTypes.Float64, `[{"x":1,"y":1}]`), key, "a key is text, an integer or a boolean"},
		{"null key", column(arrow.BinaryTypes.String, `[{"x":"a","y":1},{"x":null,"y":1}]`), key, `row 2: unusable input: no key in column "x"`},
		{"empty key", column(arrow.BinaryTypes.String, `[{"x":"","y":1}]`), key, `row 1: unusable input: no key in column "x"`},
		{"beyond int64", column(arrow.PrimitiveTypes.Uint64, `[{"x":1,"y":1},{"x":9223372036854775808,"y":1}]`), Selection{Key: "k"},
			`row 2: column "x": unusable input: 9223372036854775808 is beyond a 64-bit signed integer: write names as text and amounts as float64; choose other columns with --columns`},
		{"not UTF-8", column(arrow.BinaryTypes.Binary, `[{"x":"/w==","y":1}]`), Selection{Key: "k"}, `row 1: column "x": unusable input: "\xff" is not UTF-8; choose other columns with --columns`},
		{"no rows", column(arrow.BinaryTypes.String, `[]`), key, "unusable input: no rows"},
		{"no such column", column(arrow.BinaryTypes.String, `[]`), Selection{KeyColumn: "z"}, `no column "z"; the columns are x, y`},
	}
	for _, tt := range tests {
		for _, name := range []string{"in.arrow", "in.arrows"} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				err := firstError(t, store(t, name, tt.rec), tt.sel)
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), name) {
					t.Errorf("error is %v, want %q", err, tt.want)
				}
			})
		}
	}
}

func TestColumnsThatCannotBeSentAreLeftOut(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "tags", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true},
		{Name: "g", Type: arrow.PrimitiveTypes.Int8},
		{Name: "x", Type: arrow.PrimitiveTypes.Int8},
	}, nil)
	rec := jsonRecord(t, schema, `[{"tags":[1,2],"g":5,"x":1},{"tags":null,"g":6,"x":2}]`)
	for _, name := range []string{"in.arrow", "in.arrows", "in.parquet"} {
		src := opened(t, store(t, name, rec), Selection{KeyColumn: "g"})
		if got := fmt.Sprint(src.Notes()); !strings.Contains(got, `column "tags" is list`) {
			t.Errorf("%s: notes are %s", name, got)
		}
		if got := fmt.Sprint(readAll(t, src)); got != "[5 1 6 2]" {
			t.Errorf("%s: rows are %s", name, got)
		}
	}
}

// firstError opens and reads a file until something is wrong.
func firstError(t *testing.T, file string, sel Selection) error {
	t.Helper()
	src, err := Open(t.Context(), file, sel, Watch{})
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	for {
		if _, _, err := src.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "g", Type: arrow.BinaryTypes.String}, {Name: "x", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	rec := jsonRecord(t, schema, `[{"g":"a","x":1},{"g":"b","x":2},{"g":"c","x":3},{"g":"d","x":4}]`)
	for _, name := range []string{"in.arrow", "in.arrows", "in.parquet"} {
		t.Run(name, func(t *testing.T) {
			good, err := os.ReadFile(store(t, name, rec))
			if err != nil {
				t.Fatal(err)
			}
			damaged := map[string][]byte{
				"text":  []byte("g,x\na,1\nb,2\nc,3\n"),
				"empty": {},
				"start": good[:40],
				"half":  good[:len(good)/2],
				"zeros": append(bytes.Clone(good[:len(good)/3]), make([]byte, len(good)-len(good)/3)...),
			}
			for what, content := range damaged {
				if err := firstError(t, clitest.WriteFile(t, name, content), Selection{KeyColumn: "g"}); !errors.Is(err, ErrInput) {
					t.Errorf("%s: error is %v", what, err)
				}
			}
		})
	}
}

// TestPanicsOfTheLibraryAreErrors reads metadata whose first offset points far
// outside, which the Arrow library follows.
func TestPanicsOfTheLibraryAreErrors(t *testing.T) {
	metadata := strings.Repeat("\xff", 16)
	length := "\x10\x00\x00\x00"
	for name, content := range map[string]string{
		"in.arrow":  fileMagic + "\x00\x00" + metadata + length + fileMagic,
		"in.arrows": streamMagic + length + metadata,
	} {
		err := firstError(t, clitest.WriteFile(t, name, []byte(content)), Selection{Key: "k"})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	s := &recordSource{name: "in", next: func() (arrow.Record, error) { panic("index out of range") }}
	if _, _, err := s.Next(); !errors.Is(err, ErrInput) {
		t.Errorf("a panic while reading gives %v", err)
	}
}

// TestLengthBeyondMemory has a batch claim a body of 32 GiB, which Go would not
// survive being asked for.
func TestLengthBeyondMemory(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
	good, err := os.ReadFile(store(t, "in.arrows", jsonRecord(t, schema, `[{"x":1},{"x":2}]`)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Read()
	if err != nil || rec.NumRows() != 2 {
		t.Fatalf("record %v, error %v", rec, err)
	}
	// The second message follows the schema; its body length is the only
	// 64-bit number with this value in its metadata.
	second := bytes.Index(good[4:], []byte(streamMagic)) + 4
	size := binary.LittleEndian.Uint32(good[second+4:])
	body := second + 8 + int(size)
	end := bytes.Index(good[body:], []byte(streamMagic))
	at := bytes.Index(good[second+8:body], binary.LittleEndian.AppendUint64(nil, uint64(end)))
	if end < 1 || at < 0 {
		t.Fatalf("no body length in the second message: body of %d bytes", end)
	}
	binary.LittleEndian.PutUint64(good[second+8+at:], 32<<30)
	err = firstError(t, clitest.WriteFile(t, "in.arrows", good), Selection{Key: "k"})
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "bytes for one buffer") {
		t.Errorf("error is %v", err)
	}
}

// Text of typed columns is read as that of a CSV file is.
func TestTextOfTypedColumns(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "g", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "price", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "day", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		{Name: "code", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int32},
	}, nil)
	rec := jsonRecord(t, schema, `[{"g":"a","price":"$2,050.10","day":"13/04/2026","code":"007","n":1},
		{"g":null,"price":"$7","day":"14/04/2026","code":"010","n":2},{"g":"b","price":"-","day":null,"code":"NA","n":3}]`)
	for _, name := range []string{"in.arrow", "in.arrows", "in.parquet"} {
		src := opened(t, store(t, name, rec), Selection{KeyColumn: "g"})
		if got := fmt.Sprint(readAll(t, src)); got != `[a 2050.1 1.7760384e+09 "007" 1 b null null null 3]` || src.Rows() != 2 {
			t.Errorf("%s: %d rows %s", name, src.Rows(), got)
		}
		notes := strings.Join(src.Notes(), "\n")
		for _, want := range []string{`1 row has no key in column "g": left out`, `column "day" holds dates with the day first (as line 1 has it: "13/04/2026")`,
			`column "price" is in $`, `column "code" is text: it has its numbers in quotes`, `"-" is read as missing, once in "price"`} {
			if !strings.Contains(notes, want) {
				t.Errorf("%s: notes do not say %q:\n%s", name, want, notes)
			}
		}
	}
	numbers := jsonRecord(t, arrow.NewSchema([]arrow.Field{
		{Name: "g", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int32},
	}, nil), `[{"g":"a","n":1},{"g":"","n":2}]`)
	src := opened(t, store(t, "in.arrow", numbers), Selection{KeyColumn: "g"})
	if got := fmt.Sprint(readAll(t, src)); got != "[a 1]" || !strings.Contains(fmt.Sprint(src.Notes()), "1 row has no key") {
		t.Errorf("numbers only: %s, notes %q", got, src.Notes())
	}
}
