package rows

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
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
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// TestKeysBeyondIntegers: unsigned keys of 64 bits are kept to the last digit.
func TestKeysBeyondIntegers(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Uint64}, {Name: "y", Type: arrow.PrimitiveTypes.Float64},
	}, nil))
	b.Field(0).(*array.Uint64Builder).AppendValues([]uint64{1<<64 - 1, 1<<53 + 1}, nil) //nolint:forcetypeassert // built above
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{1, 2}, nil)               //nolint:forcetypeassert // built above
	src, err := Open(context.Background(), storeParquet(t, []arrow.Record{b.NewRecord()}), Selection{KeyColumn: "id"}, Watch{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	var keys []string
	for {
		key, _, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	if got := strings.Join(keys, " "); got != "18446744073709551615 9007199254740993" {
		t.Error(got)
	}
}

// TestSpansAreNoIntegers: what pandas writes of a timedelta64 is an integer in Parquet, of a
// unit that it doesn't say; asked for by name it is refused, else left out with a note.
func TestSpansAreNoIntegers(t *testing.T) {
	path := spansParquet(t)
	src, err := Open(context.Background(), path, Selection{Key: "k"}, Watch{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	said, want := strings.Join(src.Notes(), "\n"), `column "took" is duration[ns], a span of time (write it as a number, as of seconds), neither numbers nor text: it is left out`
	if said != want || len(src.Fields()) != 1 || src.Fields()[0].Name != "n" {
		t.Errorf("said %q, fields %v", said, src.Fields())
	}
	if _, err = Open(context.Background(), path, Selection{Key: "k", Columns: []string{"took", "n"}}, Watch{}); !errors.Is(err, ErrInput) {
		t.Errorf("asked for by name: %v", err)
	}
	for _, message := range []string{"", "\xff\xff\xff\xff\x10\x00\x00\x00", strings.Repeat("\x7f", 64)} {
		if s := schemaIn([]byte(message)); s != nil {
			t.Errorf("%q is %v", message, s)
		}
	}
}

// spansParquet is a file of two columns of integers, of which the first was a span of time
// before it was written.
func spansParquet(t *testing.T) string {
	t.Helper()
	written := arrow.NewSchema([]arrow.Field{
		{Name: "took", Type: arrow.FixedWidthTypes.Duration_ns}, {Name: "n", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	var message bytes.Buffer
	if err := ipc.NewWriter(&message, ipc.WithSchema(written)).Close(); err != nil {
		t.Fatal(err)
	}
	whole := arrow.NewSchema([]arrow.Field{
		{Name: "took", Type: arrow.PrimitiveTypes.Int64}, {Name: "n", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, whole)
	for i := range whole.Fields() {
		b.Field(i).(*array.Int64Builder).AppendValues([]int64{3, 4}, nil) //nolint:forcetypeassert // built above
	}
	path := filepath.Join(t.TempDir(), "spans.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(whole, f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.Write(b.NewRecord()), w.AppendKeyValueMetadata(writtenAs, base64.StdEncoding.EncodeToString(message.Bytes())), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	return path
}
