package cdf_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// What is admitted depends on rows of other shards where the key has no columns yet, where
// rows are steps in time and where a group is new: Check says so.
func TestCheckedApart(t *testing.T) {
	shards := cdftest.LevelShards(1, 8)
	f := cdf.NewFilter(cdftest.Levels(), "k")
	if apart, err := f.Check(shards[0]); apart || err != nil {
		t.Errorf("before the first shard: %t %v", apart, err)
	}
	if _, err := f.Update(shards[0]); err != nil {
		t.Fatal(err)
	}
	if apart, err := f.Check(shards[0]); !apart || err != nil {
		t.Errorf("a shard of known groups: %t %v", apart, err)
	}
	fresh := *shards[0]
	fresh.Columns = slices.Clone(fresh.Columns)
	for i := range fresh.Columns {
		if c := &fresh.Columns[i]; c.Type == cdf.Text {
			c.Levels = slices.Repeat([]string{"new"}, len(c.Levels))
		}
	}
	if apart, err := f.Check(&fresh); apart || err != nil {
		t.Errorf("a shard of a new group: %t %v", apart, err)
	}
	line := cdftest.Line()
	line.Steps = true
	f = cdf.NewFilter(line, "k")
	b := cdftest.LineShards(1, 1)[0]
	if _, err := f.Update(b); err != nil {
		t.Fatal(err)
	}
	if apart, err := f.Check(b); apart || err != nil {
		t.Errorf("a shard of steps: %t %v", apart, err)
	}
}

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
