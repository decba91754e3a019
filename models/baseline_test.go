package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// baselineShards are rows of a number and of twelve levels, two of which came last, and a response of these; the level b is often far off.
func baselineShards(kind string, n int) (list []*cdf.Batch) {
	r := cdf.NewStream(132, kind, 0, "baseline")
	for t := range 6 {
		b := &cdf.Batch{Rows: n}
		x, y, codes := make([]float64, n), make([]float64, n), make([]int32, n)
		for i := range n {
			x[i], codes[i] = r.NormFloat64(), int32(r.IntN(10+2*min(t, 1)))
			y[i] = .5*x[i] + math.Sin(float64(3*codes[i])) + r.NormFloat64()
			if codes[i] == 1 {
				y[i] += 2
			}
			if kind == "probit" {
				y[i] = math.Round(1 / (1 + math.Exp(-3*y[i])))
			}
		}
		b.Columns = []cdf.Column{{Name: "x", Number: x}, {Name: "g", Type: cdf.Text, Code: codes, Levels: levelNames()}, {Name: "y", Number: y}}
		list = append(list, b)
	}
	return list
}

func levelNames() (list []string) {
	for j := range 12 {
		list = append(list, string(rune('a'+j)))
	}
	return list
}

// Which level is the baseline says nothing: predictions are the same, and coefficients differences of the same levels. The intercept's prior is that of the
// baseline's level, so that it has to be wide; chains of probit draw other numbers.
func TestBaselineSaysNothing(t *testing.T) {
	for _, c := range []struct {
		kind, settings string
		formula        bool
		near           float64 // in sds
	}{
		{"linear", "{prior: {intercept_variance: 1e6}}", false, 1e-4},
		{"linear", "{prior: {intercept_variance: 1e6}}", true, 1e-4},
		{"compressed", "{}", false, 1e-9},
		{"compressed", "{}", true, 1e-9},
		{"compressed", "{statistics: exact}", false, 1e-7},
		{"probit", "{prior: {intercept_variance: 1e4}}", false, .35},
	} {
		var means, sds [2][]float64
		for k, base := range []string{"a", "b"} {
			sum, preds := underBaseline(t, c.kind, c.settings, c.formula, base)
			for _, p := range preds {
				means[k], sds[k] = append(means[k], p.Mean), append(sds[k], p.EpredSD)
			}
			// Of levels beside a.
			level := func(name string) cdf.Row {
				at := slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return slices.Contains(coefficientsOf(name), r.Variable) })
				if at < 0 {
					return cdf.Row{SD: 1} // the baseline
				}
				return sum.Rows[at]
			}
			for i, name := range levelNames() {
				row := level(name)
				means[k] = append(means[k], row.Mean-level("a").Mean)
				if k > 0 { // an sd is of the difference from another level
					row.SD = sds[0][len(preds)+i]
				}
				sds[k] = append(sds[k], row.SD)
			}
		}
		for i := range means[0] {
			if off := math.Abs(means[1][i]-means[0][i]) / sds[0][i]; !(off < c.near) || !(math.Abs(sds[1][i]/sds[0][i]-1) < c.near) {
				t.Errorf("%s, formula %t: number %d is %v (%v) beside b, %v (%v) beside a: %.1e", c.kind, c.formula, i, means[1][i], sds[1][i], means[0][i], sds[0][i], off)
			}
		}
	}
}

// One level beside the baseline is a column of zeros and ones.
func TestOneLevelBesideTheBaseline(t *testing.T) {
	for _, kind := range []string{"linear", "compressed"} {
		k, _ := Lookup(kind)
		var means [2][]float64
		for i, feature := range []cdf.Feature{{Name: "g", Levels: []string{"0", "1"}, Baseline: "0", Other: "drop"}, {Name: "g"}} {
			spec, err := k.Spec("", cdf.Roles{Scaling: "first", Intercept: kind == "linear", Features: []cdf.Feature{{Name: "x"}, feature}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := cdf.NewFilter(spec, "key")
			for _, b := range baselineShards(kind, 30) {
				c := &b.Columns[1]
				*c = cdf.Column{Name: "g", Type: cdf.Integer, Number: make([]float64, b.Rows), Int: make([]int64, b.Rows)}
				for row := range c.Number {
					c.Int[row] = int64(row % 7 / 4)
					c.Number[row] = float64(c.Int[row])
				}
				if _, err := f.Update(b); err != nil {
					t.Fatal(err)
				}
				preds, err := f.Predict(b)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range preds {
					means[i] = append(means[i], p.Mean, p.SD)
				}
			}
		}
		if !slices.Equal(means[0], means[1]) {
			t.Errorf("%s: predictions differ from those of a number", kind)
		}
	}
}

// coefficientsOf are the names that the coefficient of a level may have.
func coefficientsOf(level string) []string {
	return []string{"beta[g=" + level + "]", "gamma[g=" + level + "]", "beta[C(g)[T." + level + "]]", "gamma[C(g)[T." + level + "]]"}
}

func underBaseline(t *testing.T, kind, settings string, written bool, base string) (*cdf.Summary, []cdf.Prediction) {
	t.Helper()
	k, _ := Lookup(kind)
	roles := cdf.Roles{
		Scaling: "first", Intercept: kind != "compressed",
		Features: []cdf.Feature{{Name: "x"}, {Name: "g", Levels: levelNames(), Baseline: base, Other: "drop"}},
	}
	if written {
		levels := levelNames()
		at := slices.Index(levels, base)
		levels[0], levels[at] = levels[at], levels[0] // the first is the baseline
		list := ""
		for _, level := range levels {
			list += ", " + level
		}
		f, err := formula.Parse(fmt.Sprintf("y ~ x + C(g, [%s])", list[2:]))
		if err != nil {
			t.Fatal(err)
		}
		roles = f.Roles()
		roles.Scaling, roles.Intercept = "first", kind != "compressed"
	}
	spec, err := k.Spec("", roles, strictyaml.Decode(settings))
	if err != nil {
		t.Fatal(err)
	}
	f := cdf.NewFilter(spec, "key")
	var sum *cdf.Summary
	list := baselineShards(kind, 40)
	for _, b := range list[:5] {
		if sum, err = f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	preds, err := f.Predict(list[5])
	if err != nil {
		t.Fatal(err)
	}
	return sum, preds
}
