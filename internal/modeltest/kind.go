package modeltest

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/kind"
)

// Spec is Kind.Spec, whose error ends the test.
func Spec(t testing.TB, k *kind.Kind, variant string, columns cdf.Roles, decode func(any) error) *cdf.Spec {
	t.Helper()
	s, err := k.Spec(variant, columns, decode)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Model returns a model of the kind with empty statistics.
func Model(t testing.TB, k *kind.Kind, variant string, decode func(any) error, d cdf.Dims) cdf.Model {
	t.Helper()
	m, err := Spec(t, k, variant, cdf.Roles{}, decode).New(d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Contract takes a configuration, with 100 draws a shard, through the contract
// that every model must pass.
func Contract(t *testing.T, k *kind.Kind, variant string, columns cdf.Roles, decode func(any) error, shards func(seed uint64, n int) []*cdf.Batch) {
	t.Helper()
	cdftest.TestModel(t, func() *cdf.Spec {
		s := Spec(t, k, variant, columns, decode)
		s.Draws = 100
		return s
	}, shards)
}

// Set returns a decode that gives the settings.
func Set[S any](settings S) func(any) error {
	return func(v any) error {
		*v.(*S) = settings
		return nil
	}
}

// Refuses fails unless each text of settings is refused in the given words.
func Refuses(t *testing.T, k *kind.Kind, variant string, words map[string]string) {
	t.Helper()
	for text, want := range words {
		if _, err := k.Spec(variant, cdf.Roles{}, strictyaml.Decode(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s, %s gives %v, want %q in it", k.Name, variant, text, err, want)
		}
	}
}
