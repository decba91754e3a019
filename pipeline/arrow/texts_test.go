package arrow

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// labelled returns a shard of rows with as many columns of the same texts, which they take in turns.
func labelled(t *testing.T, rows, columns int, texts ...string) []byte {
	t.Helper()
	c := cdf.Column{Name: "label", Type: cdf.Text, Levels: texts, Code: make([]int32, rows)}
	for i := range rows {
		c.Code[i] = int32(i % len(texts))
	}
	value, err := Encode(&cdf.Batch{Rows: rows, Columns: slices.Repeat([]cdf.Column{c}, columns)})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// A decoder that gave a large record's memory back reads the labels of the next one as
// another decoder does: what it knows of texts is of no record.
func TestLabelsAfterALargeRecord(t *testing.T) {
	d := NewDecoder(Limits{Memory: pipeline.NewBudget(64 << 20)})
	for _, texts := range [][]string{{"north", "south", "west"}, {"west", "east", "south", "north"}, {"south", "north"}} {
		for _, rows := range []int{200_000, 5} {
			value := labelled(t, rows, 2, texts...)
			got, err := d.Decode(value)
			if err != nil {
				t.Fatal(err)
			}
			want, err := NewDecoder(Limits{}).Decode(value)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range got.Columns {
				if w := want.Columns[i]; !slices.Equal(c.Code, w.Code) || !reflect.DeepEqual(slices.Clone(c.Levels), slices.Clone(w.Levels)) {
					t.Fatalf("%d rows of %v, column %d: labels %v, want %v", rows, texts, i, c.Levels, w.Levels)
				}
			}
			if large := d.Release(); large != (rows > 5) {
				t.Fatalf("%d rows: large is %v", rows, large)
			}
		}
	}
}

// Labels count towards what a record may take, also those that are known: whether a
// record is refused must not depend on those before it.
func TestLabelsCountEveryTime(t *testing.T) {
	texts := make([]string, 4000)
	for i := range texts {
		texts[i] = fmt.Sprintf("%04d", i)
	}
	value := labelled(t, len(texts), 1, texts...)
	d := NewDecoder(Limits{Record: max(64<<10, len(value)), Rows: len(texts)})
	for i := range 3 {
		if _, err := d.Decode(value); !errors.Is(err, cdf.ErrShard) {
			t.Fatalf("%d bytes, time %d: %v", len(value), i, err)
		}
	}
}
