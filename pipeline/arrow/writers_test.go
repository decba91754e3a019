package arrow

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// known is the table that testdata/streams/generate.py writes with every
// writer.
func known() map[string]cdf.Column {
	nan := math.NaN()
	levels := []string{"ORD", "", "a text of more than twelve bytes"}
	text := cdf.Column{Type: cdf.Text, Code: []int32{0, -1, 1, 2, 0}, Levels: levels}
	return map[string]cdf.Column{
		"f":       {Type: cdf.Float, Number: []float64{1.5, nan, -.25, 1e300, 0}},
		"i":       {Type: cdf.Integer, Number: []float64{1, -2, nan, 1 << 53, 0}, Int: []int64{1, -2, 0, 1<<53 + 1, 0}},
		"b":       {Type: cdf.Bool, Number: []float64{1, 0, nan, 1, 0}},
		"ts":      {Type: cdf.Time, Number: []float64{978352200.25, nan, -.5, 1795219200, 0}},
		"d":       {Type: cdf.Time, Number: []float64{978307200, nan, -86400, 1795219200, 0}},
		"s":       text,
		"cat":     text,
		"large":   text,
		"u8":      {Type: cdf.Integer, Number: []float64{1, 2, nan, 255, 0}, Int: []int64{1, 2, 0, 255, 0}},
		"f32":     {Type: cdf.Float, Number: []float64{1.5, nan, -.25, 1024, 0}},
		"full":    {Type: cdf.Float, Number: []float64{1, 2, 3, 4, 5}},
		"nothing": {Type: cdf.Float, Number: []float64{nan, nan, nan, nan, nan}},
	}
}

func TestStreamsOfOtherWriters(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.arrows")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	table := known()
	for _, name := range files {
		value, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewDecoder(Limits{}).Decode(value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got.Columns) < 5 || len(got.Skipped) < 1 {
			t.Errorf("%s: %d columns, %d skipped", name, len(got.Columns), len(got.Skipped))
		}
		want := &cdf.Batch{Rows: 5, Skipped: got.Skipped}
		for i := range got.Columns {
			c, ok := table[got.Columns[i].Name]
			if !ok {
				t.Fatalf("%s: unknown column %q", name, got.Columns[i].Name)
			}
			c.Name = got.Columns[i].Name
			want.Columns = append(want.Columns, c)
		}
		same(t, name, got, want)
	}
}
