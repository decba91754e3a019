package models_test

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
)

// Until two responses differ the unit of a response that is scaled by its first rows is unknown: that of all intervals is the prior's, and all
// variables are listed. One that the configuration scales is not.
func TestUnitOfTheResponseIsUnknown(t *testing.T) {
	for _, c := range []struct{ kind, location string }{{"linear", "beta[intercept]"}, {"anova", "zeta[1]"}, {"dlm", "theta"}} {
		for _, scale := range []*float64{nil, new(float64)} {
			columns := cdf.Roles{Scaling: "first", Intercept: c.kind == "linear", Features: []cdf.Feature{}}
			if c.kind == "anova" {
				columns.Groups = []cdf.Group{{Column: "g"}}
			}
			if scale != nil {
				*scale = 200
				columns.Response.Scale = scale
			}
			k, _ := models.Lookup(c.kind)
			spec, err := k.Spec("", columns, strictyaml.Decode(""))
			if err != nil {
				t.Fatal(err)
			}
			f := cdf.NewFilter(spec, "k")
			for i, step := range []struct {
				y   float64
				all bool
			}{{math.NaN(), true}, {20497.6, scale == nil}, {20497.6, scale == nil}, {20112.3, false}} {
				sum, err := f.Update(&cdf.Batch{Rows: 1, Columns: []cdf.Column{
					{Name: "g", Type: cdf.Integer, Number: []float64{1}, Int: []int64{1}}, {Name: "y", Number: []float64{step.y}},
				}})
				if err != nil {
					t.Fatal(err)
				}
				all := len(sum.PriorDominated) == len(sum.Rows)
				if all != step.all || slices.Contains(sum.PriorDominated, c.location) && !step.all {
					t.Errorf("%s, shard %d of a response %g, scale given %t: of %d variables %q are listed", c.kind, i+1, step.y, scale != nil, len(sum.Rows), sum.PriorDominated)
				}
			}
		}
	}
}
