package anova

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// Of two groups mu and tau2 have no mean. Neither has a quantity that is of one of them, or that
// has one as a part: draws have a mean always.
func TestQuantitiesWithoutMoments(t *testing.T) {
	s := modeltest.Spec(t, Kind(), "", cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}, strictyaml.Decode(""))
	has := map[string]bool{"mu": false, "2*tau2 + 1": false, "tau2 + sigma2": false, "zeta[A] - mu": false, "sigma2": true, "zeta[B] - zeta[A]": true, "zeta[A] + 3": true}
	for of := range has {
		form, err := quantity.ParseForm(of, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Publish.Quantities = append(s.Publish.Quantities, quantity.Quantity{Name: "(" + of + ")", Kind: quantity.KindForm, Form: form})
	}
	s.Seal()
	b := &cdf.Batch{Rows: 40, Columns: []cdf.Column{{Name: "y"}, {Name: "g", Type: cdf.Text, Levels: []string{"A", "B"}}}}
	for i := range b.Rows {
		b.Columns[0].Number = append(b.Columns[0].Number, float64(i%2*5)+math.Sin(float64(i)))
		b.Columns[1].Code = append(b.Columns[1].Code, int32(i%2))
	}
	sum, err := cdf.NewFilter(s, "k").Update(b)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Answers() != len(has) {
		t.Fatalf("%d of %d quantities: %+v", sum.Answers(), len(has), sum.Quantities)
	}
	for i := range sum.Answers() {
		r := &sum.Rows[i]
		of := r.Variable[1 : len(r.Variable)-1]
		if got := !math.IsNaN(r.Mean) && !math.IsNaN(r.SD) && !math.IsNaN(r.MCSEMean); got != has[of] || math.IsNaN(r.Median) || !has[of] && !math.IsNaN(r.Mean) {
			t.Errorf("%s: mean %g, sd %g, mcse %g, median %g", of, r.Mean, r.SD, r.MCSEMean, r.Median)
		}
	}
}
