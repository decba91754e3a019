package rows

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// parquetRows is how many rows of a Parquet file are read at a time.
const parquetRows = 8192

// openParquet opens a Parquet file, of which only the selected columns are
// read, some rows at a time.
func openParquet(ctx context.Context, name string, sel Selection) (*recordSource, error) {
	return openRecords(name, func(f *os.File, alloc memory.Allocator) (*recordSource, error) {
		props := parquet.NewReaderProperties(alloc)
		props.BufferedStreamEnabled = true
		pq, err := file.NewParquetReader(f, file.WithReadProps(props))
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrInput, err)
		}
		r, err := pqarrow.NewFileReader(pq, pqarrow.ArrowReadProperties{BatchSize: parquetRows}, alloc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrInput, err)
		}
		schema, err := r.Schema()
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrInput, err)
		}
		s, err := newRecordSource(name, sel, schema)
		if err != nil {
			return nil, err
		}
		records, err := r.GetRecordReader(ctx, s.project(r.Manifest.Fields), nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", name, ErrInput, err)
		}
		s.next, s.rows, s.closer = records.Read, pq.NumRows(), pq
		return s, nil
	})
}

// project returns the Parquet columns behind the selected ones, which must not
// be nested, and has the source expect them, and no others, in that order.
func (s *recordSource) project(fields []pqarrow.SchemaField) []int {
	var leaves []int
	at := map[int]int{} // place of a column among the leaves
	take := func(column int) int {
		if _, ok := at[column]; !ok {
			at[column] = len(leaves)
			leaves = append(leaves, fields[column].ColIndex)
		}
		return at[column]
	}
	for i, c := range s.columns {
		s.columns[i] = take(c)
	}
	if s.key >= 0 {
		s.key = take(s.key)
	}
	return leaves
}
