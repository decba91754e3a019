package cdf_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A column that was null in a key's first shard is a number, as no features are listed. Text is then refused with
// what decided so and what to do, and numbers are taken; a list is what it says.
func TestTextWhereTheFirstShardWasNull(t *testing.T) {
	text := cdf.Column{Name: "x", Type: cdf.Text, Code: []int32{0}, Levels: []string{"a"}}
	for _, listed := range []bool{false, true} {
		roles := cdf.Roles{Scaling: "none"}
		if listed {
			roles.Features = []cdf.Feature{{Name: "x"}}
		}
		spec, _, _ := recording(roles)
		f := cdf.NewFilter(spec, "k")
		shard := func(x cdf.Column) error {
			_, err := f.Update(&cdf.Batch{Rows: 1, Time: 1, Columns: []cdf.Column{x, {Name: "y", Type: cdf.Float, Number: []float64{1}}}})
			return err
		}
		if err := shard(cdf.Column{Name: "x", Type: cdf.Float, Number: []float64{math.NaN()}}); err != nil {
			t.Fatal(err)
		}
		err := shard(text)
		if !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), `"x" holds text`) || strings.Contains(err.Error(), "list columns.features") == listed {
			t.Errorf("listed %v: %v", listed, err)
		}
		if err := shard(cdf.Column{Name: "x", Type: cdf.Float, Number: []float64{3}}); err != nil || f.N() != 1 {
			t.Errorf("listed %v: %v after %d rows", listed, err, f.N())
		}
	}
}
