package arrow

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// State is one row of exported states.
type State struct {
	Key, Kind, Variant string
	T, N               int64
	Partition          int32
	Offset             int64 // of the last record applied
	Time               int64 // of that record, milliseconds since 1970
	Gaps               int64
	Outlier            int64  // offset of the last record that has outliers, -1 where none has
	Fingerprint        string // of the model's configuration, hex
	Snapshot           []byte
	Summary            []byte // empty where the snapshot tells it
	Repeats            []byte
	Sections           []byte // see pipeline.Envelope.Sections; empty: none
}

var stateFields = []arrow.Field{
	{Name: "key", Type: arrow.BinaryTypes.String},
	{Name: "kind", Type: arrow.BinaryTypes.String},
	{Name: "variant", Type: arrow.BinaryTypes.String},
	{Name: "t", Type: arrow.PrimitiveTypes.Int64},
	{Name: "n", Type: arrow.PrimitiveTypes.Int64},
	{Name: "partition", Type: arrow.PrimitiveTypes.Int32},
	{Name: "offset", Type: arrow.PrimitiveTypes.Int64},
	{Name: "time", Type: &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}},
	{Name: "gaps", Type: arrow.PrimitiveTypes.Int64},
	{Name: "fingerprint", Type: arrow.BinaryTypes.String},
	{Name: "snapshot", Type: arrow.BinaryTypes.Binary},
	{Name: "summary", Type: arrow.BinaryTypes.Binary},
	{Name: "repeats", Type: arrow.BinaryTypes.Binary},
	{Name: "outlier", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "sections", Type: arrow.BinaryTypes.Binary, Nullable: true},
}

// stateColumns is how many of them every export has: the others came later.
const stateColumns = 14

// stateBatch is about how many bytes of states make a record batch.
const stateBatch = 4 << 20

// StateWriter writes states as an Arrow IPC stream.
type StateWriter struct {
	out   *ipc.Writer
	rows  *array.RecordBuilder
	bytes int
}

// NewStateWriter writes to w; meta becomes the schema's metadata.
func NewStateWriter(w io.Writer, meta map[string]string) *StateWriter {
	about := arrow.MetadataFrom(meta)
	schema := arrow.NewSchema(stateFields, &about)
	return &StateWriter{
		out:  ipc.NewWriter(w, ipc.WithSchema(schema)),
		rows: array.NewRecordBuilder(memory.DefaultAllocator, schema),
	}
}

// Write adds a row. The bytes are copied.
func (w *StateWriter) Write(s *State) error {
	for i, text := range map[int]string{0: s.Key, 1: s.Kind, 2: s.Variant, 9: s.Fingerprint} {
		w.rows.Field(i).(*array.StringBuilder).Append(text)
	}
	for i, n := range map[int]int64{3: s.T, 4: s.N, 6: s.Offset, 8: s.Gaps} {
		w.rows.Field(i).(*array.Int64Builder).Append(n)
	}
	w.rows.Field(5).(*array.Int32Builder).Append(s.Partition)
	w.rows.Field(7).(*array.TimestampBuilder).Append(arrow.Timestamp(s.Time))
	for i, b := range map[int][]byte{10: s.Snapshot, 11: s.Summary, 12: s.Repeats} {
		w.rows.Field(i).(*array.BinaryBuilder).Append(b)
	}
	if last := w.rows.Field(13).(*array.Int64Builder); s.Outlier < 0 {
		last.AppendNull()
	} else {
		last.Append(s.Outlier)
	}
	if last := w.rows.Field(14).(*array.BinaryBuilder); len(s.Sections) == 0 {
		last.AppendNull()
	} else {
		last.Append(s.Sections)
	}
	w.bytes += len(s.Sections) + len(s.Snapshot) + len(s.Summary) + len(s.Key) + 200
	if w.bytes < stateBatch {
		return nil
	}
	return w.flush()
}

