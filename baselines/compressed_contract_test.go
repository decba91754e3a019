package baselines

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// strict decodes as a configuration does: unknown names are errors.
func strict(text string) func(any) error {
	return func(v any) error {
		d := yaml.NewDecoder(strings.NewReader(text))
		d.KnownFields(true)
		return d.Decode(v)
	}
}

// competitor builds a model of a registered competitor.
func competitor(t testing.TB, kind, method, settings string, d cdf.Dims) cdf.Model {
	t.Helper()
	_, build := configured(t, kind, method, settings)
	m, err := build(d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func configured(t testing.TB, kind, method, settings string) (any, kind.Build) {
	t.Helper()
	k, ok := Lookup(kind, method)
	if !ok {
		t.Fatalf("no competitor %s of %s", method, kind)
	}
	s, build, err := k.Configure("", strict(settings))
	if err != nil {
		t.Fatal(err)
	}
	return s, build
}

func TestCompressedCompetitorsKeepTheContract(t *testing.T) {
	for _, c := range []struct{ method, settings string }{
		{"smcmc", "dimension: 3"},
		{"vb-gdp", "{}"},
		{"vb-gdp", "iterations: 1"}, // far from the solution, shard after shard
	} {
		t.Run(c.method+" "+c.settings, func(t *testing.T) {
			settings, build := configured(t, "compressed", c.method, c.settings)
			cdftest.TestModel(t, func() *cdf.Spec {
				return &cdf.Spec{
					Kind: "compressed", Variant: c.method, Seed: 1,
					Columns: cdf.Roles{Scaling: "first", Response: cdf.Feature{Name: "y"}},
					Draws:   100, Forget: 1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop", Settings: settings,
					Publish: cdf.Publish{Every: 1, Scale: "original", Groups: "all"},
					Limits:  cdf.Limits{Rows: 1_000_000, Columns: 100, Groups: 1000},
					New:     build,
				}
			}, cdftest.WideShards(6))
		})
	}
}

// The competitors stand beside the model with its parameters, in its order.
func TestCompressedCompetitorsHaveTheModelsParameters(t *testing.T) {
	names := Names("compressed")
	if fmt.Sprint(names) != "[smcmc vb-gdp]" {
		t.Errorf("competitors %q", names)
	}
	d := cdf.Dims{Columns: []string{"a", "b", "c"}, Draws: 10}
	k, _ := models.Lookup("compressed")
	_, build, err := k.Configure("", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := build(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got, want := fmt.Sprint(competitor(t, "compressed", name, "{}", d).Params()), fmt.Sprint(m.Params()); got != want {
			t.Errorf("%s has the parameters %s, the model %s", name, got, want)
		}
	}
}

func TestCompressedCompetitorsRefuseSettings(t *testing.T) {
	for _, c := range []struct{ method, variant, settings, want string }{
		{"smcmc", "paper", "{}", "no variant"},
		{"smcmc", "", "burn: -1", "burn"},
		{"smcmc", "", "dimension: 0", "dimension"},
		{"smcmc", "", "prior: {sigma2_rate: 0}", "sigma2_rate"},
		{"smcmc", "", "rank: 3", "rank"},
		{"vb-gdp", "paper", "{}", "no variant"},
		{"vb-gdp", "", "iterations: 0", "iterations"},
		{"vb-gdp", "", "prior: {eta: .inf}", "finite"},
		{"vb-gdp", "", "prior: {beta_variance: 1}", "beta_variance"},
	} {
		k, _ := Lookup("compressed", c.method)
		if _, _, err := k.Configure(c.variant, strict(c.settings)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q %s: got %v, want an error about %s", c.method, c.variant, c.settings, err, c.want)
		}
	}
}
