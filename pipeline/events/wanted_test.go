package events

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
)

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
