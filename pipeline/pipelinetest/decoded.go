package pipelinetest

import (
	"bytes"
	"errors"
	"math"
	"runtime/metrics"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline"
)

// Allocated returns the bytes that call allocates.
func Allocated(call func()) uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	before := s[0].Value.Uint64()
	call()
	metrics.Read(s)
	return s[0].Value.Uint64() - before
}

// Decoded decodes a value by a decoder that was used and by a fresh one, and fails the
// test unless they say the same and the value is as it was.
func Decoded(t testing.TB, used, fresh pipeline.Decoder, value []byte) (*cdf.Batch, error) {
	t.Helper()
	kept := bytes.Clone(value)
	b, err := used.Decode(value)
	if !bytes.Equal(kept, value) {
		t.Fatal("the record was written to")
	}
	again, errAgain := fresh.Decode(value)
	if (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
		t.Fatalf("%v, then %v: what was before shows", err, errAgain)
	}
	if err == nil {
		sameBatch(t, b, again)
	}
	return b, err
}

// sameBatch fails the test where two batches differ in a bit, or where a column has
// not a value for each row.
func sameBatch(t testing.TB, a, b *cdf.Batch) {
	t.Helper()
	if a.Rows != b.Rows || len(a.Columns) != len(b.Columns) || !slices.Equal(a.Skipped, b.Skipped) {
		t.Fatalf("%+v, then %+v", a, b)
	}
	bits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	for i := range a.Columns {
		x, y := &a.Columns[i], &b.Columns[i]
		if x.Name != y.Name || x.Type != y.Type || !slices.EqualFunc(x.Number, y.Number, bits) ||
			!slices.Equal(x.Int, y.Int) || !slices.Equal(x.Code, y.Code) || !slices.Equal(x.Levels, y.Levels) {
			t.Fatalf("%+v, then %+v", x, y)
		}
		if n := len(x.Number) + len(x.Code); n != a.Rows {
			t.Fatalf("column %q: %d values, %d rows", x.Name, n, a.Rows)
		}
	}
}

// Refusal fails the test where the error of a decoder of events is of no class, or no
// text for a dead letter.
func Refusal(t testing.TB, err error) {
	t.Helper()
	text := err.Error()
	if fault.In(err) != nil || !utf8.ValidString(text) || len(text) > 2000 {
		t.Fatalf("%q", err)
	}
	if !errors.Is(err, pipeline.ErrDecode) && !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
		t.Fatalf("error of no class: %v", err)
	}
}

// Flatten gives the fields of an object, and of those in it, their path.
func Flatten(object map[string]any) map[string]any {
	row := map[string]any{}
	var walk func(before string, object map[string]any)
	walk = func(before string, object map[string]any) {
		for name, v := range object {
			if inner, ok := v.(map[string]any); ok {
				walk(before+name+".", inner)
			} else {
				row[before+name] = v
			}
		}
	}
	walk("", object)
	return row
}
