package cdf_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// The columns that shards of a key are made of are known from its first rows, which change
// nothing.
func TestUses(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	b := cdftest.LineShards(1, 1)[0]
	names := func() (all []string) {
		uses, err := f.Uses(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range uses {
			all = append(all, in.Name)
		}
		return all
	}
	before := names()
	if f.Inputs() != nil || strings.Join(before, " ") != "x y" {
		t.Errorf("%q, and the filter has %v", before, f.Inputs())
	}
	if _, err := f.Update(b); err != nil {
		t.Fatal(err)
	}
	if after := names(); !slices.Equal(before, after) {
		t.Errorf("%q, after the first shard %q", before, after)
	}
	if _, err := cdf.NewFilter(cdftest.Line(), "k").Uses(&cdf.Batch{}); !errors.Is(err, cdf.ErrShard) {
		t.Error(err)
	}
}
