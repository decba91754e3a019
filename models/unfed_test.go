package models

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
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
		knows := !strings.Contains(s.settings, "fixed") && !strings.Contains(s.settings, "packed") && !strings.Contains(s.settings, "lean") &&
			(spec.Kind != "compressed" || spec.Variant != "paper")
		if !knows {
			return
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
