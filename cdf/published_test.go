package cdf

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// What is not asked for leaves the rows, the lists of names and, of the
// coefficients, the lower triangle of the covariance.
func TestPublishedPart(t *testing.T) {
	row := func(name string) Row { return Row{Variable: name} }
	all := &Summary{
		T: 3, Rows: []Row{row("beta[a]"), row("beta[b]"), row("beta[c]"), row("mu")},
		PriorDominated: []string{"beta[b]", "mu"}, WeakMixing: []string{"beta[a]", "beta[b]"},
		Covariance: []float64{11, 21, 22, 31, 32, 33},
	}
	f := &Filter{spec: &Spec{Publish: Publish{Variables: []string{"beta[a]", "beta[c]"}}}}
	for range 2 { // the second time into the same room
		s := f.published(all)
		if len(s.Rows) != 2 || s.Rows[0].Variable != "beta[a]" || s.Rows[1].Variable != "beta[c]" || s.T != 3 {
			t.Errorf("%+v", s.Rows)
		}
		if fmt.Sprint(s.PriorDominated, s.WeakMixing) != "[] [beta[a]]" || !slices.Equal(s.Covariance, []float64{11, 31, 33}) {
			t.Errorf("%q %q %v", s.PriorDominated, s.WeakMixing, s.Covariance)
		}
	}
	if len(all.Rows) != 4 || len(all.PriorDominated) != 2 || len(all.Covariance) != 6 {
		t.Errorf("the whole has lost something: %+v", all)
	}
	f.spec.Publish.Variables = []string{"**"}
	if f.published(all) != all {
		t.Error("all of it is another summary")
	}
}

// Groups that have left since the shard was laid out shift the others.
func TestTouchedGroupsFollowThoseThatLeave(t *testing.T) {
	then, now := newFactors(1), newFactors(1)
	for _, level := range []string{"a", "b", "c", "d", "e"} {
		then[0].add(level)
	}
	for _, level := range []string{"b", "d", "e"} {
		now[0].add(level)
	}
	shard := &rows{y: []float64{1, 2, math.NaN(), 3}, group: [][]int32{{4, 1, 3, 2}}}
	var c selection
	c.choose(&Publish{Groups: "touched"}, then, now, shard)
	if want := []bool{true, false, true}; !slices.Equal(c.touched[0], want) {
		t.Errorf("b, d and e touched: %v, want %v", c.touched[0], want)
	}
}

func TestNumbersAreInOneOrder(t *testing.T) {
	var r Row
	for i, v := range r.Numbers() {
		*v = float64(i + 1)
	}
	for i, v := range r.AppendNumbers(nil) {
		if v != float64(i+1) {
			t.Errorf("number %d is that of %q", i, RowColumns[int(v)-1])
		}
	}
}
