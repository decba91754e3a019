package models_test

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
)

// A kind says that it publishes covariances where its models know them.
func TestKindsTellOfCovariances(t *testing.T) {
	for _, k := range models.Kinds() {
		for _, variant := range k.Variants {
			roles := cdf.Roles{Features: []cdf.Feature{}, Intercept: k.Intercept}
			dims := cdf.Dims{Draws: 2, Intercept: k.Intercept}
			if k.Intercept {
				dims.Columns = append(dims.Columns, "intercept")
			}
			if k.Features {
				roles.Features, dims.Columns = []cdf.Feature{{Name: "x"}}, append(dims.Columns, "x")
			} else if !k.Time {
				roles.Groups = []cdf.Group{{Column: "g"}}
				dims.Groups = roles.Groups
			}
			spec, err := k.Spec(variant, roles, strictyaml.Decode(""))
			if err != nil {
				t.Fatal(err)
			}
			m, err := spec.New(dims)
			if err != nil {
				t.Fatalf("%s %s: %v", k.Name, variant, err)
			}
			if w, ok := m.(cdf.Wrapper); ok {
				m = w.Unwrap()
			}
			if _, knows := m.(cdf.Covariancer); knows != k.Covariance {
				t.Errorf("%s %s: covariances %v, the kind says %v", k.Name, variant, knows, k.Covariance)
			}
		}
	}
}
