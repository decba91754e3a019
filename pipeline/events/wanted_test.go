package events

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
)

// A formula says of which columns it takes the calendar.
func TestMomentsAreWanted(t *testing.T) {
	f, err := formula.Parse("y ~ C(hour(a)) + season(b, 24h, 2) + season(c, 7, 1) + I(weekday(d) == 'sat'):x + trend(e) + log(g) + (1 + month(h) | k)")
	if err != nil {
		t.Fatal(err)
	}
	moments := ""
	for _, c := range WantedBy([]*cdf.Spec{{Columns: f.Roles()}, {Columns: cdf.Roles{Time: "s", Features: []cdf.Feature{}}}}).Columns {
		if c.Moment {
			moments += c.Name
		}
		if c.Step != (c.Name == "s") {
			t.Errorf("%+v", c)
		}
	}
	if moments != "abdeh" {
		t.Errorf("moments %s", moments)
	}
}

// Numbers since 1970 are of the unit that makes them a time from 1973 to 5138.
func TestNumbersThatAreTimes(t *testing.T) {
	const at = 1_700_000_000
	moment, step := &Named{Moment: true}, &Named{Step: true}
	for _, c := range []struct {
		named *Named
		cells []cell
		want  []float64 // nil: no times
	}{
		{moment, []cell{{kind: whole, bits: at}, {}, {kind: whole, bits: 0}}, []float64{at, math.NaN(), 0}},
		{moment, []cell{{kind: whole, bits: at*1000 + 125}}, []float64{at + .125}},
		{moment, []cell{{kind: fraction, bits: math.Float64bits(at + .5)}}, []float64{at + .5}},
		{moment, []cell{{kind: whole, bits: at * 1e6}, {kind: whole, bits: at*1e9 + 2e6}}, []float64{at, at + .002}},
		{moment, []cell{{kind: text, text: []byte("1")}}, nil},
		{step, []cell{{kind: whole, bits: at * 1000}, {}}, []float64{at, math.NaN()}},
		{step, []cell{{kind: whole, bits: at}}, nil},
		{step, []cell{{kind: whole, bits: at * 1000}, {kind: whole, bits: 7}}, nil},
		{&Named{}, []cell{{kind: whole, bits: at * 1000}}, nil},
		{nil, []cell{{kind: whole, bits: at * 1000}}, nil},
	} {
		col := column{cells: c.cells}
		for _, v := range c.cells {
			col.kinds |= v.kind
		}
		if ok := col.moments(c.named); ok != (c.want != nil) {
			t.Errorf("%+v of %+v: %v", c.cells, c.named, ok)
		} else if ok && fmt.Sprint(col.number) != fmt.Sprint(c.want) {
			t.Errorf("%+v: %v, want %v", c.cells, col.number, c.want)
		}
	}
}

// TestWantedByFormula: a model with a formula names the columns that the formula is
// made of, not those that it makes.
func TestWantedByFormula(t *testing.T) {
	for text, only := range map[string]bool{"log(sold) ~ price*C(promo) + (1 | shop)": true, "sold ~ . + I(price**2)": false} {
		f, err := formula.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		w := WantedBy([]*cdf.Spec{{Columns: f.Roles()}})
		for _, name := range []string{"sold", "price"} {
			if w.find(name) < 0 {
				t.Errorf("%s: %s is not wanted", text, name)
			}
		}
		if w.find("log(sold)") >= 0 || w.find("y") >= 0 || w.Only != only {
			t.Errorf("%s: wanted are %+v", text, w)
		}
		if only && (w.find("promo") < 0 || w.find("shop") < 0 || !w.Below("shop") || w.Below("other")) {
			t.Errorf("%s: wanted are %+v", text, w)
		}
	}
}
