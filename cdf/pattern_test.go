package cdf_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// TestKeysOfOneWorkspace: what keys of one workspace share makes no difference to
// them, whatever columns each has, whoever was there before and in whose memory they
// begin or are opened.
func TestKeysOfOneWorkspace(t *testing.T) {
	first := cdftest.Line()
	first.Columns.Features = []cdf.Feature{{Name: "x", LevelsFirst: true, Other: "drop"}}
	center, scale := 20., 5.
	given := cdftest.Line()
	given.Columns.Features = []cdf.Feature{{Name: "x", Center: &center, Scale: &scale}}
	specs := []*cdf.Spec{cdftest.Line(), cdftest.Levels(), first, given}
	shards := [][]*cdf.Batch{cdftest.LineShards(1, 8), cdftest.LevelShards(2, 8), cdftest.LineShards(3, 8), cdftest.LineShards(4, 8)}
	for _, b := range shards[2] {
		asText(b, "a", "b")
	}
	work := cdf.NewWorkspace()
	type pair struct {
		shared, own *cdf.Filter // shared is nil while it is put away
		bits, told  []byte
	}
	keys := map[string]pair{}
	for n := range 8 {
		for k := range 3 * len(specs) {
			spec, key := specs[k%len(specs)], fmt.Sprint("key-", k)
			p, ok := keys[key]
			if !ok {
				p = pair{shared: work.NewFilter(spec, key), own: cdf.NewFilter(spec, key)}
			}
			if p.shared == nil {
				p.shared = work.NewFilter(spec, key)
				if err := p.shared.UnmarshalBinary(p.bits); err != nil {
					t.Fatal(err)
				}
				if len(p.told) > 0 {
					if err := p.shared.RestoreSummary(p.told); err != nil {
						t.Fatal(err)
					}
				}
			}
			b := shards[k%len(specs)][n]
			if k >= len(specs) { // another order of the columns
				b = turned(b, k/len(specs))
			}
			if spec == first && k >= 2*len(specs) { // other levels
				asText(b, "b", "c")
			}
			got, err := p.shared.Update(b)
			want, wrong := p.own.Update(b)
			if fmt.Sprint(err) != fmt.Sprint(wrong) {
				t.Fatalf("%s, shard %d: %v, want %v", key, n, err, wrong)
			}
			if err == nil && !same(got, want) {
				t.Fatalf("%s, shard %d: %+v, want %+v", key, n, got, want)
			}
			p.bits, p.told = state(t, p.shared), p.shared.AppendSummary(nil)
			if !bytes.Equal(p.bits, state(t, p.own)) {
				t.Fatalf("%s, shard %d: another state", key, n)
			}
			if n%3 != 1 {
				work.Reclaim(p.shared)
				p.shared = nil
			}
			keys[key] = p
		}
	}
}

// TestColumnsOfOneKey: a key keeps the columns that it began with, also when
// another one began with those that its later shards have.
func TestColumnsOfOneKey(t *testing.T) {
	spec, shards, _ := recording(cdf.Roles{})
	wide := &cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "z", Number: []float64{3}}, {Name: "x", Number: []float64{2}}, {Name: "y", Number: []float64{1}}}}
	narrow := &cdf.Batch{Rows: 1, Columns: wide.Columns[1:]}
	work := cdf.NewWorkspace()
	key, other := work.NewFilter(spec, "key"), work.NewFilter(spec, "other")
	for i, u := range []struct {
		f    *cdf.Filter
		b    *cdf.Batch
		want []float64
	}{{key, narrow, []float64{2}}, {other, wide, []float64{3, 2}}, {key, wide, []float64{2}}, {other, wide, []float64{3, 2}}} {
		if _, err := u.f.Update(u.b); err != nil {
			t.Fatal(err)
		}
		if got := (*shards)[i].X; !slices.Equal(got, u.want) {
			t.Errorf("shard %d: %g, want %g", i, got, u.want)
		}
	}
}

// same compares all that a summary holds, undefined numbers too.
func same(a, b *cdf.Summary) bool {
	if len(a.Rows) != len(b.Rows) {
		return false
	}
	for i := range a.Rows {
		x, y := a.Rows[i], b.Rows[i]
		if x.Variable != y.Variable {
			return false
		}
		for j, v := range x.Numbers() {
			if math.Float64bits(*v) != math.Float64bits(*y.Numbers()[j]) {
				return false
			}
		}
	}
	return reflect.DeepEqual(a.Scaling, b.Scaling) && fmt.Sprint(a.Score, a.Flags, a.PriorDominated) == fmt.Sprint(b.Score, b.Flags, b.PriorDominated)
}

// turned returns the batch with its columns moved on by n places.
func turned(b *cdf.Batch, n int) *cdf.Batch {
	c := *b
	n %= len(b.Columns)
	c.Columns = append(append([]cdf.Column{}, b.Columns[n:]...), b.Columns[:n]...)
	return &c
}

// asText makes column x one of text.
func asText(b *cdf.Batch, levels ...string) {
	for i := range b.Columns {
		if c := &b.Columns[i]; c.Name == "x" {
			*c = cdf.Column{Name: "x", Type: cdf.Text, Levels: levels}
			for row := range b.Rows {
				c.Code = append(c.Code, int32(row%len(levels)))
			}
		}
	}
}
