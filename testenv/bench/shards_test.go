//go:build unix

package main

import (
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Shards that a row absorbs in turn, and those of a topic, are not told to be
// sent twice, which would be a part of what is measured.
func TestShardsAreNotSentTwice(t *testing.T) {
	counts := shape{rows: 20, columns: 2, groups: 5, count: true}
	for _, c := range []struct {
		kind    string
		columns cdf.Roles
		shape   shape
	}{
		{"linear", cdf.Roles{Intercept: true}, regression(20, 3)},
		{"anova", grouped, shape{rows: 20, groups: 5}},
		{"poisson", grouped, counts},
	} {
		f, err := newFilter(c.kind, c.columns, "{}")
		if err != nil {
			t.Fatal(err)
		}
		work := stream(f, c.shape.several(turns)...)
		for range 40 {
			if err := work.do(); err != nil {
				t.Fatal(err)
			}
		}
		if s, err := f.Summary(); err != nil || slices.Contains(s.Flags, cdf.RepeatedFlag) {
			t.Errorf("%s: %q, %v", c.kind, s.Flags, err)
		}
	}
	shards, err := parcels(regression(20, 3), 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFilter("linear", cdf.Roles{Intercept: true}, "{}")
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		shards[0].renew()
		b, err := newDecoder().Decode(shards[0].value)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Update(b)
		if err != nil || slices.Contains(s.Flags, cdf.RepeatedFlag) {
			t.Fatalf("%q, %v", s.Flags, err)
		}
	}
}
