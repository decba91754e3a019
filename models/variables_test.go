package models

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A configuration may ask for each variable that is published, also for mu of anova, which under its
// flat prior is there from the first row on.
func TestPublishedVariablesMayBe(t *testing.T) {
	everyForm(t, forms, func(t *testing.T, s stream, spec *cdf.Spec) {
		expected := spec.Variables()
		r := rand.New(rand.NewPCG(3, 14))
		f := cdf.NewFilter(spec, "k")
		for range 3 {
			for _, row := range updated(t, f, []*cdf.Batch{s.shard(r, 30)}).Rows {
				if !expected.MayHave(row.Variable) {
					t.Errorf("%s is published, and a quantity of it is refused", row.Variable)
				}
			}
		}
	})
}
