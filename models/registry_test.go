package models

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func TestRegistryBuildsEveryVariant(t *testing.T) {
	for _, name := range Names() {
		k, ok := Lookup(name)
		if !ok || k.Name != name {
			t.Fatalf("%s is listed and not found", name)
		}
		for _, variant := range append([]string{""}, k.Variants...) {
			_, build, err := k.Configure(variant, nil)
			if err != nil {
				t.Fatalf("%s %q: %v", name, variant, err)
			}
			dims := cdf.Dims{Columns: []string{"intercept", "x"}, Intercept: true}
			if name == "dlm" { // takes no columns
				dims = cdf.Dims{}
			}
			m, err := build(dims)
			if err != nil || len(m.Blocks()) == 0 {
				t.Errorf("%s %q: %v", name, variant, err)
			}
		}
		if _, _, err := k.Configure("other", nil); err == nil || !strings.Contains(err.Error(), `"other"`) {
			t.Errorf("%s: an unknown variant gives %v", name, err)
		}
	}
	if _, ok := Lookup("linea"); ok {
		t.Error("found a kind that is not there")
	}
}

func TestLinearSettings(t *testing.T) {
	k, _ := Lookup("linear")
	got, _, err := k.Configure("", modeltest.Strict("prior: {beta_variance: 10}"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"prior":{"beta_variance":10,"intercept_variance":100,"sigma2_shape":1,"sigma2_rate":1}}`; string(b) != want {
		t.Errorf("settings %s, want %s", b, want)
	}
	for text, want := range map[string]string{
		"prior: {beta_variance: 0}":        "prior.beta_variance must be positive and finite, got 0",
		"prior: {intercept_variance: -1}":  "prior.intercept_variance",
		"prior: {sigma2_shape: .nan}":      "prior.sigma2_shape",
		"prior: {sigma2_rate: .inf}":       "prior.sigma2_rate",
		"prior: {beta_varience: 1}":        "beta_varience",
		"priors: {}":                       "priors",
		"prior: {sigma2_rate: not-a-rate}": "not-a-rate",
	} {
		if _, _, err := k.Configure("", modeltest.Strict(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q in it", text, err, want)
		}
	}
	if _, err := NewLinear(DefaultLinear(), cdf.Dims{}); !errors.Is(err, cdf.ErrSchema) {
		t.Errorf("no columns gives %v", err)
	}
}
