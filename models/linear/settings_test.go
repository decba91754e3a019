package linear

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

func TestSettings(t *testing.T) {
	got := modeltest.Spec(t, Kind(), "", cdf.Roles{}, strictyaml.Decode("prior: {beta_variance: 10}")).Settings
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"prior":{"beta_variance":10,"intercept_variance":100,"sigma2_shape":1,"sigma2_rate":1}}`; string(b) != want {
		t.Errorf("settings %s, want %s", b, want)
	}
	modeltest.Refuses(t, Kind(), "", map[string]string{
		"prior: {beta_variance: 0}":        "prior.beta_variance must be positive and finite, got 0",
		"prior: {intercept_variance: -1}":  "prior.intercept_variance",
		"prior: {sigma2_shape: .nan}":      "prior.sigma2_shape",
		"prior: {sigma2_rate: .inf}":       "prior.sigma2_rate",
		"prior: {beta_varience: 1}":        "beta_varience",
		"priors: {}":                       "priors",
		"prior: {sigma2_rate: not-a-rate}": "not-a-rate",
	})
	if _, err := New(Defaults(), cdf.Dims{}); !errors.Is(err, cdf.ErrSchema) {
		t.Errorf("no columns gives %v", err)
	}
}