func (w *StateWriter) flush() error {
	w.bytes = 0
	batch := w.rows.NewRecord()
	defer batch.Release()
	if batch.NumRows() == 0 {
		return nil
	}
	return w.out.Write(batch)
}

// Close writes what is left and the end of the stream.
func (w *StateWriter) Close() error {
	defer w.rows.Release()
	return errors.Join(w.flush(), w.out.Close())
}

// StateReader reads what a StateWriter wrote.
type StateReader struct {
	in    *ipc.Reader
	batch arrow.Record
	row   int
}

// NewStateReader reads the schema and returns its metadata. r has no more than size bytes.
func NewStateReader(r io.Reader, size int64) (sr *StateReader, meta map[string]string, err error) {
	defer rescue(&err)
	in, err := ipc.NewReader(r, ipc.WithAllocator(&bounded{memory.DefaultAllocator, size + 1<<16}))
	if err != nil {
		return nil, nil, fmt.Errorf("not an Arrow IPC stream: %w", err)
	}
	schema := in.Schema()
	for i, want := range stateFields {
		if i >= stateColumns && i >= len(schema.Fields()) {
			break
		}
		if i >= len(schema.Fields()) || schema.Field(i).Name != want.Name || !arrow.TypeEqual(schema.Field(i).Type, want.Type) {
			return nil, nil, fmt.Errorf("not an export of states: column %d is not %s of %s", i, want.Name, want.Type)
		}
	}
	if n := len(schema.Fields()); n > len(stateFields) {
		return nil, nil, fmt.Errorf("column %d is %s, which this program does not know: a later release wrote the file", n-1, schema.Field(n-1).Name)
	}
	about := schema.Metadata()
	return &StateReader{in: in}, about.ToMap(), nil
}

// bounded refuses what no file of its size holds: the library asks for as much as a length in the
// file says, and where one bit of that is wrong, the process ends for want of memory.
type bounded struct {
	memory.Allocator
	most int64
}

// Allocate implements memory.Allocator. The panic is for rescue.
func (b *bounded) Allocate(n int) []byte {
	b.check(n)
	return b.Allocator.Allocate(n)
}

// Reallocate implements memory.Allocator.
func (b *bounded) Reallocate(n int, old []byte) []byte {
	b.check(n)
	return b.Allocator.Reallocate(n, old)
}

func (b *bounded) check(n int) {
	if n < 0 || int64(n) > b.most {
		panic(fmt.Sprintf("a buffer of %d bytes", n))
	}
}

// Next returns the next row, io.EOF after the last one. Its bytes are copies.
func (r *StateReader) Next() (s *State, err error) {
	defer rescue(&err)
	for r.batch == nil || r.row == int(r.batch.NumRows()) {
		if !r.in.Next() {
			if err := r.in.Err(); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		r.batch, r.row = r.in.Record(), 0
	}
	b, i := r.batch, r.row
	r.row++
	text := func(c int) string { return string([]byte(b.Column(c).(*array.String).Value(i))) }
	number := func(c int) int64 { return b.Column(c).(*array.Int64).Value(i) }
	bytes := func(c int) []byte { return append([]byte(nil), b.Column(c).(*array.Binary).Value(i)...) }
	outlier := int64(-1)
	if b.Column(13).IsValid(i) {
		outlier = number(13)
	}
	var sections []byte
	if b.NumCols() > stateColumns && b.Column(14).IsValid(i) {
		sections = bytes(14)
	}
	return &State{
		Key: text(0), Kind: text(1), Variant: text(2), T: number(3), N: number(4),
		Partition: b.Column(5).(*array.Int32).Value(i), Offset: number(6),
		Time: int64(b.Column(7).(*array.Timestamp).Value(i)), Gaps: number(8), Fingerprint: text(9),
		Snapshot: bytes(10), Summary: bytes(11), Repeats: bytes(12), Outlier: outlier, Sections: sections,
	}, nil
}

// rescue turns a panic of the library, which trusts what it reads, into an
// error.
func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged Arrow stream: %v", p)
	}
}
