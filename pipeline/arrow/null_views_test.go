package arrow

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// What a view shows where its value is null is of no account: writers may leave there whatever
// was in memory.
func TestNullViewsMayShowAnything(t *testing.T) {
	views := make([]arrow.ViewHeader, 3)
	views[0].SetString("a")
	views[1].SetBytes(bytes.Repeat([]byte("x"), 1000))
	views[1].SetIndexOffset(77, 1<<30)
	views[2].SetString("b")
	raw := arrow.ViewHeaderTraits.CastToBytes(views)
	arr := array.MakeFromData(array.NewData(arrow.BinaryTypes.StringView, 3,
		[]*memory.Buffer{memory.NewBufferBytes([]byte{0b101}), memory.NewBufferBytes(raw)}, nil, 1, 0))
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.StringView, Nullable: true}}, nil)
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecord(schema, []arrow.Array{arr}, 3)); err != nil {
		t.Fatal(err)
	}
	b, err := NewDecoder(small).Decode(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if c := b.Columns[0]; !slices.Equal(c.Code, []int32{0, -1, 1}) || !slices.Equal(c.Levels, []string{"a", "b"}) {
		t.Errorf("codes %v of %q", c.Code, c.Levels)
	}
}
