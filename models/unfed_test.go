package models

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
)

// levelled is a shard of ten rows with two columns of levels, the first of which takes
// the given ones in turn.
func levelled(k int, levels ...string) *cdf.Batch {
	y, x, e := cdf.Column{Name: "y"}, cdf.Column{Name: "x"}, cdf.Column{Name: "e"}
	c := cdf.Column{Name: "c", Type: cdf.Text, Levels: levels}
	g := cdf.Column{Name: "g", Type: cdf.Text, Levels: []string{"p", "q"}}
	for i := range 10 {
		y.Number = append(y.Number, float64((i*7+k)%2))
		x.Number = append(x.Number, float64((i*3+k)%11))
		e.Number = append(e.Number, 1)
		c.Code = append(c.Code, int32(i%len(levels)))
		g.Code = append(g.Code, int32(i/5))
	}
	return &cdf.Batch{Rows: 10, Columns: []cdf.Column{y, x, e, c, g}}
}

// A level that no row has fed has no row in a summary, and has one from the shard on that
// feeds it, also after a restart.
func TestLevelsThatNothingFed(t *testing.T) {
	everyForm(t, forms, func(t *testing.T, s stream, spec *cdf.Spec) {
		if !s.Features {
			t.Skip("takes no features")
		}
		spec.Columns.Features = []cdf.Feature{{Name: "x"}, {Name: "c", Levels: []string{"a", "b", "z"}}}
		spec.Seal()
		f := cdf.NewFilter(spec, "k")
		names := func(b *cdf.Batch) (levels []string) {
			t.Helper()
			sum, err := f.Update(b)
			if err != nil {
				t.Fatal(err)
			}
			published := fmt.Sprint(sum.Rows)
			bytesOf, kept := snapshot(t, f), f.AppendSummary(nil)
			again := cdf.NewFilter(spec, "k")
			if err := again.UnmarshalBinary(bytesOf); err != nil {
				t.Fatal(err)
			}
			if len(kept) > 0 {
				if err := again.RestoreSummary(kept); err != nil {
					t.Fatal(err)
				}
			}
			told, err := again.Summary()
			if err != nil || fmt.Sprint(told.Rows) != published || !bytes.Equal(snapshot(t, again), bytesOf) {
				t.Fatalf("after a restart: %v, %v\nwant %s", told.Rows, err, published)
			}
			f = again
			for i := range told.Rows {
				if _, level, ok := strings.Cut(told.Rows[i].Variable, "[c="); ok {
					levels = append(levels, strings.TrimSuffix(level, "]"))
				}
			}
			return levels
		}
		if strings.Contains(s.settings, "fixed") {
			return // what is left of a projected row does not tell its columns
		}
		for k := range 12 { // also once centre and scale stand
			if got := names(levelled(k, "a", "b")); !slices.Equal(got, []string{"b"}) {
				t.Fatalf("shard %d: levels %q", k, got)
			}
		}
		if got := names(levelled(20, "a", "b", "z")); !slices.Equal(got, []string{"b", "z"}) {
			t.Errorf("a level came: %q", got)
		}
		if got := names(levelled(21, "a", "new")); !slices.Equal(got, []string{"b", "z", "__other__"}) {
			t.Errorf("a level that is not listed came: %q", got)
		}
		if got := names(levelled(22, "a")); !slices.Equal(got, []string{"b", "z", "__other__"}) {
			t.Errorf("it went: %q", got)
		}
	})
}

// So it is with the products of a formula's levels, also with numbers, whose centre and
// scale may be those of zeros alone.
func TestProductsThatNothingFed(t *testing.T) {
	f, err := formula.Parse("y ~ x * C(c, levels=['a', 'b', 'z'])")
	if err != nil {
		t.Fatal(err)
	}
	everyForm(t, forms, func(t *testing.T, s stream, spec *cdf.Spec) {
		if !s.Features || strings.Contains(s.settings, "fixed") || len(spec.Columns.Groups) > 0 || spec.Columns.Exposure != "" {
			t.Skip("not a regression on columns alone, or what is left of a row does not tell its columns")
		}
		intercept := spec.Columns.Intercept
		spec.Columns = f.Roles()
		spec.Columns.Intercept, spec.Columns.Scaling = intercept, "first"
		spec.Seal()
		k := cdf.NewFilter(spec, "k")
		names := func(b *cdf.Batch) (products string) {
			t.Helper()
			sum, err := k.Update(b)
			if err != nil {
				t.Fatal(err)
			}
			for i := range sum.Rows {
				if name := sum.Rows[i].Variable; strings.Contains(name, "x:") {
					_, name, _ = strings.Cut(name, "[T.")
					name, _, _ = strings.Cut(name, "]")
					products += name + " "
				}
			}
			return products
		}
		for i := range 12 { // also once centre and scale stand
			if got := names(levelled(i, "a", "b")); got != "b " {
				t.Fatalf("shard %d: products %q", i, got)
			}
		}
		if got := names(levelled(20, "a", "b", "z")); got != "b z " {
			t.Errorf("a level came: %q", got)
		}
		if got := names(levelled(21, "a", "new")); got != "b z __other__ " {
			t.Errorf("a level that is not listed came: %q", got)
		}
	})
}
