package arrow

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

func TestColumnsThatShareTheirBytes(t *testing.T) {
	// 90 columns of 8,000 rows, all of them the same 64,000 bytes.
	const columns, rows = 90, 7000
	fields := make([]written, columns)
	for i := range fields {
		fields[i] = written{name: "c", typ: cdf.Float, dict: -1}
	}
	var w builder
	w.schema(fields, false)
	w.end()
	at := w.batch(rows, columns, 2*columns, -1)
	for i := range columns {
		w.pair(at.node, i, rows, 0)
		w.pair(at.buffer, 2*i+1, 0, 8*rows)
	}
	b := w.body(at.buffer)
	w.zero(8 * rows)
	b.done(at.length)
	d := NewDecoder(Limits{Record: len(w.b), Rows: rows, Columns: columns})
	if err := attempt(t, d, w.b); !errors.Is(err, cdf.ErrShard) {
		t.Errorf("%v", err)
	}
}

func TestViewsThatShareTheirBytes(t *testing.T) {
	const rows, size = 2000, 20000
	data := bytes.Repeat([]byte("text"), size/4+rows)
	views := make([]arrow.ViewHeader, rows)
	for i := range views {
		views[i].SetBytes(data[i : i+size])
		views[i].SetIndexOffset(0, int32(i))
	}
	raw := arrow.ViewHeaderTraits.CastToBytes(views)
	arr := array.MakeFromData(array.NewData(arrow.BinaryTypes.StringView, rows,
		[]*memory.Buffer{nil, memory.NewBufferBytes(raw), memory.NewBufferBytes(data)}, nil, 0, 0))
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.StringView}}, nil)
	var buf bytes.Buffer
	out := ipc.NewWriter(&buf, ipc.WithSchema(schema))
	if err := out.Write(array.NewRecord(schema, []arrow.Array{arr}, rows)); err != nil {
		t.Fatal(err)
	}
	if err := attempt(t, NewDecoder(small), buf.Bytes()); !errors.Is(err, cdf.ErrShard) {
		t.Errorf("%v", err)
	}
}

func TestBombs(t *testing.T) {
	// Declared sizes beyond the budget are refused before anything is
	// unpacked; sizes that lie are noticed while it is.
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	rb.Field(0).(*array.Float64Builder).AppendValues(make([]float64, 1_000_000), nil)
	for name, option := range map[string]ipc.Option{"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		rec := rb.NewRecord()
		var buf bytes.Buffer
		w := ipc.NewWriter(&buf, ipc.WithSchema(schema), option)
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		limits := Limits{Record: buf.Len(), Rows: 1_000_000}
		if err := attempt(t, NewDecoder(limits), buf.Bytes()); err == nil {
			t.Errorf("%s: 8 MB out of %d bytes were let in", name, buf.Len())
		}
		rb.Field(0).(*array.Float64Builder).AppendValues(make([]float64, 1_000_000), nil)
	}
	zeros := make([]byte, 64<<20)
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var frame bytes.Buffer
	lw := lz4.NewWriter(&frame)
	if _, err := lw.Write(zeros); err != nil {
		t.Fatal(err)
	}
	if err := lw.Close(); err != nil {
		t.Fatal(err)
	}
	var streamed bytes.Buffer
	sw, err := zstd.NewWriter(&streamed) // without the size of its content
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sw.Write(zeros); err != nil {
		t.Fatal(err)
	}
	if err := sw.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		src    []byte
		unpack func(*inflater, []byte, []byte) error
	}{
		"zstd":          {enc.EncodeAll(zeros, nil), (*inflater).unzstd},
		"zstd streamed": {streamed.Bytes(), (*inflater).unzstd},
		"lz4":           {frame.Bytes(), func(_ *inflater, dst, src []byte) error { return unlz4(dst, src) }},
	} {
		var z inflater
		dst := make([]byte, 80)
		if n := pipelinetest.Allocated(func() { err = c.unpack(&z, dst, c.src) }); n > bound {
			t.Errorf("%s: %d bytes allocated for 80", name, n)
		}
		if !errors.Is(err, errCompressed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
