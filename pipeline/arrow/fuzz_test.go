package arrow

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// small are limits under which a decoder may allocate little.
var small = Limits{Record: 64 << 10, Rows: 10000, Columns: 100}

// bound is what one call under small may allocate, decompressors included.
const bound = 24 << 20

// attempt decodes value and fails the test where the decoder panics inside,
// allocates without bound, answers with an error of no class, or hands out
// columns that do not fit their rows.
func attempt(t testing.TB, d *Decoder, value []byte) error {
	t.Helper()
	var b *cdf.Batch
	var err error
	if n := pipelinetest.Allocated(func() { b, err = d.Decode(value) }); n > bound {
		t.Fatalf("%d bytes allocated for a record of %d (%v)", n, len(value), err)
	}
	if err != nil {
		if fault.In(err) != nil {
			t.Fatalf("panic inside: %v", err)
		}
		if !errors.Is(err, pipeline.ErrDecode) && !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
			t.Fatalf("error of no class: %v", err)
		}
		return err
	}
	for i := range b.Columns {
		c := &b.Columns[i]
		switch c.Type {
		case cdf.Text:
			if len(c.Code) != b.Rows {
				t.Fatalf("column %d: %d codes, %d rows", i, len(c.Code), b.Rows)
			}
			for _, code := range c.Code {
				if code < -1 || int(code) >= len(c.Levels) {
					t.Fatalf("column %d: code %d of %d", i, code, len(c.Levels))
				}
			}
		case cdf.Integer:
			if len(c.Int) != b.Rows {
				t.Fatalf("column %d: %d ints, %d rows", i, len(c.Int), b.Rows)
			}
			fallthrough
		default:
			if len(c.Number) != b.Rows {
				t.Fatalf("column %d: %d numbers, %d rows", i, len(c.Number), b.Rows)
			}
		}
	}
	return nil
}

// corpus returns streams of every writer and form.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.arrows")
	if err != nil || len(files) == 0 {
		t.Fatal("no streams", err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if out[filepath.Base(f)], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func FuzzDecode(f *testing.F) {
	for _, value := range corpus(f) {
		f.Add(value)
	}
	d := NewDecoder(small)
	f.Fuzz(func(t *testing.T, value []byte) {
		kept := slices.Clone(value)
		err := attempt(t, d, value)
		if !bytes.Equal(kept, value) {
			t.Fatal("the record was written to")
		}
		// What a decoder kept of earlier records must not show.
		if again := attempt(t, NewDecoder(small), value); (again == nil) != (err == nil) {
			t.Fatalf("%v, then %v", err, again)
		}
	})
}
