package cdf_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// Inputs are what the first shard fixed, with the constants in force.
func TestInputs(t *testing.T) {
	spec := cdftest.Line()
	f := cdf.NewFilter(spec, "k")
	if got := f.Inputs(); got != nil {
		t.Errorf("before the first shard: %+v", got)
	}
	silent := &cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "x", Number: []float64{4}}, {Name: "y", Number: []float64{math.NaN()}}}}
	take(t, f, silent)
	if got := f.Inputs(); len(got) != 2 || got[0].Name != "x" || !math.IsNaN(got[0].Scale) || !math.IsNaN(got[0].Center) {
		t.Errorf("constants that are not known: %+v", got)
	}
	var x, y []float64
	for i := range 60 {
		x, y = append(x, float64(i%2)*4), append(y, float64(i))
	}
	take(t, f, &cdf.Batch{Rows: 60, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}})
	sum, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]cdf.Constant{}
	for _, c := range sum.Scaling {
		want[c.Column] = c
	}
	roles := map[string]string{}
	for _, in := range f.Inputs() {
		roles[in.Name] = in.Role
		if c := want[in.Name]; in.Center != c.Center || in.Scale != c.Scale || in.Category {
			t.Errorf("%+v, the summary says %+v", in, c)
		}
	}
	if !reflect.DeepEqual(roles, map[string]string{"x": "feature", "y": "response"}) {
		t.Errorf("roles %v", roles)
	}
}
