package formula

import (
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// What a product holds of its margins is what centred columns are rid of: with all margins a product is that of what is left of its numbers, and a
// power that of what is left of x, but for a constant.
func TestMargins(t *testing.T) {
	x, z := []float64{2, 3, 5, 7, 11}, []float64{1, -4, 2, 8, 3}
	b := &cdf.Batch{Rows: 5, Columns: []cdf.Column{
		{Name: "x", Number: x}, {Name: "z", Number: z}, {Name: "y", Number: make([]float64, 5)},
		{Name: "g", Type: cdf.Text, Code: []int32{0, 1, 0, 1, 0}, Levels: []string{"a", "b"}},
	}}
	centers := map[string]float64{"x": 4, "z": -3, "poly(x, 3)[1]": 4, "log(x)": 1.5}
	inB := []float64{0, 1, 0, 1, 0}
	times := func(factors ...func(i int) float64) func(i int) float64 {
		return func(i int) float64 {
			v := 1.
			for _, f := range factors {
				v *= f(i)
			}
			return v
		}
	}
	cx, cz := func(i int) float64 { return x[i] - 4 }, func(i int) float64 { return z[i] + 3 }
	level := func(i int) float64 { return inB[i] }
	for _, c := range []struct {
		formula, column string
		want            func(i int) float64 // nil: the column as it is
	}{
		{"y ~ x * z", "x:z", times(cx, cz)},
		{"y ~ x * g", "x:g[T.b]", times(cx, level)},
		{"y ~ x * z * g", "x:z:g[T.b]", times(cx, cz, level)},
		{"y ~ log(x) * g", "log(x):g[T.b]", times(func(i int) float64 { return math.Log(x[i]) - 1.5 }, level)},
		{"y ~ x + x:z", "x:z", nil}, // without z nothing takes up what x is centred by, and nothing says the centre of z
		{"y ~ x:z", "x:z", nil},
		{"y ~ x * z + g + x:z:g", "x:z:g[T.b]", nil},
		{"y ~ g + x:g", "x:g[b]", nil},
		{"y ~ x + I(x**2)", "I(x ** 2)", times(cx, cx)},
		{"y ~ x + I(x**2) + I(x**3)", "I(x ** 3)", times(cx, cx, cx)},
		{"y ~ x + I(x**3)", "I(x ** 3)", nil},
		{"y ~ I(x**2)", "I(x ** 2)", nil},
		{"y ~ poly(x, 3)", "poly(x, 3)[3]", times(cx, cx, cx)},
		{"y ~ poly(x, 3)", "poly(x, 3)[1]", nil},
	} {
		f, err := Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		d, err := f.Begin(b, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		var room any
		made, err := d.Derive(b, &room)
		if err != nil {
			t.Fatal(err)
		}
		column := func(name string) []float64 {
			for _, m := range made.Columns {
				if m.Name == name {
					return m.Number
				}
			}
			t.Fatalf("%s: no column %q", c.formula, name)
			return nil
		}
		for _, feature := range d.Features() {
			if feature.Name != c.column {
				continue
			}
			if (len(feature.Margins) > 0) != (c.want != nil) {
				t.Errorf("%s: %s has the margins %v", c.formula, c.column, feature.Margins)
			}
			if len(feature.Margins) > 0 && !f.Products() {
				t.Errorf("%s has no products", c.formula)
			}
			if c.want == nil {
				continue
			}
			var constant float64
			for i := range x {
				v := column(c.column)[i]
				for _, m := range feature.Margins {
					pull := m.Times
					for _, at := range m.Centers {
						pull *= -centers[d.Features()[at].Name]
					}
					v += pull * column(d.Features()[m.Column].Name)[i]
				}
				if off := v - c.want(i); i == 0 {
					constant = off
				} else if math.Abs(off-constant) > 1e-9 {
					t.Errorf("%s: row %d of %s is %g, want %g", c.formula, i, c.column, v, c.want(i)+constant)
				}
			}
			if strings.Contains(c.column, "g[") && math.Abs(constant) > 1e-9 {
				t.Errorf("%s: %s has the constant %g in all rows", c.formula, c.column, constant)
			}
		}
	}
	for text, want := range map[string]bool{"y ~ x + z": false, "y ~ x + I(z**2) + g": false, "y ~ x:g": true, "y ~ .": true, "y ~ x + {x**2}": true, "y ~ (1 + x | g)": false} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Products(); got != want {
			t.Errorf("%s: products %t, want %t", text, got, want)
		}
	}
}
