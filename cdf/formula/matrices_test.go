package formula

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// table returns the rows of testdata/data.json.
func table(t testing.TB) *cdf.Batch {
	t.Helper()
	var data struct {
		Columns []struct {
			Name, Type string
			Values     []any
		}
	}
	read(t, "data.json", &data)
	b := &cdf.Batch{Rows: len(data.Columns[0].Values)}
	for _, from := range data.Columns {
		c := cdf.Column{Name: from.Name, Type: map[string]cdf.ColumnType{
			"float": cdf.Float, "integer": cdf.Integer, "bool": cdf.Bool, "text": cdf.Text, "time": cdf.Time,
		}[from.Type]}
		for _, v := range from.Values {
			switch x := v.(type) {
			case string:
				at := slices.Index(c.Levels, x)
				if at < 0 {
					at, c.Levels = len(c.Levels), append(c.Levels, x)
				}
				c.Code = append(c.Code, int32(at))
			case bool:
				c.Number = append(c.Number, truth(x))
			case float64:
				c.Number = append(c.Number, x)
				if c.Type == cdf.Integer {
					c.Int = append(c.Int, int64(x))
				}
			}
		}
		b.Columns = append(b.Columns, c)
	}
	return b
}

func read(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func parse(t testing.TB, text string) *Formula {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// matrix returns the names and columns of X without the intercept.
func matrix(t testing.TB, f *Formula, b *cdf.Batch) (names []string, columns [][]float64) {
	t.Helper()
	d, err := f.Begin(b, 0, false)
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	var room any
	out, err := d.Derive(b, &room)
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	for _, c := range d.Features() {
		i := slices.IndexFunc(out.Columns, func(o cdf.Column) bool { return o.Name == c.Name })
		if i < 0 {
			t.Fatalf("%s: column %q was not made", f, c.Name)
		}
		names, columns = append(names, c.Name), append(columns, out.Columns[i].Number)
	}
	return names, columns
}

// expected is a design matrix of formulaic.
type expected struct {
	Formula string
	Names   []string
	Columns [][]float64
}

func expectations(t testing.TB) []expected {
	t.Helper()
	var golden struct{ Cases []expected }
	read(t, "matrices.json", &golden)
	if len(golden.Cases) < 50 {
		t.Fatalf("%d formulas", len(golden.Cases))
	}
	return golden.Cases
}

// Names and numbers are those of formulaic, whose matrices testenv/interop makes anew.
// Here every factor has a level more, of labels that are not listed, which no row has:
// its columns are zero, and formulaic has none.
func TestMatricesAreFormulaics(t *testing.T) {
	b := table(t)
	for _, want := range expectations(t) {
		t.Run(want.Formula, func(t *testing.T) {
			f := parse(t, want.Formula)
			names, columns := matrix(t, f, b)
			for i := len(names) - 1; i >= 0; i-- {
				if strings.Contains(names[i], unlisted) {
					if slices.ContainsFunc(columns[i], func(v float64) bool { return v != 0 }) {
						t.Errorf("%s: %v", names[i], columns[i])
					}
					names, columns = slices.Delete(names, i, i+1), slices.Delete(columns, i, i+1)
				}
			}
			if f.intercept {
				ones := slices.Repeat([]float64{1}, b.Rows)
				names, columns = slices.Insert(names, 0, "Intercept"), slices.Insert(columns, 0, ones)
			}
			if !slices.Equal(names, want.Names) {
				t.Fatalf("names\n%q, formulaic\n%q", names, want.Names)
			}
			for i, column := range columns {
				for row, v := range column {
					if w := want.Columns[i][row]; !(math.Abs(v-w) <= 1e-12*max(1, math.Abs(w))) {
						t.Errorf("%s, row %d: %v, formulaic %v", names[i], row, v, w)
					}
				}
			}
		})
	}
}
