package arrow

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

func TestTruncatedAtEveryByte(t *testing.T) {
	for name, value := range corpus(t) {
		ends := map[int]bool{len(value): true}
		whole := NewDecoder(small)
		if err := attempt(t, whole, value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// After a batch a stream may end without its marker.
		for b := value; ; {
			m, end, _, err := next(b)
			if err != nil || end {
				break
			}
			b = b[m.size:]
			if m.kind == headerRecord {
				ends[len(value)-len(b)] = true
			}
		}
		d := NewDecoder(small)
		for n := range value {
			err := attempt(t, d, value[:n])
			if ends[n] != (err == nil) {
				t.Fatalf("%s cut to %d of %d bytes: %v", name, n, len(value), err)
			}
		}
	}
}

// One bit of every byte of every stream, and every bit of one of them.
func TestFlippedBits(t *testing.T) {
	for name, value := range corpus(t) {
		d := NewDecoder(small)
		for i := range 8 * len(value) {
			if i%8 != i/8%8 && name != "pyarrow-delta.arrows" {
				continue
			}
			value[i/8] ^= 1 << (i % 8)
			_ = attempt(t, d, value)
			value[i/8] ^= 1 << (i % 8)
		}
	}
}

func TestAbsurdNumbersAnywhere(t *testing.T) {
	for _, name := range []string{"pyarrow.arrows", "pyarrow-zstd.arrows", "pyarrow-view.arrows", "polars-lz4.arrows", "pyarrow-legacy.arrows", "pyarrow-nested.arrows"} {
		value := corpus(t)[name]
		d := NewDecoder(small)
		for i := 0; i+8 <= len(value); i += 4 {
			kept := slices.Clone(value[i : i+8])
			for _, v := range []uint64{math.MaxUint64, math.MaxInt64, 1 << 38, 1 << 31, 0xFFFF, 354 << 30} {
				le.PutUint64(value[i:], v)
				_ = attempt(t, d, value)
				copy(value[i:], kept)
				le.PutUint32(value[i:], uint32(v))
				_ = attempt(t, d, value)
				copy(value[i:], kept)
			}
		}
	}
}

// A record that asks for hundreds of gigabytes: its body, its buffers, its
// rows and its unpacked sizes all say so.
func TestSmallRecordThatAsksForHundredsOfGigabytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const absurd = 354 << 30
	plain := write(t, rng, stream{columns: 6, rows: 10, batches: 1, types: types[:1]})
	packed := write(t, rng, stream{columns: 6, rows: 10, batches: 1, types: types[:1], options: []ipc.Option{ipc.WithZstd()}})
	schema, _, _, err := next(plain)
	if err != nil {
		t.Fatal(err)
	}
	batch, _, _, err := next(plain[schema.size:])
	if err != nil {
		t.Fatal(err)
	}
	at := func(b []byte, text uint64, nth int) int {
		for i := schema.size; i+8 <= len(b); i++ {
			if le.Uint64(b[i:]) == text {
				if nth--; nth < 0 {
					return i
				}
			}
		}
		t.Fatalf("no %d", text)
		return 0
	}
	for name, c := range map[string]struct {
		value []byte
		at    int
	}{
		"body length":   {plain, at(plain, uint64(len(batch.body)), 0)},
		"buffer length": {plain, at(plain, 80, 0)},
		"rows":          {plain, at(plain, 10, 0)},
		"unpacked size": {packed, at(packed, 80, 0)},
	} {
		value := slices.Clone(c.value)
		if len(value) > 2048 {
			t.Fatalf("%s: %d bytes", name, len(value))
		}
		le.PutUint64(value[c.at:], absurd)
		d := NewDecoder(Limits{})
		if n := pipelinetest.Allocated(func() { _, err = d.Decode(value) }); n > 1<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
		if !errors.Is(err, pipeline.ErrDecode) && !errors.Is(err, cdf.ErrShard) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemasThatAskForTooMuch(t *testing.T) {
	columns := make([]cdf.Column, 5001)
	for i := range columns {
		columns[i] = cdf.Column{Name: "x", Number: []float64{1}}
	}
	value, err := Encode(&cdf.Batch{Rows: 1, Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewDecoder(Limits{}).Decode(value); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), "5001") {
		t.Errorf("5,001 columns: %v", err)
	}
}

// nested returns the schema of one column, depth structs deep, each of them
// width times the child of the one above.
func nested(depth, width int) []byte {
	var w builder
	w.begin()
	head, _ := w.message(headerSchema)
	pos, at := w.table(value{2, 0}, value{width: 4})
	w.point(head, pos)
	w.pointNext(at[1])
	from := []int{w.offsets(1)}
	for level := range depth + 1 {
		code := uint64(typeStruct)
		if level == depth {
			code = typeBool
		}
		pos, at := w.table(value{}, value{}, value{1, code}, value{width: 4}, value{}, value{width: 4})
		for _, f := range from {
			w.point(f, pos)
		}
		typ, _ := w.table()
		w.point(at[3], typ)
		w.pointNext(at[5])
		children := 0
		if level < depth {
			children = width
		}
		first := w.offsets(children)
		from = from[:0]
		for i := range children {
			from = append(from, first+4*i)
		}
	}
	w.end()
	return w.b
}

func TestNestedSchemas(t *testing.T) {
	for name, c := range map[string]struct {
		depth, width int
		deep         bool
	}{
		"60 deep":                    {60, 1, false},
		"100 deep":                   {100, 1, true},
		"60 deep, 2 to the 60 leafs": {60, 2, true},
	} {
		err := attempt(t, NewDecoder(small), nested(c.depth, c.width))
		if !errors.Is(err, pipeline.ErrDecode) || strings.Contains(err.Error(), "deep") != c.deep {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDictionariesThatCannotBe(t *testing.T) {
	column := cdf.Column{Name: "s", Type: cdf.Text, Levels: []string{"a", "b"}, Code: make([]int32, dictionaryRows)}
	column.Code[3] = 1
	value, err := Encode(&cdf.Batch{Rows: dictionaryRows, Columns: []cdf.Column{column}})
	if err != nil {
		t.Fatal(err)
	}
	schema, _, _, _ := next(value)
	dict, _, _, _ := next(value[schema.size:])
	if dict.kind != headerDictionary {
		t.Fatal("no dictionary was written")
	}
	without := append(slices.Clone(value[:schema.size]), value[schema.size+dict.size:]...)
	outside := slices.Clone(value)
	rows := outside[schema.size+dict.size:]
	last, _, _, _ := next(rows)
	le.PutUint32(last.body[12:], 2)
	negative := slices.Clone(outside)
	last, _, _, _ = next(negative[schema.size+dict.size:])
	le.PutUint32(last.body[12:], math.MaxUint32)
	unknown := slices.Clone(value)
	d, _, _, _ := next(unknown[schema.size:])
	id := d.meta.field(d.head, 0, 8)
	le.PutUint64(d.meta.b[id:], 7)
	for name, v := range map[string][]byte{"missing": without, "index outside": outside, "negative index": negative, "unknown id": unknown} {
		if err := attempt(t, NewDecoder(Limits{}), v); !errors.Is(err, pipeline.ErrDecode) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTextThatIsNotUTF8(t *testing.T) {
	column := cdf.Column{Name: "s", Type: cdf.Text, Levels: []string{"a\xff"}, Code: []int32{0}}
	value, err := Encode(&cdf.Batch{Rows: 1, Columns: []cdf.Column{column}})
	if err != nil {
		t.Fatal(err)
	}
	if err := attempt(t, NewDecoder(small), value); !errors.Is(err, pipeline.ErrDecode) {
		t.Errorf("%v", err)
	}
}

func TestNotArrow(t *testing.T) {
	d := NewDecoder(small)
	for _, v := range [][]byte{nil, {}, []byte("{\"x\": 1}"), []byte("ARROW1\x00\x00"), make([]byte, 100), bytes.Repeat([]byte{0xff}, 100)} {
		if err := attempt(t, d, v); !errors.Is(err, pipeline.ErrDecode) {
			t.Errorf("%q: %v", v, err)
		}
	}
}

// What producers send by mistake is named.
func TestForeignFormats(t *testing.T) {
	for value, want := range map[string]string{
		"ARROW1\x00\x00 and so on": "an Arrow file", "PAR1 and so on": "a Parquet file", " {\"x\": 1, \"y\": 2}": "input.format", "[{\"x\": 1}]": "input.format",
		"text without a sign": "message metadata of",
	} {
		if err := attempt(t, NewDecoder(small), []byte(value)); !errors.Is(err, pipeline.ErrDecode) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", value, err, want)
		}
	}
}

// A buffer of a number less than the batch has rows.
func TestColumnsThatAreTooShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, offset := range []int{0, 1} {
		value := aligned(write(t, rng, stream{columns: 2, rows: 100, batches: 1, types: types[:1]}), offset)
		schema, _, _, err := next(value)
		if err != nil {
			t.Fatal(err)
		}
		m, _, _, err := next(value[schema.size:])
		if err != nil {
			t.Fatal(err)
		}
		r, err := readRecord(&m.meta, m.head, m.body)
		if err != nil {
			t.Fatal(err)
		}
		d := NewDecoder(Limits{})
		if _, err := d.Decode(value); err != nil {
			t.Fatal(err)
		}
		le.PutUint64(r.buffers[16+8:], 8*99)
		if _, err := d.Decode(value); !errors.Is(err, pipeline.ErrDecode) {
			t.Errorf("99 of 100 numbers: %v", err)
		}
	}
}
