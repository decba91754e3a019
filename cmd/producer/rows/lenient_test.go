package rows

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// A value that no shard takes ends a replay at its row. Who looks for a model leaves its
// column out, if nobody asks for it, and says why.
func TestColumnsWithAValueThatNoShardTakes(t *testing.T) {
	for name, c := range map[string]struct {
		of     arrow.DataType
		bad    string
		reason string
	}{
		"seconds":      {arrow.FixedWidthTypes.Timestamp_s, `4611686018427387904`, "4.61169e+18 seconds since 1970 are beyond the times that a shard has"},
		"milliseconds": {arrow.FixedWidthTypes.Timestamp_ms, `-4611686018427387001`, "-4.61169e+15 seconds since 1970 are beyond"},
		"days":         {arrow.PrimitiveTypes.Date32, `2147483647`, "1.85543e+14 seconds since 1970 are beyond"},
		"an id":        {arrow.PrimitiveTypes.Uint64, `18446744073709551615`, "18446744073709551615 is beyond a 64-bit signed integer"},
		"bytes":        {arrow.BinaryTypes.Binary, `"/w=="`, `"\xff" is not UTF-8`},
	} {
		other := `1`
		if c.of == arrow.BinaryTypes.Binary {
			other = `"YQ=="`
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "c", Type: c.of, Nullable: true}, {Name: "y", Type: arrow.PrimitiveTypes.Float64}}, nil)
		rows := fmt.Sprintf(`[{"x":1,"c":%s,"y":2},{"x":3,"c":null,"y":4},{"x":5,"c":%s,"y":6},{"x":7,"c":%s,"y":8}]`, other, c.bad, other)
		file := store(t, "in.arrow", jsonRecord(t, schema, rows))
		if err := firstError(t, file, Selection{Key: "k"}); err == nil || !strings.Contains(err.Error(), `row 3: column "c": unusable input: `+c.reason) || !strings.HasSuffix(err.Error(), "choose other columns with --columns") {
			t.Errorf("%s, replayed: %v", name, err)
		}
		if err := firstError(t, file, Selection{Key: "k", Columns: []string{"x", "c"}, Lenient: true}); err == nil {
			t.Errorf("%s: it was asked for, and went missing", name)
		}
		src := opened(t, file, Selection{Key: "k", Lenient: true})
		if got := readAll(t, src); fmt.Sprint(got) != "[k 1 2 k 3 4 k 5 6 k 7 8]" || !slices.Equal(src.Chosen(), []string{"x", "y"}) {
			t.Errorf("%s: the rows are %q, of columns %q", name, got, src.Chosen())
		}
		if notes := strings.Join(src.Notes(), "\n"); !strings.HasPrefix(notes, `column "c" is left out: row 3: `+c.reason) || len(src.Notes()) != 1 {
			t.Errorf("%s: the notes are %q", name, notes)
		}
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Uint64}}, nil)
	file := store(t, "in.arrow", jsonRecord(t, schema, `[{"c":18446744073709551615}]`))
	if _, err := Open(t.Context(), file, Selection{Key: "k", Lenient: true}, Watch{}); err == nil || !strings.Contains(err.Error(), `no column is left to send: column "c" is left out: row 1`) {
		t.Errorf("of the only column: %v", err)
	}
}
