package cdf

import (
	"fmt"
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
