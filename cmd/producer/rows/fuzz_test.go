package rows

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever form a column has, it reads every field of it.
func FuzzForms(f *testing.F) {
	for _, seed := range []string{"1|2", "1,204|2.5", "$5|(6)|-", "3/4/2026|13/4/2026 1:05 PM", "2012/01/01|x", "yes|N", "45%|0", "1e5|1,000.5", "\xff|1'000"} {
		f.Add(seed, "", false)
	}
	f.Fuzz(func(t *testing.T, fields, decimal string, quoted bool) {
		sel := Selection{Decimal: decimal, DateOrder: "dmy"}
		if sel.Check() != nil {
			return
		}
		g := []guess{newGuess("x", &sel)}
		for i, field := range strings.Split(fields, "|") {
			switch {
			case g[0].missing(field):
			case quoted:
				g[0].addQuoted(field, i+1)
			default:
				g[0].add(field, i+1)
			}
		}
		var a about
		if err := a.settle("f", []string{"x"}, g, &sel); err != nil {
			if !errors.Is(err, ErrInput) || decimal != "" {
				t.Fatal(err)
			}
			return
		}
		for _, field := range strings.Split(fields, "|") {
			if _, ok := a.readings[0].value(field); !ok && !a.readings[0].nulls.is(field) {
				t.Fatalf("form %d does not read %q", a.readings[0].form, field)
			}
		}
	})
}

// A file of JSON gives the rows that it was found to have, or an error that says
// where it is wrong.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"x":1}`, `[{"x":1},{"x":"a\\\"]"}]`, "[\n{\"x\":null}\n]\n", `{"x":[1,{"y":2}]}`, `[`, `[{]`, "\uFEFF[]", `[{"x":1}],`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "in.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := Open(t.Context(), path, Selection{Key: "k"}, Watch{})
		if err != nil {
			if !errors.Is(err, ErrInput) {
				t.Fatal(err)
			}
			return
		}
		defer func() { _ = src.Close() }()
		for n := int64(0); ; n++ {
			_, _, err := src.Next()
			if errors.Is(err, io.EOF) {
				if n != src.Rows() {
					t.Fatalf("%d rows of %d", n, src.Rows())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
