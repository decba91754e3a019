package pipeline

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Observed rows keep what they had beside the response: numbers, and labels as texts of
// their own; a wide model's are not kept.
func TestGiven(t *testing.T) {
	levels := []string{"AA", "DL"}
	b := &cdf.Batch{Rows: 3, Columns: []cdf.Column{
		{Name: "y", Number: []float64{1, 2, 3}},
		{Name: "x", Number: []float64{10, math.NaN(), 30}},
		{Name: "c", Type: cdf.Text, Code: []int32{1, 0, -1}, Levels: levels},
		{Name: "id", Type: cdf.Integer, Number: []float64{7, 8, 9}, Int: []int64{7, 8, 9}},
		{Name: "unused", Number: []float64{0, 0, 0}},
	}}
	inputs := []cdf.Input{{Name: "x", Role: "feature"}, {Name: "c", Role: "feature", Category: true}, {Name: "id", Role: "group", Category: true}, {Name: "y", Role: "response"}}
	g := new(pointRoom).givenOf(inputs, b, []cdf.Observed{{Row: 0}, {Row: 2}, {Row: 1}}, nil)
	if !slices.Equal(g.Names, []string{"x", "c", "id"}) {
		t.Fatalf("names %v", g.Names)
	}
	for i, want := range []struct {
		x     float64
		c, id string
	}{{10, "DL", "7"}, {30, "", "9"}, {math.NaN(), "AA", "8"}} {
		numbers, labels := g.Row(i)
		if numbers[0] != want.x && !math.IsNaN(want.x) || math.IsNaN(numbers[0]) != math.IsNaN(want.x) || !math.IsNaN(numbers[1]) || !math.IsNaN(numbers[2]) ||
			labels[0] != "" || labels[1] != want.c || labels[2] != want.id {
			t.Errorf("row %d: %v %q", i, numbers, labels)
		}
	}
	if with, without := (&Point{Given: g}).Size(), (&Point{}).Size(); with-without != g.size() || g.size() < 9*24+3*16 {
		t.Errorf("a point with inputs takes %d bytes more, want %d", with-without, g.size())
	}
	again := new(pointRoom).givenOf(inputs, b, []cdf.Observed{{}}, g.Names)
	if &again.Names[0] != &g.Names[0] {
		t.Error("the same names are kept twice")
	}
	for _, other := range [][]string{{"x", "c"}, {"x", "c", "other"}, {"x", "c", "id", "more"}} {
		if again = new(pointRoom).givenOf(inputs, b, []cdf.Observed{{}}, other); !slices.Equal(again.Names, g.Names) {
			t.Errorf("after a point with %q the names are %q", other, again.Names)
		}
	}
	plain := new(pointRoom).givenOf(inputs[:1], b, []cdf.Observed{{Row: 2}}, nil)
	if numbers, labels := plain.Row(0); numbers[0] != 30 || labels != nil {
		t.Errorf("of a row of numbers %v %q", numbers, labels)
	}
	wide, columns := make([]cdf.Input, mostGiven+1), make([]cdf.Column, mostGiven+1)
	for i := range wide {
		wide[i].Name, columns[i].Name, columns[i].Number = string(rune('a'+i)), string(rune('a'+i)), []float64{1}
	}
	if g := new(pointRoom).givenOf(wide, &cdf.Batch{Rows: 1, Columns: columns}, []cdf.Observed{{}}, nil); g.Names != nil {
		t.Errorf("of %d inputs %v are kept", len(wide), g.Names)
	}
	if g := new(pointRoom).givenOf(inputs, b, nil, nil); g.Names != nil || g.size() != 0 {
		t.Errorf("of no row %+v", g)
	}
	if numbers, labels := new(Given).Row(3); numbers != nil || labels != nil {
		t.Errorf("of nothing %v %v", numbers, labels)
	}
}
