package models

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

func TestRegistryBuildsEveryVariant(t *testing.T) {
	for _, name := range Kinds().Names() {
		k, ok := Lookup(name)
		if !ok || k.Name != name {
			t.Fatalf("%s is listed and not found", name)
		}
		for _, variant := range append([]string{""}, k.Variants...) {
			spec, err := k.Spec(variant, cdf.Roles{}, nil)
			if err != nil {
				t.Fatalf("%s %q: %v", name, variant, err)
			}
			dims := cdf.Dims{}
			if k.Features {
				dims = cdf.Dims{Columns: []string{"intercept", "x"}, Intercept: true}
			}
			m, err := spec.New(dims)
			if err != nil || len(m.Blocks()) == 0 {
				t.Errorf("%s %q: %v", name, variant, err)
			}
		}
		if _, err := k.Spec("other", cdf.Roles{}, nil); err == nil || !strings.Contains(err.Error(), `"other"`) {
			t.Errorf("%s: an unknown variant gives %v", name, err)
		}
	}
	if _, ok := Lookup("linea"); ok {
		t.Error("found a kind that is not there")
	}
}
