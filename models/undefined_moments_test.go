package models

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// oneRow is what a key publishes after responses of one group, or steps, and its filter.
func oneRow(t *testing.T, kind, settings string, y ...float64) (map[string]cdf.Row, *cdf.Filter, *cdf.Batch) {
	t.Helper()
	k, _ := Lookup(kind)
	spec, err := k.Spec("", cdf.Roles{Scaling: "none", Intercept: true, Groups: []cdf.Group{{Column: "g"}}[:map[string]int{"anova": 1}[kind]], Features: []cdf.Feature{}}, strictyaml.Decode(settings))
	if err != nil {
		t.Fatal(err)
	}
	f := cdf.NewFilter(spec, "key")
	b := &cdf.Batch{Rows: len(y), Columns: []cdf.Column{{Name: "y", Number: y}, {Name: "g", Type: cdf.Text, Levels: []string{"a"}, Code: make([]int32, len(y))}}}
	sum, err := f.Update(b)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]cdf.Row{}
	for _, r := range sum.Rows {
		rows[r.Variable] = r
	}
	return rows, f, b
}

// A variance whose tail is its prior's and that of a row or two has no moments, whatever sums over a grid, which ends somewhere, make
// of it: anova published a mean of sigma2 of 20 after one row under its defaults, and an sd of 70,000 of mu with sigma2_shape .4.
func TestMomentsThatDoNotExist(t *testing.T) {
	nan := math.IsNaN
	rows, f, b := oneRow(t, "anova", "{prior: {tau2_shape: 3}}", 1)
	preds, err := f.Predict(b)
	if err != nil {
		t.Fatal(err)
	}
	if s := rows["sigma2"]; !nan(s.Mean) || !nan(s.SD) || nan(s.Q975) || !nan(rows["mu"].SD) || !nan(rows["zeta[a]"].SD) || nan(rows["zeta[a]"].Q975) || !nan(preds[0].SD) || !nan(preds[0].EpredSD) || nan(preds[0].Q975) {
		t.Errorf("anova: %+v, %+v", rows, preds[0])
	}
	rows, _, _ = oneRow(t, "anova", "{prior: {tau2_shape: 3}}", 1, 2)
	if s := rows["sigma2"]; nan(s.Mean) || !nan(s.SD) || nan(rows["mu"].SD) {
		t.Errorf("anova, two rows: %+v", rows)
	}
	rows, f, _ = oneRow(t, "dlm", "{prior: {tau2_shape: .5}}", 1)
	ahead, err := f.Forecast(2)
	if err != nil {
		t.Fatal(err)
	}
	if s := rows["tau2"]; !nan(s.Mean) || !nan(s.SD) || nan(s.Q975) || nan(rows["sigma2"].SD) || !nan(ahead[1].SD) || nan(ahead[1].Q975) {
		t.Errorf("dlm: %+v, %+v", rows, ahead)
	}
	rows, f, _ = oneRow(t, "dlm", "{prior: {tau2_shape: .5}}", 1, 2)
	if ahead, err = f.Forecast(2); err != nil {
		t.Fatal(err)
	}
	if s := rows["tau2"]; nan(s.Mean) || !nan(s.SD) || nan(ahead[1].SD) {
		t.Errorf("dlm, two rows: %+v, %+v", rows, ahead)
	}
}

// A row in another unit than all before has the density that the integral over sigma2 says, and not that of a normal law with the
// largest sigma2 that a sum over it reaches: -10,468 in place of -80 where it is 1e9 off.
func TestDensityFarOff(t *testing.T) {
	_, f, _ := oneRow(t, "linear", "{}", 1)
	for _, y := range []float64{1, 50, 1e3, 1e6, 1e9, 1e12} {
		preds, err := f.Predict(&cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{y}}}})
		if err != nil {
			t.Fatal(err)
		}
		// sigma2 ~ IG(1, 1), an intercept of variance 100, and one row of 1.
		top, now, next := math.Inf(-1), []float64{}, []float64{}
		for l := -10.; l < 90; l += .01 {
			s := math.Exp(l)
			mean, v := 100/(100+s), s+100*s/(100+s)
			at := -l - 1/s - (math.Log(100+s)+1/(100+s))/2
			now, next = append(now, at), append(next, at-(math.Log(2*math.Pi*v)+(y-mean)*(y-mean)/v)/2)
			top = max(top, at)
		}
		most, sum, all := slices.Max(next), 0., 0.
		for i := range now {
			sum, all = sum+math.Exp(next[i]-most), all+math.Exp(now[i]-top)
		}
		want := most + math.Log(sum) - top - math.Log(all)
		if !(math.Abs(preds[0].LogDensity-want) <= 1e-4*(1+math.Abs(want))) {
			t.Errorf("%v has log density %v, by hand %v", y, preds[0].LogDensity, want)
		}
	}
}
