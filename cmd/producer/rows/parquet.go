package rows

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// parquetRows is how many rows of a Parquet file are read at a time.
const parquetRows = 8192

// openParquet opens a Parquet file, of which only the selected columns are
// read, some rows at a time. The library's own way from Parquet to Arrow,
// pqarrow, would link an RPC framework into every program (ADR 49).
func openParquet(name string, sel Selection) (*recordSource, error) {
	return openRecords(name, func(f *os.File, alloc memory.Allocator) (*recordSource, error) {
		if err := whole(f); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrInput, err)
		}
		props := parquet.NewReaderProperties(alloc)
		props.BufferedStreamEnabled = true
		pq, err := file.NewParquetReader(f, file.WithReadProps(props))
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w; %s", name, ErrInput, err, anew)
		}
		fields, leaves := parquetFields(pq.MetaData().Schema)
		spans(fields, pq.MetaData().KeyValueMetadata())
		s, err := newRecordSource(name, sel, arrow.NewSchema(fields, nil))
		if err != nil {
			return nil, err
		}
		t := &parquetTable{file: pq, alloc: alloc}
		for _, c := range s.project() {
			if err := readable(pq, leaves[c]); err != nil {
				return nil, fmt.Errorf("%s: column %q: %w: %w", name, fields[c].Name, ErrInput, err)
			}
			t.fields = append(t.fields, fields[c])
			t.columns = append(t.columns, newParquetColumn(pq, leaves[c], fields[c].Type, alloc))
		}
		t.schema = arrow.NewSchema(t.fields, nil)
		s.next, s.rows, s.closer = t.read, pq.NumRows(), pq
		return s, nil
	})
}

// What a Parquet file begins and ends with; one of the other ends with its encrypted footer.
const (
	parquetMagic   = "PAR1"
	encryptedMagic = "PARE"
)

// whole refuses what does not begin and end as a Parquet file does, of which the library
// tells only that some length is wrong.
func whole(f *os.File) error {
	begin, end := make([]byte, len(parquetMagic)), make([]byte, len(parquetMagic))
	if _, err := f.ReadAt(begin, 0); err != nil {
		return fmt.Errorf("too short for Parquet; %s", anew)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return err
	}
	switch {
	case string(end) == encryptedMagic:
		return errors.New("it is encrypted, which is not read: write it without encryption")
	case string(begin) != parquetMagic:
		return fmt.Errorf("no Parquet file; %s", otherwise(f))
	case string(end) != parquetMagic:
		return fmt.Errorf("its end is missing; %s", anew)
	}
	return nil
}

// encodings are those that the library reads.
var encodings = []parquet.Encoding{
	parquet.Encodings.Plain, parquet.Encodings.PlainDict, parquet.Encodings.RLE, parquet.Encodings.RLEDict, parquet.Encodings.BitPacked,
	parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaLengthByteArray,
}

// readable refuses a leaf that the library does not read, before a row is sent: it would
// tell in the middle of the file, and of encodings not what is wrong.
func readable(pq *file.Reader, leaf int) error {
	for g := range pq.NumRowGroups() {
		chunk, err := pq.MetaData().RowGroup(g).ColumnChunk(leaf)
		if err != nil {
			return err
		}
		if _, err := compress.GetCodec(chunk.Compression()); err != nil {
			return fmt.Errorf("it is packed by %v, which is not read: write the file with zstd, snappy or gzip", chunk.Compression())
		}
		for _, e := range chunk.Encodings() {
			if !slices.Contains(encodings, e) {
				return fmt.Errorf("its encoding is %v, which is not read: write the file with PLAIN or a dictionary", e)
			}
		}
	}
	return nil
}

// project returns the selected columns of a file, each once, and has the source expect
// them, and no others, in that order.
func (s *recordSource) project() []int {
	var columns []int
	at := map[int]int{} // place of a column among them
	take := func(column int) int {
		if _, ok := at[column]; !ok {
			at[column] = len(columns)
			columns = append(columns, column)
		}
		return at[column]
	}
	for i, c := range s.columns {
		s.columns[i] = take(c)
	}
	if s.key >= 0 {
		s.key = take(s.key)
	}
	return columns
}

// parquetFields returns the columns of a table, and which leaf of the file's schema each
// is; a column that is nested has the first of its leaves, and a type that is not sent.
func parquetFields(s *schema.Schema) (fields []arrow.Field, leaves []int) {
	root := s.Root()
	for i := range root.NumFields() {
		n := root.Field(i)
		fields = append(fields, arrow.Field{Name: n.Name(), Type: nodeType(n), Nullable: true})
	}
	leaves = make([]int, len(fields))
	for leaf := s.NumColumns() - 1; leaf >= 0; leaf-- {
		leaves[root.FieldIndexByField(s.ColumnRoot(leaf))] = leaf
	}
	return fields, leaves
}

// parquetTable reads some columns of a file, row group by row group.
type parquetTable struct {
	file    *file.Reader
	alloc   memory.Allocator
	fields  []arrow.Field
	schema  *arrow.Schema
	columns []*parquetColumn
	groups  int   // begun
	left    int64 // rows of the last of them
}

// read returns the next rows, io.EOF after the last; they are valid until the next call.
func (t *parquetTable) read() (arrow.Record, error) {
	for t.left == 0 {
		if t.groups == t.file.NumRowGroups() {
			return nil, io.EOF
		}
		group := t.file.RowGroup(t.groups)
		t.groups++
		for _, c := range t.columns {
			pages, err := group.GetColumnPageReader(c.leaf)
			if err != nil {
				return nil, err
			}
			c.reader.SetPageReader(pages)
		}
		if t.left = group.NumRows(); t.left < 0 {
			return nil, errors.New("a row group of less than no rows")
		}
	}
	n := min(t.left, parquetRows)
	t.left -= n
	arrays := make([]arrow.Array, len(t.columns))
	for i, c := range t.columns {
		var err error
		if arrays[i], err = c.read(n); err != nil {
			return nil, fmt.Errorf("column %q: %w", t.fields[i].Name, err)
		}
	}
	return array.NewRecord(t.schema, arrays, n), nil
}
