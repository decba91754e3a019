package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// What is asked of two of many groups, and what is published of one alone, needs no draws of mu and the variances, from which an
// anova draws them: where nothing else is described there was no room for these, a fault.
func TestAskOfGroupsAmongMany(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		k, _ := Lookup("anova")
		for _, groups := range []int{30, 1200} {
			for _, only := range []string{"", "zeta[g1]"} {
				spec, err := k.Spec(variant, cdf.Roles{Scaling: "none", Groups: []cdf.Group{{Column: "g"}}, Features: []cdf.Feature{}}, strictyaml.Decode("{}"))
				if err != nil {
					t.Fatal(err)
				}
				if only != "" {
					spec.Publish.Variables = []string{only}
				}
				f := cdf.NewFilter(spec, "key")
				r := newChance(3, 78)
				y, g := cdf.Column{Name: "y"}, cdf.Column{Name: "g", Type: cdf.Text}
				for i := range groups {
					g.Levels = append(g.Levels, fmt.Sprint("g", i))
					for range 3 {
						y.Number, g.Code = append(y.Number, float64(i%2)+.1*r.NormFloat64()), append(g.Code, int32(i))
					}
				}
				sum, err := f.Update(&cdf.Batch{Rows: 3 * groups, Columns: []cdf.Column{y, g}})
				if err != nil {
					t.Errorf("%s, %d groups, %q published: %v", variant, groups, only, err)
					continue
				}
				if only != "" && (len(sum.Rows) != 1 || math.Abs(sum.Rows[0].Mean-1) > .3) {
					t.Errorf("%s, %d groups: %+v", variant, groups, sum.Rows)
				}
				form, err := quantity.ParseForm("zeta[g1] - zeta[g0]", nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := f.Ask([]quantity.Quantity{{Name: "q", Kind: quantity.KindForm, Form: form}})
				if err != nil || math.Abs(got[0].Row.Mean-1) > .4 {
					t.Errorf("%s, %d groups, %q published: %+v, %v", variant, groups, only, got, err)
				}
			}
		}
	}
}
